// Summaries that Cursor's editor puts in the place of the first pieces of a conversation. Synthetic.
import { expect, test } from "vitest";
import { findSession } from "../base/find-session.ts";
import { listEvents } from "../sessions/list-events.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { importPaths } from "./import-paths.ts";
import { withDatabase, type Fill } from "./testing-database.ts";

const summary = (text: string, first: string): object => ({
  ...{ summary: text, truncationLastBubbleIdInclusive: "a1", clientShouldStartSendingFromInclusiveBubbleId: first },
  ...{ previousConversationSummaryBubbleId: "", includesToolResults: true },
});

test("the latest summary stands where it was made, a piece's own behind the piece, and each once", async () => {
  const said: readonly (readonly [id: string, type: number, more?: object])[] = [
    ["u1", 1],
    ["a1", 2],
    ["u2", 1],
    ["a2", 2, { conversationSummary: JSON.stringify(summary("Two buoys.", "u2")) }],
    ["u3", 1],
    ["a3", 2],
    ["u4", 1],
  ];
  const fill: Fill = (sqlite) => {
    sqlite.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
    const put = sqlite.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)");
    const keep = (id: string, latest: object): void => {
      const fullConversationHeadersOnly = said.map(([bubbleId, type]) => ({ bubbleId, type }));
      const about = { composerId: id, createdAt: 1_772_442_000_000, fullConversationHeadersOnly };
      put.run(`composerData:${id}`, JSON.stringify({ ...about, latestConversationSummary: latest }));
      for (const [piece, type, more = {}] of said)
        put.run(`bubbleId:${id}:${piece}`, JSON.stringify({ type, text: piece, ...more }));
    };
    keep("c-new", { summary: summary("Three buoys.", "u3"), lastBubbleId: "a3" });
    keep("c-same", { summary: summary("Two buoys.", "u2"), lastBubbleId: "u3" });
    keep("c-early", { summary: "Four buoys.", lastBubbleId: "u4" });
    keep("c-none", {});
  };
  await withDatabase("state.vscdb", fill, async (archive, path) => {
    await importPaths(archive, [path]);
    const told = async (name: string): Promise<unknown[]> => {
      const { id } = summaryOfSession(archive, findSession(archive, `cursor:${name}`));
      const { events } = await listEvents(archive, id, { from: 1, limit: 100 });
      return events.flatMap(({ body }): unknown[] =>
        body.type === "compaction"
          ? [[body.text, body.keptFrom]]
          : "text" in body && body.text !== ""
            ? [body.text]
            : [],
      );
    };
    const two = [["Two buoys.", "u2"], "Two buoys."];
    const three = [["Three buoys.", "u3"], "Three buoys."];
    expect(await told("c-new")).toEqual(["u1", "a1", "u2", "a2", ...two, "u3", "a3", ...three, "u4"]);
    expect(await told("c-same")).toEqual(["u1", "a1", "u2", "a2", ...two, "u3", "a3", "u4"]);
    const four = [["Four buoys.", undefined], "Four buoys."];
    expect(await told("c-early")).toEqual(["u1", "a1", "u2", "a2", ...two, "u3", "a3", "u4", ...four]);
    expect(await told("c-none")).toEqual(["u1", "a1", "u2", "a2", ...two, "u3", "a3", "u4"]);
  });
});
