// A person went back in the terminal, and old results were sent shorter: what every view says of it. The records are
// synthetic, in the shapes of a run of Claude Code 2.1.330.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  line,
  prompt,
  result,
  SESSION,
  text,
  used,
  type AnswerOptions,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { blob, request, shaped } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { importPaths } from "../import/import-paths.ts";
import { outdatedSources, readAgain } from "../import/read-again.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { sessionLoad } from "../load/session-load.ts";
import { exportSession } from "../sessions/export-session.ts";
import { getEvent, listEvents } from "../sessions/list-events.ts";
import { outline } from "../sessions/outline.ts";
import { showSession } from "../sessions/show-session.ts";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { contextOf, contextPayload } from "./context.ts";

const on = (parent: string | null, record: Rec): Rec => ({
  ...record,
  parentUuid: parent === null ? null : idOf(parent),
});
const own = (record: Rec): Rec => ({ ...record, sessionId: SESSION });
const says = (n: number, words: string, usage: Rec, o: AnswerOptions = {}): Rec =>
  answer(`a${n}`, n * 10 + 2, `${n}`, text(words), { usage, ...o });
const LONG = "a long line of output\n".repeat(400);

/** Two turns, the second with a large result; then back to before the second. */
const REWOUND: Rec[] = [
  on(null, prompt("p1", 1, "Begin here.")),
  shaped("one", ["You are a pilot."], ["Bash"]),
  on("p1", says(1, "First part.", used(10, 0, 500, 20))),
  on("a1", line("system", "s1", 13, { subtype: "turn_duration", durationMs: 5 })),
  on("s1", prompt("p2", 20, "Go on from there.")),
  on("p2", answer("a2", 22, "2", asks("t2", "Bash", { command: "cat log" }), { usage: used(10, 500, 30, 20) })),
  on("a2", result("r2", 23, "t2", LONG)),
  on("r2", says(3, "Second part.", used(10, 530, 2400, 20))),
  on("a3", line("system", "s3", 33, { subtype: "turn_duration", durationMs: 5 })),
  on("s1", prompt("p4", 40, "Go elsewhere.")),
  on("p4", says(4, "Third part.", used(10, 500, 30, 20))),
];

const imported = (records: readonly Rec[], run: Parameters<typeof inArchive>[0]) =>
  inArchive(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, jsonl(...records));
    await importPaths(archive, [logs]);
    await run(archive, logs);
  });

const words = (messages: readonly { readonly role: string; readonly label: string }[]): string[] =>
  messages.map(({ role, label }) => `${role} ${label.slice(0, 20)}`);

test("what was rewound is not in the context from there on, and was before", () =>
  imported(REWOUND, async (archive) => {
    const { events } = await listEvents(archive, SESSION, { from: 1, limit: 100 });
    const rewind = events.find(({ type }) => type === "rewind")!;
    const seqOf = (found: string): number => events.find((event) => event.text === found)!.seq;
    expect(rewind).toMatchObject({
      sizes: { before: 2940, after: 540 },
      rewound: { from: seqOf("Go on from there."), to: seqOf("Second part.") },
    });
    expect(await getEvent(archive, SESSION, rewind.seq)).toEqual(rewind);
    expect((await contextOf(archive, SESSION, { as: "anthropic", at: rewind.seq - 1 })).messages).toHaveLength(7);
    const now = await contextOf(archive, SESSION, { as: "anthropic", at: seqOf("Third part.") });
    expect(words(now.messages)).toEqual([
      "user Begin here.",
      "system You are a pilot.",
      "assistant First part.",
      "user Go elsewhere.",
    ]);
    expect(words(now.left)).toEqual(["user Go on from there.", "assistant Bash cat log", "tool Bash cat log"]);
    const { flags, seq, rewinds } = await outline(archive, SESSION);
    const gone = seq.filter((_, i) => (flags[i]! & ROW_FLAG.gone) !== 0);
    expect([gone[0], gone.at(-1)]).toEqual([seqOf("Go on from there."), rewind.seq - 1]);
    expect(rewinds).toEqual([{ seq: rewind.seq, tokensBefore: 2940, tokensAfter: 540 }]);
  }));

test("its calls are paid, its items end there, and the load has a break and no new epoch", () =>
  imported(REWOUND, async (archive) => {
    const session = await showSession(archive, SESSION);
    expect(session).toMatchObject({ compactions: 0, modelCalls: { own: 4 } });
    expect(session.usage).toMatchObject({ cacheWrite: 500 + 30 + 2400 + 30, output: 80 });
    const ledger = await sessionLedger(archive, SESSION);
    expect(ledger.calls.map(({ epoch }) => epoch)).toEqual([1, 1, 1, 1]);
    expect(ledger.calls.every(({ sum, reported }) => sum === reported)).toBe(true);
    expect(ledger.calls[3]!.cacheBreak).toBeNull();
    const left = ledger.items.filter(({ leftBy }) => leftBy === "rewound");
    expect(left.map(({ label, enteredAt, leftAt }) => [label, enteredAt, leftAt])).toEqual([
      ["Go on from there.", 2, 4],
      ["Bash cat log", 3, 4],
      ["Bash cat log", 3, 4],
    ]);
    // What the first call was charged beyond its text is left over, and what the short prompt weighs less than most.
    expect(Math.abs(ledger.calls[3]!.unattributed - ledger.calls[0]!.unattributed)).toBeLessThan(40);
    const load = await sessionLoad(archive, SESSION);
    expect(load.rewinds).toEqual([{ seq: expect.any(Number) as number, afterCall: 3 }]);
    expect(load.compactions).toEqual([]);
  }));

