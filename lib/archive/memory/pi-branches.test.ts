// A pi session is a tree: what every view says of a branch that was left, and of one that was gone back to. The entries are
// synthetic, in the shapes that pi 0.73.1 writes.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, entry, header, message, result, said, SESSION, user } from "#lib/formats/pi/testing-pi.ts";
import { jsonl } from "#lib/formats/claude-code/testing-claude.ts";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { listEvents } from "../sessions/list-events.ts";
import { outline } from "../sessions/outline.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { contextOf } from "./context.ts";

const usage = (input: number) => ({
  usage: { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10, cost: { total: 0.01 } },
});

/** Two ways from one answer; the first is gone back to in the end, to before its last answer. */
const TREE = [
  header(),
  message(1, user("Begin here.")),
  message(2, answer([said("Begun.")], usage(100))),
  message(3, user("One way.")),
  message(4, answer([asks("t1", "bash", { command: "ls" })], usage(140))),
  message(5, result("t1", "a list of the reef")),
  message(6, answer([said("That was one.")], usage(180))),
  message(7, user("Another way."), 2),
  message(8, answer([said("That was another.")], usage(140))),
  message(9, user("One way again."), 5),
  message(10, answer([said("Here again.")], usage(200))),
];

/** The context that an answer was given to. */
const contextFor = async (archive: Archive, text: string): Promise<string[]> => {
  const { events } = await listEvents(archive, SESSION, { from: 1, limit: 100 });
  const at = events.find((event) => event.text === text)!.seq;
  const { messages } = await contextOf(archive, SESSION, { as: "anthropic", at });
  return messages.map(({ label }) => label);
};

const imported = (records: readonly object[], run: (archive: Archive) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    put(logs, "a.jsonl", jsonl(...records));
    await importPaths(archive, [logs]);
    await run(archive);
  });

test("the context is the way from an entry to the root, also where a branch is gone back to", () =>
  imported(TREE, async (archive) => {
    expect(await contextFor(archive, "That was one.")).toEqual([
      "Begin here.",
      "Begun.",
      "One way.",
      "bash ls",
      "bash ls",
    ]);
    expect(await contextFor(archive, "That was another.")).toEqual(["Begin here.", "Begun.", "Another way."]);
    expect(await contextFor(archive, "Here again.")).toEqual([
      "Begin here.",
      "Begun.",
      "One way.",
      "bash ls",
      "bash ls",
      "One way again.",
    ]);
  }));

test("every call is paid; an item is in the calls of its branch, again when that is gone back to", () =>
  imported(TREE, async (archive) => {
    const session = await showSession(archive, SESSION);
    expect(session).toMatchObject({ modelCalls: { own: 5 }, compactions: 0 });
    expect(session.usage.inputUncached).toBe(100 + 140 + 180 + 140 + 200);
    expect(session.cost.reported?.usd).toBeCloseTo(0.05, 8);
    const ledger = await sessionLedger(archive, SESSION);
    expect(ledger.calls.map(({ sum }) => sum)).toEqual([100, 140, 180, 140, 200]);
    expect(ledger.calls.map(({ reported }) => reported)).toEqual([100, 140, 180, 140, 200]);
    const stays = (label: string) =>
      ledger.items.filter((item) => item.label === label).map(({ enteredAt, leftAt }) => [enteredAt, leftAt]);
    expect(stays("One way.")).toEqual([
      [2, 4],
      [5, null],
    ]);
    expect(stays("That was one.")).toEqual([]);
    expect(stays("Another way.")).toEqual([[4, 5]]);
  }));

test("the transcript greys what is on no way to the end, and nothing else", () =>
  imported(TREE, async (archive) => {
    const { flags, labels, seq, rewinds } = await outline(archive, SESSION);
    const gone = labels.filter((_, i) => (flags[i]! & ROW_FLAG.gone) !== 0);
    expect(gone).toEqual(expect.arrayContaining(["That was one.", "Another way.", "That was another."]));
    for (const label of ["One way.", "One way again.", "Begun.", "Here again."]) expect(gone).not.toContain(label);
    expect(rewinds).toHaveLength(2);
    expect(rewinds.every((one) => seq.includes(one.seq))).toBe(true);
  }));

test("an entry whose parent is in no line follows the line above it", () =>
  imported(
    [...TREE.slice(0, 3), message(3, user("Go on."), 77), message(4, answer([said("On.")]))],
    async (archive) => {
      expect(await contextFor(archive, "On.")).toEqual(["Begin here.", "Begun.", "Go on."]);
    },
  ));

test("a compaction keeps the tail of its own branch", () =>
  imported(
    [
      ...TREE.slice(0, 9),
      entry(9, "compaction", { summary: "We began.", firstKeptEntryId: "e2", tokensBefore: 150 }),
      message(10, user("After it.")),
      message(11, answer([said("Yes.")], usage(90))),
    ],
    async (archive) => {
      const labels = await contextFor(archive, "Yes.");
      expect(labels[0]).toMatch(/^The conversation history/);
      expect(labels.slice(1)).toEqual(["Begun.", "Another way.", "That was another.", "After it."]);
    },
  ));

test("a session is the same however its file grew", () =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    await withArchive(join(dir, "grown"), async (archive) => {
      const file = put(logs, "a.jsonl", "");
      for (const record of TREE) {
        appendFileSync(file, jsonl(record));
        await importPaths(archive, [logs]);
      }
      const whole = await withArchive(join(dir, "fresh"), async (fresh) => {
        await importPaths(fresh, [logs]);
        return dumpOf(fresh, logs);
      });
      expect(dumpOf(archive, logs)).toEqual(whole);
    });
  }));
