// The keys of an object have no order: a file whose writer orders them otherwise says the same.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft, type Format, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { isObject } from "./json.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** A line of a database's rows is ours, with the columns as they were asked for. */
const asWritten = (value: unknown): unknown =>
  isObject(value) && "table" in value && isObject(value["row"])
    ? { table: value["table"], row: Object.fromEntries(Object.entries(value["row"]).map(([k, v]) => [k, reversed(v)])) }
    : reversed(value);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
};

/** Where it is, names by it, and texts that are the record's own JSON say how the file has it. */
function bare(draft: Draft): unknown {
  const text = JSON.stringify(sorted(draft), (key, value: unknown) => {
    if (key === "byteStart" || key === "byteEnd" || key === "preserved") return undefined;
    return typeof value === "string" && /[[{]/.test(value) && /"/.test(value) ? "JSON" : value;
  });
  return text
    .replace(/[0-9a-z]{5,7}\.[0-9a-z]{5,7}\.[0-9a-z]+/g, "print")
    .replace(/[@n]:?\d+/g, "@")
    .replace(/line-\d+-\d+/g, "line");
}

function read(format: Format, path: string, text: string): unknown[] {
  const bytes = Buffer.from(text);
  const file: SourceFile = { path, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const state = format.start(file);
  const isWhole = isDocument(format, file);
  const records = isWhole ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : linesOf(bytes);
  return records.flatMap((record) => format.parse(record, state)).map(bare);
}

test.each(readdirSync(FIXTURES).filter((name) => /\.(?:jsonl?|traj)$/.test(name)))("%s", (name) => {
  const text = readFileSync(join(FIXTURES, name), "utf8");
  const values = (name.endsWith(".jsonl") ? text.split("\n").filter(Boolean) : [text]).map(
    (one) => JSON.parse(one) as unknown,
  );
  const [plain, other] = [values, values.map(asWritten)].map((all) => all.map((one) => JSON.stringify(one)).join("\n"));
  const file: SourceFile = { path: name, head: Buffer.from(other!).subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => name.startsWith(`${one.id}-synthetic-`))!;
  expect(FORMATS.filter((one) => one.detect(file)).map(({ id }) => id)).toEqual([format.id]);
  expect(read(format, name, other!)).toEqual(read(format, name, plain!));
});
