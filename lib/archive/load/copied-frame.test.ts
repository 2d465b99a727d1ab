// What stands before copied calls: a fork's file begins with its parent's records, and only the parent's has the shapes that
// they were sent under. All records are synthetic.
import fc from "fast-check";
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
import { shaped } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { ledgerAnswer, type LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { contextOf } from "../memory/context.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { sessionLedger } from "./session-ledger.ts";

const words = (count: number, name: string): string => Array.from({ length: count }, (_, i) => `${name}${i}`).join(" ");

const PILOT = words(90, "pilot");
const RULES = words(50, "rule");
const LAW = words(70, "law");

const turn = (n: number, tokens: number): Rec[] => [
  prompt(`p${n}`, n * 10, words(30, `ask${n}`)),
  answer(`a${n}`, n * 10 + 1, `m${n}`, text(words(30, `say${n}`)), { usage: used(tokens, 0, 0, 90) }),
];
const asFork = (record: Rec): Rec => ({ ...record, sessionId: OTHER_SESSION });

const PARENT: Rec[] = [turn(1, 500)[0]!, shaped("one", [PILOT, RULES], ["Bash"]), turn(1, 500)[1]!, ...turn(2, 600)];
/** Its own shape has another second block. */
const fork = (own: Rec): Rec[] => [
  ...PARENT.filter(({ type }) => type !== "api-request-shape").map(asFork),
  asFork(prompt("p9", 90, words(30, "ask9"))),
  asFork(own),
  asFork(answer("a9", 91, "m9", text("Done."), { usage: used(700, 0, 0, 9) })),
];
const SAME = shaped("one", [PILOT, RULES], ["Bash"]);
const OTHER = shaped("two", [PILOT, LAW], ["Bash"]);

const read = async (archive: Archive, name: string): Promise<LedgerAnswer> => {
  const ledger = ledgerAnswer.parse(await sessionLedger(archive, `claude-code:${name}`, { counted: true }));
  for (const call of ledger.calls) {
    expect(call.sum).toBe(call.reported);
    const there = ledger.items.filter(
      ({ enteredAt, leftAt }) => enteredAt <= call.call && (leftAt === null || leftAt > call.call),
    );
    expect(there.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(call.sum);
  }
  return ledger;
};

const ledgers = (own: readonly Rec[], check: (fork: LedgerAnswer, archive: Archive, parent: LedgerAnswer) => unknown) =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...PARENT))]);
    await importPaths(archive, [put(logs, `${OTHER_SESSION}.jsonl`, jsonl(...own))]);
    await check(await read(archive, OTHER_SESSION), archive, await read(archive, SESSION));
  });

const framed = ({ items }: LedgerAnswer) => items.filter(({ label }) => /^(system_prompt|tool_schema) /.test(label));
const hidden = ({ items }: LedgerAnswer) =>
  items.filter(
    ({ kind, seq, label }) => kind === "prefix" && seq === null && !/^(system_prompt|tool_schema) /.test(label),
  );

test("copied calls are sent what the parent's file says, named by the fork's own events", () =>
  ledgers(fork(SAME), async (ledger, archive, parent) => {
    expect(hidden(ledger)).toEqual([]);
    expect(framed(ledger).map(({ enteredAt, leftAt, seq }) => [enteredAt, leftAt, seq !== null])).toEqual([
      [1, null, true],
      [1, null, true],
      [1, null, true],
    ]);
    // The first prompt is one and the same call: it weighs the same in both.
    expect(framed(ledger).map(({ tokens }) => tokens)).toEqual(framed(parent).map(({ tokens }) => tokens));
    expect(ledger.base.parts.map(({ part }) => part)).not.toContain("unsplit");
    const { calls } = ledger;
    const context = await contextOf(archive, OTHER_SESSION, contextQuery.parse({ at: calls[1]!.seq }), {
      counted: true,
    });
    expect(context.prefix! + context.tokens + calls[1]!.unattributed).toBe(calls[1]!.reported);
  }));

