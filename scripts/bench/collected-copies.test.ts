import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collectedCopies, copyOfLine } from "./collected-copies.ts";

const ID = "10fb4666-56f0-4352-90fc-715caf95b418";
const OUTPUT = `Read 42 files.\n${"x".repeat(300)}`;
const LINE = JSON.stringify({ id: ID, call_id: "call_0aZ9zzzzF", text: OUTPUT, said: "It is done.", at: 5 });

const idsOf = (n: number): string[] => {
  const { id, call_id: call } = JSON.parse(copyOfLine(LINE, n)) as Record<string, string>;
  return [id!, call!];
};

test("a hundred copies of a line have a hundred names, of the same form", () => {
  const names = Array.from({ length: 99 }, (_, i) => idsOf(i + 1));
  expect(new Set([ID, ...names.map(([id]) => id)]).size).toBe(100);
  for (const [id, call] of names) {
    expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(call).toMatch(/^call_[0-9][a-f][G-Z][0-9][g-z]{4}[A-F]$/);
  }
});

test("what a copy says is the same, and a long text is none that another copy has", () => {
  expect(JSON.parse(copyOfLine(LINE, 3))).toMatchObject({ text: `${OUTPUT}   `, said: "It is done.", at: 5 });
});

test("a copy is as many days later as it has a number", () => {
  const line = JSON.stringify({
    timestamp: "2025-11-30T23:33:50.805Z",
    message: { timestamp: 1763681630805, size: 5e10 },
  });
  expect(JSON.parse(copyOfLine(line, 2))).toEqual({
    timestamp: "2025-12-02T23:33:50.805Z",
    message: { timestamp: 1763854430805, size: 5e10 },
  });
});

test("a text that is JSON itself stays so, and a broken line as it is", () => {
  const inside = JSON.stringify({ output: OUTPUT });
  const copy = JSON.parse(copyOfLine(JSON.stringify({ inside }), 2)) as { inside: string };
  expect(JSON.parse(copy.inside)).toEqual({ output: `${OUTPUT}  ` });
  expect(copyOfLine('{"cut', 2)).toBe('{"cut');
});

test("a folder is copied until it has the size, its first copy as it is and the others under other names", () => {
  const work = mkdtempSync(join(tmpdir(), "copies-"));
  mkdirSync(join(work, "from", ID), { recursive: true });
  writeFileSync(join(work, "from", ID, "events.jsonl"), `${LINE}\n`);
  expect(collectedCopies(join(work, "from"), join(work, "to"), LINE.length * 2.5)).toBe(3);
  expect(readFileSync(join(work, "to", "0", ID, "events.jsonl"), "utf8")).toBe(`${LINE}\n`);
  const [second] = readdirSync(join(work, "to", "2"));
  expect(second).toBe(idsOf(2)[0]);
  expect(readFileSync(join(work, "to", "2", second!, "events.jsonl"), "utf8")).toBe(`${copyOfLine(LINE, 2)}\n`);
});
