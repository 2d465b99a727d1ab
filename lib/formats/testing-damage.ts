// Files of lines as crashes and two writers leave them, made of the records of a real one, with the truth beside them: which records are
// whole, and where each lies. A format has to say of every whole record what it says of it in a file without damage.
import fc from "fast-check";
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";

/** What is done to a file between two records, or to one record. */
const KINDS = [
  "whole",
  "whole",
  "whole",
  "cut tail",
  "cut into the next",
  "glued",
  "run of NUL",
  "empty line",
  "CRLF",
  "lone CR in a text",
  "U+2028",
  "broken UTF-8",
  "overlong UTF-8",
  "0xFF",
  "no object",
  "half a record twice",
] as const;

export type Damage = { readonly kind: (typeof KINDS)[number]; readonly at: number; readonly size: number };

export const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(1_000_000),
  size: fc.integer({ min: 1, max: 4096 }),
});

export type DamagedFile = { readonly bytes: Uint8Array; readonly whole: readonly SourceRecord[] };

const JOINED: ReadonlySet<string> = new Set(["cut into the next", "glued", "half a record twice", "run of NUL"]);
const isObject = (record: Uint8Array): boolean => record[0] === 0x7b;
const NOT_OBJECTS = ["null", "42", '"text"', "[]", "[1,2]", "true", "0.5"];
const BOM = [0xef, 0xbb, 0xbf];
const [LF, CR, COMMA] = [0x0a, 0x0d, 0x2c];

/** A file of `records`, in order, each with the damage of its turn. The first stays whole: by it a file is known. */
export function damagedFile(records: readonly Uint8Array[], damages: readonly Damage[], hasBom: boolean): DamagedFile {
  const pieces: Uint8Array[] = [];
  const whole: SourceRecord[] = [];
  let [at, line] = [0, 1];
  const add = (bytes: Uint8Array | readonly number[]): void => {
    pieces.push(bytes instanceof Uint8Array ? bytes : Uint8Array.from(bytes));
    at += bytes.length;
  };
  const addWhole = (bytes: Uint8Array): void => {
    whole.push({ bytes, byteStart: at, byteEnd: at + bytes.length, line });
    add(bytes);
  };
  /** Bytes that are no text are read as U+FFFD where the rest is JSON: the record is whole then. */
  const addHurt = (bytes: Uint8Array): void => (isJson(bytes) ? addWhole : add)(bytes);
  const newline = (): void => {
    add([LF]);
    line++;
  };
  if (hasBom) add(BOM);
  for (const [i, record] of records.entries()) {
    const given = i === 0 || damages.length === 0 ? WHOLE : damages[i % damages.length]!;
    const { at: where, size } = given;
    // Lists are told apart by their lines alone.
    const isJoined = isObject(record) && isObject(records[i + 1] ?? record);
    const kind = JOINED.has(given.kind) && !isJoined ? "whole" : given.kind;
    const cut = cutOf(record, where);
    switch (kind) {
      case "cut tail":
        add(cut);
        break;
      case "cut into the next":
        // The next one stands whole behind what was written of this one.
        add(cut);
        continue;
      case "glued":
        addWhole(record);
        continue;
      case "run of NUL":
        add(new Uint8Array(size));
        addWhole(record);
        break;
      case "empty line":
        newline();
        addWhole(record);
        break;
      case "CRLF":
        addWhole(record);
        add([CR]);
        break;
      case "no object":
        add(new TextEncoder().encode(NOT_OBJECTS[where % NOT_OBJECTS.length]));
        newline();
        addWhole(record);
        break;
      case "half a record twice":
        add(cut);
        add(cut);
        continue;
      case "lone CR in a text":
        addHurt(hurt(record, where, [CR]));
        break;
      case "U+2028":
        // Between two lines it is no end of a line; alone it is a line of noise.
        add(new TextEncoder().encode("\u2028"));
        newline();
        addWhole(record);
        break;
      case "broken UTF-8":
        addHurt(hurt(record, where, [0xe2, 0x82]));
        break;
      case "overlong UTF-8":
        addHurt(hurt(record, where, [0xc0, 0xaf]));
        break;
      case "0xFF":
        addHurt(hurt(record, where, [0xff]));
        break;
      case "whole":
        addWhole(record);
        break;
    }
    newline();
  }
  const bytes = new Uint8Array(at);
  let to = 0;
  for (const piece of pieces) {
    bytes.set(piece, to);
    to += piece.length;
  }
  return { bytes, whole };
}

/**
 * What was written of a record. Where it ends before a value, the next record would be that value: nobody can tell the two apart, so it
 * ends one sign earlier.
 */
function cutOf(record: Uint8Array, where: number): Uint8Array {
  let end = 1 + (where % (record.length - 1));
  while (end > 1 && BEFORE_VALUE.has(record[end - 1]!)) end--;
  return record.subarray(0, end);
}

const BEFORE_VALUE: ReadonlySet<number> = new Set([0x3a, 0x5b, 0x2c, 0x20]);

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const WHOLE: Damage = { kind: "whole", at: 0, size: 1 };

/** A record with these bytes in it: what it says is open, and what stands around it is not. */
function hurt(record: Uint8Array, where: number, bytes: readonly number[]): Uint8Array {
  // Behind the first key and its value: by them a record is found behind one that was cut.
  const from = Math.max(3, record.indexOf(COMMA) + 1);
  const at = from + (where % (record.length - from));
  return Uint8Array.from([...record.subarray(0, at), ...bytes, ...record.subarray(at)]);
}

/** The lines of a file, as a reader cuts them. */
export function linesOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = BOM.every((byte, i) => bytes[i] === byte) ? BOM.length : 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(LF, start);
    const end = newline < 0 ? bytes.length : newline;
    const record = { bytes: bytes.subarray(start, end), byteStart: start, byteEnd: end, line };
    if (record.bytes.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== CR)) records.push(record);
    start = end + 1;
  }
  return records;
}

/** What a format says of a file, as texts that are equal where it says the same. */
export function said(format: Format, file: SourceFile, records: readonly SourceRecord[]): string[] {
  const state = format.start(file);
  return records.flatMap((record) => format.parse(record, state)).flatMap(sentence);
}

function sentence(draft: Draft): string[] {
  switch (draft.kind) {
    case "problem":
    case "session":
      return [];
    case "event": {
      const { byteStart: _from, byteEnd: _to, ...rest } = draft;
      if (draft.body.type === "unknown") return [];
      // What a compaction kept is told by what the file had said before, and a cut record may have said more.
      const body = draft.body.type === "compaction" ? { ...draft.body, preserved: undefined } : draft.body;
      return [numberless(JSON.stringify({ ...rest, body }))];
    }
  }
  return [numberless(JSON.stringify(draft))];
}

/** The first versions of pi number what stands in a file, also what is no record. */
const numberless = (text: string): string => text.replace(/\/#\d+/g, "/#");

/** The first thing that is said of the whole records alone and not, in its order, of the damaged file; null where all is. */
export function firstLost(format: Format, file: SourceFile, { bytes, whole }: DamagedFile): string | null {
  const found = said(format, file, linesOf(bytes));
  let at = 0;
  for (const one of said(format, file, whole)) {
    const next = found.indexOf(one, at);
    if (next < 0) return one;
    at = next + 1;
  }
  return null;
}
