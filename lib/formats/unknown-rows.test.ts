// Files in which each line is a conversation: a line that is none, as a health check or a note of another program, is no session, but a problem.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft, SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { linesOf } from "./testing-damage.ts";

const NAMES = [
  "atif-synthetic-rows.jsonl",
  "messages-synthetic-dataset.jsonl",
  "messages-synthetic-litellm.jsonl",
  "messages-synthetic-log.jsonl",
  "openhands-synthetic-output.jsonl",
];
const UNKNOWN = '{"check":"health","result":{"ok":[1]}}';

function read(name: string, lines: readonly string[]): Draft[] {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const state = format.start(file);
  return linesOf(bytes).flatMap((record) => format.parse(record, state));
}

const lanesOf = (drafts: readonly Draft[]): Set<string> =>
  new Set(drafts.flatMap((draft) => ("lane" in draft ? draft.lane : [])));
const typesOf = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => (draft.kind === "event" ? draft.body.type : []));

test.each(NAMES)("%s", (name) => {
  const lines = readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
    .split("\n")
    .filter(Boolean);
  const plain = read(name, lines);
  const mixed = read(
    name,
    lines.flatMap((line) => [line, UNKNOWN]),
  );
  expect(lanesOf(mixed).size).toBe(lanesOf(plain).size);
  expect(typesOf(mixed)).toEqual(typesOf(plain));
  const problems = mixed.flatMap((draft) => (draft.kind === "problem" ? draft.reason : []));
  expect(problems).toEqual(
    lines.map(() => expect.stringMatching(/^A record without (?:messages|steps|events)\.$/) as unknown),
  );
});

test("a damaged line without messages is a problem from its first byte", () => {
  const name = "messages-synthetic-dataset.jsonl";
  const lines = readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
    .split("\n")
    .filter(Boolean);
  const damaged = '[],"messages":[]}';
  const problems = read(name, [lines[0]!, damaged]).flatMap((draft) =>
    draft.kind === "problem" ? [[draft.byteStart, draft.byteEnd]] : [],
  );
  const from = Buffer.byteLength(lines[0]!) + 1;
  expect(problems).toEqual([[from, from + damaged.length]]);
});
