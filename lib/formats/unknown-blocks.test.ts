// A block of a kind that is not known, in what a person wrote: it stays in the log, and is neither the title nor a part of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDocument, type Draft, type Format, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { isObject, type Json } from "./json.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const MARK = "a-mark-of-later-releases";
const BLOCK = { type: "hologram", hologram: { mark: MARK } };

const isPerson = (value: Json): boolean =>
  [value["role"], value["type"], value["source"]].some((one) => /^(?:user|human|USER_EXPLICIT)$/.test(String(one)));
const isBlock = (value: unknown): boolean => isObject(value) && ("type" in value || "text" in value);

/** The value with the block in each list of blocks of a person's message: before what is there, behind it, or alone. */
function withBlock(value: unknown, where: Where, ofPerson = false): unknown {
  if (Array.isArray(value)) {
    if (
      ofPerson &&
      value.length > 0 &&
      value.every(isBlock) &&
      !value.some((one) => isObject(one) && "tool_use_id" in one)
    )
      return where === "before" ? [BLOCK, ...value] : where === "behind" ? [...value, BLOCK] : [BLOCK];
    return value.map((one) => withBlock(one, where));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      withBlock(inner, where, /^(?:content|parts|blocks)$/.test(key) && (isPerson(value) || ofPerson)),
    ]),
  );
}

type Where = "before" | "behind" | "alone";

function read(format: Format, file: SourceFile, text: string): Draft[] {
  const bytes = Buffer.from(text);
  const state = format.start({ ...file, head: bytes.subarray(0, 65_536) });
  const records = isDocument(format, file) ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : linesOf(bytes);
  return records.flatMap((record) => format.parse(record, state));
}

const titlesOf = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));

const changed = readdirSync(FIXTURES).flatMap((name) => {
  if (!/\.(?:jsonl?|traj)$/.test(name)) return [];
  const bytes = readFileSync(join(FIXTURES, name));
  const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const texts = name.endsWith(".jsonl") ? bytes.toString().split("\n").filter(Boolean) : [bytes.toString()];
  const withMark = (where: Where): string =>
    texts.map((text) => JSON.stringify(withBlock(JSON.parse(text), where))).join("\n");
  return withMark("before").includes(MARK) ? [{ name, format, file, plain: texts.join("\n"), withMark }] : [];
});

test("fixtures have blocks", () => expect(changed.length).toBeGreaterThan(15));

describe.each(changed)("$name", ({ format, file, plain, withMark }) => {
  test.each(["before", "behind"] as const)("%s the words", (where) => {
    const drafts = read(format, file, withMark(where));
    expect(titlesOf(drafts)).toEqual(titlesOf(read(format, file, plain)));
    expect(JSON.stringify(drafts.filter(({ kind }) => kind === "event"))).toContain(MARK);
  });

  test("without words", () => {
    const drafts = read(format, file, withMark("alone"));
    expect(titlesOf(drafts).filter((title) => title.includes(MARK))).toEqual([]);
    expect(JSON.stringify(drafts.filter(({ kind }) => kind === "event"))).toContain(MARK);
  });
});

test("in Codex, where the client's notices are blocks too, such a block alone begins no turn", () => {
  const line = (type: string, payload: object): string =>
    JSON.stringify({ timestamp: "2026-05-01T08:00:00.000Z", type, payload });
  const text = [
    line("session_meta", { id: "0196f000-0000-7000-8000-00000000000a", cwd: "/reef", cli_version: "0.99.0" }),
    line("response_item", { type: "message", role: "user", content: [BLOCK] }),
    line("response_item", { type: "message", role: "user", content: [BLOCK, { type: "input_text", text: "Count" }] }),
  ].join("\n");
  const file: SourceFile = { path: "rollout.jsonl", head: Buffer.from(text), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const events = read(format, file, text).flatMap((draft) => (draft.kind === "event" ? [draft] : []));
  expect(events.map(({ body, startsTurn }) => [body.type, startsTurn])).toEqual([
    ["meta", false],
    ["unknown", false],
    ["unknown", false],
    ["user", true],
  ]);
});
