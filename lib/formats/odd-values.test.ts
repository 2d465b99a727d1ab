// Values of another type than a format's records have: no session fails for one. Each key of each fixture has each of them once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft, type Format, type SourceFile } from "#lib/kernel/draft.ts";
import { eventBody } from "#lib/kernel/event.ts";
import { FORMATS } from "./index.ts";
import { isObject } from "./json.ts";
import { linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const ODD: readonly unknown[] = [null, "", [], {}, 1.5, 1e300, "constructor", "__proto__"];
/** The last moment of a Date. */
const LAST_MS = 8.64e15;

type Path = readonly (string | number)[];

test.each(readdirSync(FIXTURES).filter((name) => /\.(?:jsonl?|traj)$/.test(name)))("%s", (name) => {
  const bytes = readFileSync(join(FIXTURES, name));
  const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  const format = FORMATS.find((one) => one.detect(file))!;
  const isWhole = isDocument(format, file);
  const text = bytes.toString();
  const values = (name.endsWith(".jsonl") ? text.split("\n").filter(Boolean) : [text]).map(
    (one) => JSON.parse(one) as unknown,
  );
  const tried = new Set<string>();
  for (const [at, value] of values.entries())
    for (const path of pathsOf(value)) {
      const shape = `${typeOf(value)} ${path.map((key) => (typeof key === "number" ? "[]" : key)).join(".")}`;
      if (tried.has(shape)) continue;
      tried.add(shape);
      for (const odd of ODD) {
        const lines = values.with(at, replaced(value, path, odd)).map((one) => JSON.stringify(one));
        const wrong = wrongDrafts(format, file, Buffer.from(lines.join("\n")), isWhole);
        expect(wrong, `${shape} is ${JSON.stringify(odd)}`).toEqual([]);
      }
    }
});

test("what each object of a program has is the name of no record", () => {
  for (const name of ["constructor", "__proto__", "toString"])
    for (const key of ["type", "role", "kind", "say", "id"]) {
      const record = { id: "a", timestamp: "2026-01-01T00:00:00Z", ...{ [key]: name } };
      for (const value of [record, { ...record, message: record }, { ...record, content: [record] }]) {
        const head = Buffer.from(`${JSON.stringify(value)}\n`.repeat(3));
        const known = FORMATS.filter((format) => format.detect({ path: "a.jsonl", head, sidecars: new Map() }));
        expect(
          known.map(({ id }) => id).filter((id) => id !== "messages"),
          JSON.stringify(value),
        ).toEqual([]);
      }
    }
});

const typeOf = (value: unknown): string => {
  if (!isObject(value)) return "";
  const inner = [value["payload"], value["row"], value["message"]].find(isObject);
  return [value["type"], value["table"], inner?.["type"], inner?.["role"]].filter(Boolean).join("/");
};

function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const own = [...path, Array.isArray(value) ? Number(key) : key];
    yield own;
    yield* pathsOf(inner, own);
  }
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Record<string, unknown>) };
  const holder = copy as Record<string | number, unknown>;
  holder[key] = replaced(holder[key], rest, by);
  return copy;
}

/** What the archive could not store: it has whole numbers of milliseconds, and events of the log's types. */
function wrongDrafts(format: Format, file: SourceFile, bytes: Uint8Array, isWhole: boolean): unknown[] {
  const state = format.start({ ...file, head: bytes.subarray(0, 65_536) });
  const records = isWhole ? [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }] : linesOf(bytes);
  return records.flatMap((record) => format.parse(record, state)).filter((draft) => !isSound(draft));
}

const isMoment = (ts: number | null | undefined): boolean =>
  ts === null || ts === undefined || (Number.isInteger(ts) && Math.abs(ts) <= LAST_MS);

function isSound(draft: Draft): boolean {
  switch (draft.kind) {
    case "event":
      return isMoment(draft.ts) && eventBody.safeParse(draft.body).success;
    case "call":
      return (
        isMoment(draft.ts) && Object.values(draft.usage ?? {}).every((count) => Number.isInteger(count) && count >= 0)
      );
    case "session":
      return isMoment(draft.patch.startedAt);
  }
  return true;
}
