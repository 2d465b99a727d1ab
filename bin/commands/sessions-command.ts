import type { Archive } from "#lib/archive/base/archive-type.ts";
import { listSessions, listSummaries } from "#lib/archive/sessions/list-sessions.ts";
import { stateWords } from "#lib/kernel/load/compaction-state.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { noteCache } from "./node-cache.ts";
import { reading } from "./open-archive.ts";
import { count, marked, oneLine, printJson, table } from "./print.ts";
import { textOption, type Run } from "./args.ts";

export const run: Run = async (words) => {
  const filter = { format: textOption(words, "format"), q: textOption(words, "q") };
  return reading(words, async (archive) => {
    noteCache(words);
    const isFiltered = filter.format !== undefined || filter.q !== undefined;
    const { sessions: found, isWhole } = await listSummaries(archive, filter);
    if (words.options["json"] === true) {
      printJson({ sessions: found.map(({ summary }) => summary), total: found.length, isWhole });
      return;
    }
    if (!isWhole)
      console.error("The expression was not tried on all events in time: more may match. Add words or fields.");
    if (found.length === 0)
      console.log(
        isFiltered ? await whyNone(archive, filter.format) : "No sessions. Import some: plimsoll import PATH…",
      );
    else
      console.log(
        table(
          ["session", "started", "agent", "calls", "peak", "of line", "state", "title"],
          found.map(({ summary: row, calls }) => [
            row.id,
            row.startedAt?.slice(0, 16).replace("T", " ") ?? "–",
            row.agent,
            count(calls),
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
  });
};

/** A format that no session here has is said, with those that there are. */
async function whyNone(archive: Archive, format: string | undefined): Promise<string> {
  if (format === undefined) return "No session matches.";
  const { facets } = await listSessions(archive, sessionsQuery.parse({ format, limit: 1 }));
  const known = facets.formats.map(({ value }) => value);
  return known.includes(format)
    ? "No session matches."
    : `No session here has the format "${oneLine(format, 60)}". Known: ${known.join(", ")}.`;
}
