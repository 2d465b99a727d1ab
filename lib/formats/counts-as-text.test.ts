// Counts and costs that a writer put down as text ("1200" and "0.0123", as JSON of 64-bit numbers and decimals is in some languages) are the
// same counts and costs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { asTime, isObject } from "./json.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

const isCounted = (key: string): boolean => /token|usage|metrics|stats|cached|thoughts/i.test(key);
const isCost = (key: string): boolean => /cost|usd/i.test(key);

/** Whole numbers below a key that names usage, and any number below one that names a cost. */
function asTexts(value: unknown, isUsage = false, isPaid = false): unknown {
  if (Array.isArray(value)) return value.map((one) => asTexts(one, isUsage, isPaid));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        asTexts(inner, isUsage || isCounted(key), isPaid || isCost(key)),
      ]),
    );
  return typeof value === "number" && (isPaid || (isUsage && Number.isInteger(value))) ? String(value) : value;
}

function figures(path: string, text: string): unknown[] {
  const bytes = Buffer.from(text);
  const file: SourceFile = { path, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const state = format.start(file);
  const isWhole = isDocument(format, file);
  const records = isWhole ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : linesOf(bytes);
  const usages = (draft: Draft): unknown[] =>
    draft.kind === "call" || draft.kind === "lost"
      ? [draft.usage]
      : draft.kind === "reported"
        ? [draft.usage, draft.usd]
        : [];
  return [format.id, ...records.flatMap((record) => format.parse(record, state)).flatMap(usages)];
}

/** Our own files are exact. */
const names = readdirSync(FIXTURES).filter((name) => /^(?!plimsoll-).*\.(?:jsonl?|traj)$/.test(name));

test.each(names)("%s", (name) => {
  const text = readFileSync(join(FIXTURES, name), "utf8");
  const values = (name.endsWith(".jsonl") ? text.split("\n").filter(Boolean) : [text]).map(
    (one) => JSON.parse(one) as unknown,
  );
  const [plain, texts] = [values, values.map((value) => asTexts(value))].map((all) =>
    all.map((one) => JSON.stringify(one)).join("\n"),
  );
  expect(figures(name, texts!)).toEqual(figures(name, plain!));
});

test("a time that stands as a text of digits is that time", () => {
  const ms = Date.UTC(2026, 2, 2, 9);
  expect([ms, ms / 1000, String(ms), String(ms / 1000), `${ms / 1000}.5`].map(asTime)).toEqual([
    ms,
    ms,
    ms,
    ms,
    ms + 500,
  ]);
  expect(["12", "2026", "17724420000000000", "2026-03-02T09:00:00Z"].map(asTime)).toEqual([
    Date.parse("12"),
    Date.parse("2026"),
    null,
    ms,
  ]);
});
