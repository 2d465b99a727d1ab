// The documents that the thread holds, and what is asked of them. A document is read whole into memory (50 MB in 25 ms)
// and indexed in slices, so that the first rows are told before the index is done; it is let go a minute after it was
// last asked for, or when others take its room.
import { readFileSync, statSync } from "node:fs";
import { fail } from "#lib/kernel/errors.ts";
import { IndexScan } from "#lib/kernel/json-index/index-scan.ts";
import { LEVELS } from "#lib/kernel/json-index/json-index.ts";
import { pathSteps, pathText } from "#lib/kernel/json-index/path-text.ts";
import { chainAlong, stepsOf } from "#lib/kernel/json-index/json-path.ts";
import { containersBelow, rowOf, rowsOf } from "#lib/kernel/json-index/tree-rows.ts";
import { lastHit, needleOf, nextHit, type Hit } from "#lib/kernel/json-index/search.ts";
import { lineOfChain, textLines } from "#lib/kernel/json-index/text-lines.ts";
import { chainTo, childAt, documentOf, valuesAround, type Document, type Value } from "#lib/kernel/json-index/walk.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JsonAnswer, JsonAsk, JsonFile, JsonLocation, JsonState } from "./json-index-types.ts";

/** Some 10 ms of reading; and first as much as a screen of rows needs, before the machine's code is warm. */
const SLICE_BYTES = 2_000_000;
const FIRST_BYTES = 200_000;
/** Searching goes on in turns, so that others are answered meanwhile. */
const HITS_OF_TURN = 500;
const MOST_HITS = 10_000;
const KEPT_MS = 60_000;

type Held = {
  readonly document: Document;
  readonly scan: IndexScan;
  readonly whole: Promise<void>;
  broken: JsonState["broken"];
  usedAt: number;
  /** What was counted last. */
  counted: { q: string; exact: boolean; at: number[]; isCapped: boolean } | null;
};

/** By what is read and as what: the same bytes may be stored as a document and as lines. */
const held = new Map<string, Held>();
const nameOf = ({ digest, isLines }: JsonFile): string => `${isLines ? "lines" : "json"} ${digest}`;
const pause = (): Promise<void> => new Promise((resume) => setImmediate(resume));

export async function answerJson(file: JsonFile, ask: JsonAsk, isWanted: () => boolean): Promise<JsonAnswer> {
  const one = open(file);
  one.usedAt = Date.now();
  const { document } = one;
  // The first rows do not wait for the rest.
  if (ask.what === "rows" && ask.at === undefined) return rowsAnswer(one, topOf(document), ask.from, ask.count);
  await one.whole;
  if (ask.what === "rows") return rowsAnswer(one, valueAt(document, ask.at!), ask.from, ask.count);
  if (ask.what === "text") return { lines: textLines(document, ask.from, ask.count), state: stateOf(one) };
  if (ask.what === "location") return locationAnswer(document, ask);
  if (ask.what === "below") {
    const most = { containers: LIMITS.jsonUnfolded, children: LIMITS.jsonUnfolded * 100 };
    return containersBelow(document, valueAt(document, ask.at), most);
  }
  if (ask.way === "count") return count(one, ask, isWanted);
  const needle = needleOf(ask.q, ask.exact);
  const hit =
    ask.way === "next"
      ? nextHit(document, needle, ask.from, document.bytes.length)
      : lastHit(document, needle, ask.from);
  return {
    hit: hit && { ...hit, location: locationOf(document, valuesAround(document, hit.at)), nth: nthOf(one, ask, hit) },
    ...totalOf(one, ask),
  };
}

function open(file: JsonFile): Held {
  const name = nameOf(file);
  const found = held.get(name);
  if (found) return found;
  const { size } = statSync(file.path);
  makeRoom(size);
  const { buffer, byteOffset, length } = readFileSync(file.path);
  const bytes = new Uint8Array(buffer, byteOffset, length);
  const scan = new IndexScan(bytes, { isLines: file.isLines, mostBytes: LIMITS.jsonIndexBytes });
  scan.run(FIRST_BYTES);
  const document = { bytes, index: scan.index, isLines: file.isLines };
  const one: Held = { document, scan, whole: readOn(scan), broken: null, usedAt: Date.now(), counted: null };
  // Whoever asks for it hears of a failure; who asks again tries again.
  one.whole.catch(() => held.delete(name));
  held.set(name, one);
  return one;
}

async function readOn(scan: IndexScan): Promise<void> {
  while (!scan.run(SLICE_BYTES)) await pause();
}