test("a part that only the parent's shape has is named, leaves where the fork's own shape begins, and is no event", () =>
  ledgers(fork(OTHER), (ledger) => {
    expect(
      framed(ledger).map(({ label, enteredAt, leftAt, seq }) => [label.slice(0, 20), enteredAt, leftAt, seq === null]),
    ).toMatchInlineSnapshot(`
        [
          [
            "system_prompt rule0 ",
            1,
            3,
            true,
          ],
          [
            "system_prompt pilot0",
            1,
            null,
            false,
          ],
          [
            "tool_schema Bash {"n",
            1,
            null,
            false,
          ],
          [
            "system_prompt law0 l",
            3,
            null,
            false,
          ],
        ]
      `);
    expect(ledger.base.parts.map(({ part }) => part)).not.toContain("unsplit");
  }));

test("nobody went on with the fork: its calls have the parent's parts to the end", () =>
  ledgers(fork(SAME).slice(0, 4), (ledger) => {
    expect(framed(ledger).map(({ enteredAt, leftAt, seq }) => [enteredAt, leftAt, seq])).toEqual(
      Array.from({ length: 3 }, () => [1, null, null]),
    );
    expect(hidden(ledger)).toEqual([]);
  }));

test("without the parent nothing is known of the copied calls: the fork's own parts begin with its own call", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `${OTHER_SESSION}.jsonl`, jsonl(...fork(SAME)))]);
    const alone = await read(archive, OTHER_SESSION);
    expect(hidden(alone).map(({ enteredAt, leftAt }) => [enteredAt, leftAt])).toEqual([[1, 3]]);
    expect(framed(alone).every(({ enteredAt }) => enteredAt === 3)).toBe(true);
    // The parent comes later: the fork is looked at anew.
    await importPaths(archive, [put(logs, `${SESSION}.jsonl`, jsonl(...PARENT))]);
    expect(framed(await read(archive, OTHER_SESSION)).every(({ enteredAt }) => enteredAt === 1)).toBe(true);
  }));

test("a compaction among the copied records takes nothing of the frame", () => {
  const cut = line("system", "c", 15, { subtype: "compact_boundary", compactMetadata: { trigger: "manual" } });
  const withCut = fork(SAME).flatMap((record) => (record["uuid"] === idOf("p2") ? [asFork(cut), record] : [record]));
  return ledgers(withCut, (ledger) => {
    expect(framed(ledger).map(({ enteredAt, leftAt }) => [enteredAt, leftAt])).toEqual(
      Array.from({ length: 3 }, () => [1, null]),
    );
  });
});

test("whatever of the parent is copied, items sum to what was reported, and no call loses its names", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 1, maxLength: 4 }),
      fc.subarray([0, 1, 2], { minLength: 1 }),
      fc.boolean(),
      (indexes, last, goesOn) =>
        inArchive(async (archive, logs) => {
          const [own, ...shapes] = [last, ...indexes].map((some) => some.map((i) => [PILOT, RULES, LAW][i]!));
          const records = shapes.flatMap((system, i) => {
            const [ask, say] = turn(i + 1, 500 + 100 * i);
            return [ask!, shaped(`s${i}`, system, []), say!];
          });
          const copies = records.filter(({ type }) => type !== "api-request-shape").map(asFork);
          const after = goesOn ? fork(shaped("own", own!, [])).slice(-3) : [];
          await importPaths(archive, [
            put(logs, `${SESSION}.jsonl`, jsonl(...records)),
            put(logs, `${OTHER_SESSION}.jsonl`, jsonl(...copies, ...after)),
          ]);
          const ledger = await read(archive, OTHER_SESSION);
          expect(ledger.base.parts.filter(({ part }) => part === "unsplit")).toEqual([]);
          for (const [i, system] of [...shapes, ...(goesOn ? [own!] : [])].entries()) {
            const there = framed(ledger).filter(
              ({ enteredAt, leftAt }) => enteredAt <= i + 1 && (leftAt === null || leftAt > i + 1),
            );
            expect(there).toHaveLength(system.length);
          }
        }),
    ),
    { numRuns: 25 },
  ));
