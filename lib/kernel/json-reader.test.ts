// The reader against JSON.parse: the same values, and the same first byte that cannot stand where it stands.
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonReader } from "./json-reader.ts";
import { type JsonSink, type PlacedToken, type Token, type ValueSink } from "./json-sink.ts";
import { textOf } from "./json-token.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Makes the values again of what it is told. */
class Values implements ValueSink {
  readonly roots: unknown[] = [];
  readonly events: string[] = [];
  readonly #open: { value: unknown[] | Record<string, unknown>; key: string }[] = [];

  begin(isArray: boolean): void {
    this.events.push(isArray ? "[" : "{");
    const value = isArray ? [] : {};
    this.#add(value);
    this.#open.push({ value, key: "" });
  }
  end(): void {
    this.events.push("end");
    this.#open.pop();
  }
  key(token: Token): void {
    const key = textOf(token).text;
    this.events.push(`key ${key} ${token.length}`);
    this.#open.at(-1)!.key = key;
  }
  string(token: Token): void {
    this.events.push(`string ${textOf(token).text} ${token.length}`);
    this.#add(textOf(token).text);
  }
  number(token: Token): void {
    this.events.push(`number ${textOf(token).text}`);
    this.#add(Number(textOf(token).text));
  }
  word(text: string): void {
    this.events.push(text);
    this.#add(JSON.parse(text));
  }
  #add(value: unknown): void {
    const around = this.#open.at(-1);
    if (around === undefined) this.roots.push(value);
    else if (Array.isArray(around.value)) around.value.push(value);
    else
      Object.defineProperty(around.value, around.key, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** Reads bytes in pieces that end at the cuts, in a buffer that is used again. */
function read(bytes: Uint8Array, cuts: readonly number[] = []) {
  const sink = new Values();
  const reader = new JsonReader(sink);
  const buffer = new Uint8Array(bytes.length);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  let from = 0;
  for (const to of [...ends, bytes.length]) {
    buffer.fill(0x21);
    buffer.set(bytes.subarray(from, to));
    reader.add(buffer, 0, to - from);
    from = to;
  }
  const isWhole = reader.end();
  const { roots, failedAt, lineEnds } = reader;
  return { sink, events: sink.events, isWhole, roots, failedAt, lineEnds };
}

/** JSON, laid out or not, with some characters taken out, put in or changed. */
const text = fc
  .tuple(
    fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\r\n\t"))
      .map(([value, space]) => JSON.stringify(value, null, space)),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'[]{}:,"\\0-.eE+1u\ntfn \u0001é')), {
      maxLength: 2,
    }),
  )
  .map(([json, edits]) =>
    edits.reduce((whole, [at, gone, put]) => {
      const position = at % (whole.length + 1);
      return whole.slice(0, position) + put + whole.slice(position + gone);
    }, json),
  );

test("pieces that end anywhere tell the same", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (json, cuts) => {
      const { sink: _, ...whole } = read(bytesOf(json));
      const { sink: __, ...pieces } = read(bytesOf(json), cuts);
      expect(pieces).toEqual(whole);
    }),
    { numRuns: 3000 },
  );
});

test("what JSON.parse takes has its value, and anything else fails where JSON.parse does", () => {
  let [good, bad] = [0, 0];
  fc.assert(
    fc.property(text, (json) => {
      const { sink, isWhole, roots, failedAt } = read(bytesOf(json));
      let value: unknown;
      let message = "";
      try {
        value = JSON.parse(json);
      } catch (error) {
        ({ message } = error as Error);
      }
      // Several values one after the other, or none, are a text for this reader.
      fc.pre(!isWhole || roots === 1 || message === "");
      expect(isWhole).toBe(message === "");
      if (message === "") {
        good++;
        expect(sink.roots).toEqual([value]);
        return;
      }
      const position = /at position (\d+)/.exec(message)?.[1];
      if (position === undefined || roots > 0) return;
      bad++;
      const named = bytesOf(json.slice(0, Number(position))).length;
      // V8 names the escape that is wrong by its last character or the one before, …
      expect(Math.abs(failedAt! - named), `${json}: ${message}`).toBeLessThanOrEqual(/escape/i.test(message) ? 4 : 0);
    }),
    { numRuns: 5000 },
  );
  expect(good).toBeGreaterThan(300);
  expect(bad).toBeGreaterThan(300);
});

test.each([
  ["1 2\n[3]", 3, null],
  ["", 0, null],
  ["\uFEFF[1]", 1, null],
  ["12-3", 0, 2],
  ["truefalse", 0, 4],
  ['1"a"', 0, 1],
  ["[01]", 0, 2],
  ["[1.]", 0, 3],
  ["[1", 0, 2],
  ["[}", 0, 1],
  ['{"a":1,}', 0, 7],
])("%j has %d values, and fails at %j", (json, roots, failedAt) => {
  for (const cuts of [[], Array.from(json, (_, at) => at)])
    expect(read(bytesOf(json), cuts)).toMatchObject({
      failedAt,
      isWhole: failedAt === null,
      ...(failedAt === null && { roots }),
    });
});

test("nesting of a million levels, and tokens longer than are kept", () => {
  const deep = read(bytesOf(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`));
  expect(deep).toMatchObject({ isWhole: true, roots: 1 });
  const long = "k".repeat(5000);
  for (const cuts of [[], [700, 1200, 4000]])
    expect(read(bytesOf(`{"${long}":"${long}"}`), cuts).events).toEqual([
      "{",
      `key ${long.slice(0, 1024)} 5000`,
      `string ${long.slice(0, 1024)} 5000`,
      "end",
    ]);
});

/** The texts that stand at the positions it is told. */
class Positions implements JsonSink {
  readonly texts: string[] = [];
  readonly #bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }
  begin(_: boolean, at: number): void {
    this.#note(at, at + 1);
  }
  end(to: number): void {
    this.#note(to - 1, to);
  }
  key({ at, length }: PlacedToken): void {
    this.#note(at - 1, at + length + 1);
  }
  string(token: PlacedToken): void {
    this.key(token);
  }
  number({ at, length }: PlacedToken): void {
    this.#note(at, at + length);
  }
  word(text: string, to: number): void {
    this.#note(to - text.length, to);
  }
  #note(from: number, to: number): void {
    this.texts.push(new TextDecoder().decode(this.#bytes.subarray(from, to)));
  }
}

test("places are those of the text, in pieces that end anywhere, and one value ends before what follows it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), fc.array(fc.nat(), { maxLength: 8 }), (value, indent, cuts) => {
      const json = JSON.stringify(value, null, indent);
      const bytes = bytesOf(`${json} {"next":[`);
      const sink = new Positions(bytes);
      const reader = new JsonReader(sink, true);
      const ends = cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b);
      for (const [i, to] of [...ends, bytes.length].entries()) reader.add(bytes, ends[i - 1] ?? 0, to);
      expect(reader.end()).toBe(true);
      expect(reader.rootEnd).toBe(bytesOf(json).length);
      // What is left out are commas and colons.
      expect(sink.texts.join("")).toBe(JSON.stringify(value).replaceAll(/("(?:[^"\\]|\\.)*")|[,:]/g, "$1"));
    }),
    { numRuns: 2000 },
  );
});

test.each(["12x", "[1x]", "-0a"])("a number that goes on as none is not told: %s", (json) => {
  expect(read(bytesOf(json)).events.filter((event) => event.startsWith("number"))).toEqual([]);
});
