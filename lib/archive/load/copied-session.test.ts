// A session that somebody compacted by hand into a file of its own, as Claude Code 2.1.330 goes on from it: a boundary, a
// summary, and copies of the last turn's records with new ids and the times and message ids that they had. Synthetic.
import { expect, test } from "vitest";
import {
  answer,
  idOf,
  jsonl,
  line,
  OTHER_SESSION,
  prompt,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put, withRecords } from "../testing-archive.ts";
import { sessionLedger } from "./session-ledger.ts";

const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

/** Its last turn is what the copy holds. */
const ORIGINAL: Rec[] = [
  ...Array.from({ length: 4 }, (_, n) => line("attachment", `x${n}`, 0, { attachment: { type: "date" } })),
  prompt("p1", 1, words(9000)),
  answer("a1", 2, "one", text("First."), { usage: used(12, 0, 17_000, 3) }),
  prompt("p2", 10, "And the file."),
  answer("a2", 11, "two", text("Second."), { usage: used(9, 17_000, 40, 4) }),
];

const copied = (record: Rec, label: string): Rec => ({ ...record, uuid: idOf(label), sessionId: OTHER_SESSION });
const TAIL = [copied(ORIGINAL.at(-2)!, "q2"), copied(ORIGINAL.at(-1)!, "b2")];
const OPENING: Rec[] = [
  line("system", "c", 100, {
    subtype: "compact_boundary",
    sessionId: OTHER_SESSION,
    compactMetadata: { trigger: "manual", preTokens: 17_049 },
  }),
  prompt("s", 100, "Summary: the folder holds notes.", { sessionId: OTHER_SESSION, isCompactSummary: true }),
];
const NEXT: Rec[] = [
  copied(prompt("p3", 110, "And now?"), "p3"),
  copied(answer("a3", 111, "three", text("Third."), { usage: used(5, 0, 8200, 3) }), "a3"),
];

const COPY: Rec[] = [...OPENING, ...TAIL, ...NEXT];

const modelCalls = async (archive: Archive) => [
  (await showSession(archive, SESSION)).modelCalls,
  (await showSession(archive, OTHER_SESSION)).modelCalls,
];

test.each([
  ["compacted", COPY],
  ["of the last turn alone", [...TAIL, ...NEXT]],
  ["compacted, that nobody went on with", [...OPENING, ...TAIL]],
])("a copy %s inherits the calls that it repeats, whichever comes first", async (_, copy) => {
  for (const order of [
    [SESSION, OTHER_SESSION],
    [OTHER_SESSION, SESSION],
  ])
    await inArchive(async (archive, logs) => {
      const files: Record<string, Rec[]> = { [SESSION]: ORIGINAL, [OTHER_SESSION]: copy };
      for (const name of order) await importPaths(archive, [put(logs, `${name}.jsonl`, jsonl(...files[name]!))]);
      const own = copy.includes(NEXT[1]!) ? 1 : 0;
      expect(await modelCalls(archive)).toEqual([
        { own: 2, inherited: 0 },
        { own, inherited: 1 },
      ]);
    });
});

test("what a repeated call reported was of another context: neither the ledger nor the peak is made of it", () =>
  withRecords({ [`${SESSION}.jsonl`]: ORIGINAL, [`${OTHER_SESSION}.jsonl`]: COPY }, async (archive) => {
    const { calls } = await sessionLedger(archive, OTHER_SESSION, { counted: true });
    expect(calls.map(({ reported }) => reported)).toEqual([null, 8205]);
    expect(calls.map(({ unattributed }) => unattributed)).toEqual([0, 0]);
    expect(await showSession(archive, OTHER_SESSION)).toMatchObject({ peak: { tokens: 8205, call: 2 } });
  }));
