// A record of a person that says nothing is no turn, in any format, whatever stands in the place of its words: null, an empty text, an
// empty list. What stands beside it is read all the same.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDocument, type Draft, type Format, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { jsonl, prompt, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { claudeTrace } from "#lib/formats/claude-trace.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { linesOf } from "#lib/formats/testing-damage.ts";
import { plimsoll } from "#lib/formats/plimsoll-format.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { promptedTurns } from "./prompted-turns.ts";
import { recordDrafts } from "./record-drafts.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
/** Not of a log of our own, which says where its turns begin; nor of lines of text or tables. */
const NAMES = readdirSync(FIXTURES).filter((name) => !/\.(txt|csv|md)$/.test(name) && !name.startsWith(plimsoll.id));
const EMPTY = [null, "", [], {}];

type Path = readonly (string | number)[];

/** Where a value has its parts, and theirs. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...path, key]))];
}

/** The value with another one at a path. */
function withAt(value: unknown, [key, ...rest]: Path, given: unknown): unknown {
  if (key === undefined) return given;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = withAt(copy[key], rest, given);
  return copy;
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((of, key) => (of as Record<string, unknown>)[key as string], value);

const isTurn = (draft: Draft): boolean => draft.kind === "event" && draft.startsTurn;
const saysNothing = (draft: Draft): boolean =>
  draft.kind === "event" &&
  draft.body.type === "user" &&
  draft.body.text.trim() === "" &&
  (draft.body.images ?? []).length === 0;

const recordOf = (value: unknown): SourceRecord => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 };
};

const draftsOf = (format: Format, record: SourceRecord, state: unknown): Draft[] =>
  [...recordDrafts(format, record, state, { isPart: false, read: undefined })].flat();

/** Each record alone, behind those before it. */
function* turnsOf(format: Format, file: SourceFile, records: readonly SourceRecord[]) {
  const state = format.start(file);
  for (const record of records) {
    const before = structuredClone(state);
    const drafts = draftsOf(format, record, state);
    const text = Buffer.from(record.bytes).toString().trimEnd();
    // Messages, a line each, are read as one record.
    if (drafts.some(isTurn) && !/\}\n\{/.test(text)) yield { value: JSON.parse(text) as unknown, before };
  }
}

describe.each(NAMES)("%s", (name) => {
  const bytes = readFileSync(join(FIXTURES, name));
  const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const records = isDocument(format, file) ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : linesOf(bytes);
  const prompts = [...turnsOf(format, file, records)];
  const read = (value: unknown, before: unknown): Draft[] => draftsOf(format, recordOf(value), structuredClone(before));

  test("a record without content begins no turn", () => {
    for (const { value, before } of prompts)
      for (const path of pathsOf(value).slice(1))
        for (const empty of EMPTY) {
          const drafts = read(withAt(value, path, empty), before);
          expect(drafts.filter(isTurn).filter(saysNothing), `${path.join(".")}: ${JSON.stringify(empty)}`).toEqual([]);
        }
  });

  test("a turn is not lost behind an empty text", () => {
    const isText = (part: unknown): part is { text: string } =>
      typeof part === "object" && part !== null && typeof (part as Record<string, unknown>)["text"] === "string";
    // A traced request repeats what was said before: what is written otherwise there is said anew.
    for (const { value, before } of format.id === claudeTrace.id ? [] : prompts)
      for (const path of pathsOf(value)) {
        const list = at(value, path);
        if (!Array.isArray(list) || !isText(list[0])) continue;
        const turns = read(value, before).filter(isTurn).length;
        const more = [{ ...list[0], text: "" }, ...(list as unknown[])];
        const drafts = read(withAt(value, path, more), before);
        expect(drafts.filter(isTurn), path.join(".")).toHaveLength(turns);
      }
  });
});

test("a record of a person with nothing in it stays in the log, and in no turn of its own", () =>
  inArchive(async (archive, logs) => {
    const empty = [null, {}, { content: null }, { content: "" }, { content: [] }].map((message, i) => ({
      ...prompt(`empty ${i}`, 20 + i, ""),
      message,
    }));
    const path = put(logs, `${SESSION}.jsonl`, jsonl(prompt("first", 10, "How many boats?"), ...empty));
    await importPaths(archive, [path]);
    expect(await showSession(archive, SESSION)).toMatchObject({ turns: 1, records: 6, events: { user: 6 } });
  }));

test("an image is a prompt where the text beside it is empty", () => {
  const [text, image] = [
    { type: "user", text: "" },
    { type: "user", text: "", injected: "file", images: [IMAGE] },
  ] as const;
  const drafts = [text, image].map((body, i): Draft => ({ ...EVENT, body, startsTurn: i === 0 }));
  expect(promptedTurns(drafts).map(isTurn)).toEqual([false, true]);
  // Of another record it is not the prompt.
  expect(promptedTurns(drafts.map((one, i) => ({ ...one, recordKey: `${i}` }) as Draft)).some(isTurn)).toBe(false);
});

const IMAGE = { mediaType: "image/png", attachment: 0, artifact: null, width: null, height: null };
const EVENT = { kind: "event", lane: "", ts: null, recordKey: "one", callKey: null } as const;