/** The least recently used go first; one document may take all the room. */
function makeRoom(size: number): void {
  const byAge = [...held].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
  let total = size + byAge.reduce((sum, [, { document }]) => sum + document.bytes.length, 0);
  for (const [name, { document }] of byAge) {
    if (total <= LIMITS.jsonKeptBytes) return;
    held.delete(name);
    total -= document.bytes.length;
  }
}

setInterval(() => {
  for (const [name, { usedAt }] of held) if (Date.now() - usedAt > KEPT_MS) held.delete(name);
}, KEPT_MS / 4).unref();

/** A document of one value is that value. */
function topOf(document: Document): Value {
  const root = documentOf(document);
  if (document.isLines || root.count > 1) return root;
  const only = childAt(document, root, 0);
  return only === null || root.count === 0 ? (only ?? root) : only;
}

function valueAt(document: Document, at: number): Value {
  if (at === -1) return documentOf(document);
  return chainTo(document, at)?.at(-1) ?? fail("not_found", `No value of this document begins at byte ${at}.`);
}

function rowsAnswer(one: Held, parent: Value, from: number, count: number): JsonAnswer {
  const { document } = one;
  return { node: rowOf(document, parent), rows: rowsOf(document, parent, from, count), state: stateOf(one) };
}

function stateOf(one: Held): JsonState {
  const { bytes, index, isLines } = one.document;
  if (index.brokenAt !== null) one.broken ??= positionInText(bytes, index.brokenAt);
  return {
    isWhole: index.isWhole,
    readBytes: index.readTo,
    sizeBytes: bytes.length,
    values: index.count[0]!,
    isStream: isLines || index.count[0]! > 1,
    lines: index.lines[0]!,
    broken: one.broken,
    counters: index.counters,
    isTallied: index.isTallied,
  };
}

function positionInText(bytes: Uint8Array, byte: number): NonNullable<JsonState["broken"]> {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(10); at >= 0 && at < byte; at = bytes.indexOf(10, at + 1)) {
    line++;
    start = at + 1;
  }
  let column = 1;
  for (let at = start; at < byte; at++) if ((bytes[at]! & 0xc0) !== 0x80) column++;
  return { byte, line, column };
}

/** A path longer than a program may be is none. */
const PATH_CHARS = 60_000;

function locationOf(document: Document, chain: readonly Value[]): JsonLocation {
  const keyBytes = chain.reduce((sum, { key }) => sum + (key === null ? 0 : key.end - key.at), 0);
  const isDeep = chain.length > LEVELS;
  const path = isDeep || keyBytes > PATH_CHARS ? null : pathText(stepsOf(document, chain));
  return { path, chain: chain.map((value) => rowOf(document, value)), line: lineOfChain(chain) };
}

function locationAnswer(document: Document, { path, at }: Extract<JsonAsk, { what: "location" }>): JsonAnswer {
  const byte = at ?? (path?.startsWith("@") ? Number(path.slice(1)) : null);
  if (byte !== null) {
    const chain = Number.isInteger(byte) ? chainTo(document, byte) : null;
    return { location: chain && locationOf(document, chain), isFound: chain !== null };
  }
  const steps = pathSteps(path ?? ".");
  if (steps === null) fail("invalid", `"${path}" is not a path such as .items[3]["a b"].`);
  const { chain, isWhole } = chainAlong(document, steps!);
  return { location: chain.length === 0 ? null : locationOf(document, chain), isFound: isWhole };
}

type Find = Extract<JsonAsk, { what: "find" }>;

async function count(one: Held, { q, exact }: Find, isWanted: () => boolean): Promise<JsonAnswer> {
  if (one.counted?.q !== q || one.counted.exact !== exact) {
    const needle = needleOf(q, exact);
    const { document } = one;
    const at: number[] = [];
    for (let from = 0; at.length <= MOST_HITS;) {
      const hit = nextHit(document, needle, from, document.bytes.length);
      if (hit === null) break;
      at.push(hit.at);
      from = hit.end;
      if (at.length % HITS_OF_TURN === 0) await pause();
      if (!isWanted()) fail("conflict", "This request is no longer needed.");
    }
    one.counted = { q, exact, at: at.slice(0, MOST_HITS), isCapped: at.length > MOST_HITS };
  }
  return { hit: null, ...totalOf(one, { q, exact }) };
}

function totalOf(
  { counted }: Held,
  { q, exact }: Pick<Find, "q" | "exact">,
): { total: number | null; isCapped: boolean } {
  if (counted?.q !== q || counted.exact !== exact) return { total: null, isCapped: false };
  return { total: counted.at.length, isCapped: counted.isCapped };
}

function nthOf({ counted }: Held, { q, exact }: Find, { at }: Hit): number | null {
  if (counted?.q !== q || counted.exact !== exact) return null;
  const nth = counted.at.indexOf(at) + 1;
  return nth === 0 ? null : nth;
}
