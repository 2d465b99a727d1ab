import { showSession } from "#lib/archive/show-session.ts";
import { sessionsQuery } from "#lib/wire/sessions.ts";
import { stateWords } from "#lib/kernel/load/state.ts";
import { reading } from "./archive.ts";
import { count, marked, oneLine, printJson, table } from "./print.ts";
import { textOption, type Command } from "./words.ts";

export const sessions: Command = {
  name: "sessions",
  args: [],
  options: { format: "text", q: "text" },
  about: "list sessions, newest first; --q searches their text",
  run: (words) =>
    reading(words, async (archive) => {
      // What builds queries takes 0.3 s to load: no other command waits for it.
      const { listSessions } = await import("#lib/archive/list-sessions.ts");
      const query = { format: textOption(words, "format"), q: textOption(words, "q") ?? "" };
      const found = [];
      let total = 0;
      for (let offset = 0; ; offset += 500) {
        const page = await listSessions(archive, {
          ...sessionsQuery.parse({ limit: 500, offset, q: query.q }),
          format: query.format,
          nested: true,
        });
        total = page.total;
        found.push(...page.sessions);
        if (found.length >= total || page.sessions.length === 0) break;
      }
      if (words.options["json"] === true) {
        printJson({ sessions: await Promise.all(found.map(({ id }) => showSession(archive, id))), total });
        return;
      }
      if (found.length === 0) console.log("No sessions. plimsoll import PATH… reads some.");
      else
        console.log(
          table(
            ["session", "started", "agent", "calls", "peak", "of line", "state", "title"],
            found.map((row) => [
              row.id,
              row.startedAt?.slice(0, 16).replace("T", " ") ?? "–",
              row.agent,
              count(row.calls),
              marked(row.peak.tokens, row.peak.origin),
              row.peak.tokens === null || row.peak.loadLine === null
                ? "–"
                : `${Math.round((100 * row.peak.tokens) / row.peak.loadLine)} %`,
              row.state === null ? "–" : stateWords(row.state, row.automaticCompactions),
              oneLine(row.title, 60),
            ]),
            new Set([0, 1, 2, 6, 7]),
          ),
        );
    }),
};