test("back to before a compaction the context has again what that cut", () => {
  const cut = { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 2900 } };
  const records = [
    ...REWOUND.slice(0, -2),
    on(null, line("system", "cut", 35, cut)),
    on("cut", prompt("sum", 36, "We went on.", { isCompactSummary: true })),
    on("sum", says(9, "After it.", used(10, 100, 30, 20))),
    ...REWOUND.slice(-2),
  ];
  return imported(records, async (archive) => {
    const { messages } = await contextOf(archive, SESSION, { as: "anthropic" });
    expect(words(messages)).toEqual([
      "user Begin here.",
      "system You are a pilot.",
      "assistant First part.",
      "user Go elsewhere.",
      "assistant Third part.",
    ]);
    const ledger = await sessionLedger(archive, SESSION);
    const begin = ledger.items.filter(({ label }) => label === "Begin here.");
    expect(begin.map(({ enteredAt, leftAt }) => [enteredAt, leftAt])).toEqual([
      [1, 4],
      [5, null],
    ]);
  });
});

test("an exported session says the same of it, from its own file alone", () =>
  inFolder((dir) =>
    withArchive(join(dir, "first"), async (archive) => {
      put(join(dir, "logs"), `${SESSION}.jsonl`, jsonl(...REWOUND));
      await importPaths(archive, [join(dir, "logs")]);
      let exported = "";
      for await (const part of exportSession(archive, SESSION)) exported += part;
      const { messages } = await contextOf(archive, SESSION, { as: "anthropic" });
      await withArchive(join(dir, "second"), async (other) => {
        const { files } = await importPaths(other, [put(join(dir, "exported"), "session.plimsoll.jsonl", exported)]);
        const again = await contextOf(other, files[0]!.sessions[0]!, { as: "anthropic" });
        expect(words(again.messages)).toEqual(words(messages));
        expect(words(messages)).not.toContain("user Go on from there.");
      });
    }),
  ));

const path = (id: string): string =>
  `<persisted-output>Tool result saved to: /h/tool-results/${id}.txt\n\nUse Read to view</persisted-output>`;
const asked = (n: number, parent: string, usage: Rec): Rec[] => [
  on(parent, answer(`a${n}`, n * 10 + 2, `${n}`, asks(`t${n}`, "Bash", { command: `cat ${n}` }), { usage })),
  on(`a${n}`, result(`r${n}`, n * 10 + 3, `t${n}`, LONG)),
];
/** Two large results, of which the next request has the first as a path. */
const CLEARED: Rec[] = [
  on(null, prompt("p1", 1, "Read both.")),
  shaped("one", ["You are a pilot."], ["Bash"]),
  ...asked(1, "p1", used(10, 0, 500, 20)),
  ...asked(2, "r1", used(10, 500, 2400, 20)),
  own(blob({ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: path("t1") }] })),
  own(request("req-3", null, 0, [], [])),
  on("r2", says(3, "Both are read.", used(10, 500, 2500, 20))),
];

test("a result that only the request has shorter is so in the context, and in the ledger from that call on", () =>
  imported(CLEARED, async (archive) => {
    const { json } = await contextPayload(archive, SESSION, { as: "anthropic" });
    expect(json).toContain(JSON.stringify(path("t1")).slice(1, -1));
    expect(json.split("a long line of output").length - 1).toBe(400);
    const ledger = await sessionLedger(archive, SESSION);
    const items = ledger.items.filter(({ kind }) => kind === "result");
    expect(items.map(({ label, enteredAt, leftAt, leftBy }) => [label, enteredAt, leftAt, leftBy])).toEqual([
      ["Bash cat 1", 2, 3, "cleared"],
      ["Bash cat 2", 3, null, null],
      ["Cleared results", 3, null, null],
    ]);
    expect(ledger.calls.every(({ sum, reported }) => sum === reported)).toBe(true);
    expect(await showSession(archive, SESSION)).toMatchObject({ compactions: 0 });
  }));

test.each([
  ["rewinds", REWOUND],
  ["cleared results", CLEARED],
])("%s are the same however a file grew, and in an archive that did not know them", (_, records) =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    const fresh = (): Promise<unknown> =>
      withArchive(join(dir, "fresh"), async (archive) => {
        await importPaths(archive, [logs]);
        return dumpOf(archive, logs);
      });
    await withArchive(join(dir, "grown"), async (archive) => {
      const file = put(logs, `${SESSION}.jsonl`, "");
      for (const record of records) {
        appendFileSync(file, jsonl(record));
        await importPaths(archive, [logs]);
      }
      const whole = await fresh();
      expect(dumpOf(archive, logs)).toEqual(whole);
      archive.sqlite.exec(`
        DELETE FROM events WHERE type IN ('rewind', 'compaction');
        UPDATE sources SET format_version = 7, state = '{}';
      `);
      expect(outdatedSources(archive)).not.toEqual([]);
      await readAgain(archive);
      expect(dumpOf(archive, logs)).toEqual(whole);
    });
  }),
);
