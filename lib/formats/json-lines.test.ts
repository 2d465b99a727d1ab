import fc from "fast-check";
import { expect, test } from "vitest";
import { readValues } from "./json-lines.ts";

const line = (text: string | Uint8Array, byteStart = 0) => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return readValues({ bytes, byteStart, byteEnd: byteStart + bytes.length, line: 1 });
};
const values = (text: string) => line(text).values.map((v) => v.value);

test("a line of JSON is one value over the whole range", () => {
  expect(line('{"a":1}', 10)).toEqual({ values: [{ value: { a: 1 }, byteStart: 10, byteEnd: 17 }], problems: [] });
});

test("objects glued without a newline are read one by one, each with its own bytes", () => {
  const text = '{"type":"user","t":"{}"}{"type":"x","b":"\\"}{"}{"c":3}';
  expect(values(text)).toEqual([{ type: "user", t: "{}" }, { type: "x", b: '"}{' }, { c: 3 }]);
  for (const { byteStart, byteEnd, value } of line(text).values)
    expect(JSON.parse(text.slice(byteStart, byteEnd))).toEqual(value);
  expect(line(text).problems.map((problem) => problem.reason)).toEqual([
    "3 records on one line, without a newline between them. All were read.",
  ]);
});

test("the record after a truncated splice is recovered, and the piece before it is named", () => {
  const found = line('{"type":"user","text":"tr{"type":"assistant","n":1}');
  expect(found.values.map((v) => v.value)).toEqual([{ type: "assistant", n: 1 }]);
  expect(found.problems).toEqual([{ byteStart: 0, byteEnd: 25, reason: "An unfinished JSON object." }]);
});

test("runs of NUL are passed over and listed", () => {
  const found = line('\0\0\0{"type":"user","n":1}');
  expect(found.values.map((v) => v.value)).toEqual([{ type: "user", n: 1 }]);
  expect(found.problems).toEqual([{ byteStart: 0, byteEnd: 3, reason: "A run of NUL bytes." }]);
});

test("behind a cut or a run of NUL a record is read also by who does not know it", () => {
  const read = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return readValues({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, () => false).values.map((v) => v.value);
  };
  expect(read('\0\0{"type":"new"}')).toEqual([{ type: "new" }]);
  for (const cut of [
    "{",
    '{"ty',
    '{"type":"us',
    '{"type":"user"',
    '{"n":12',
    '{"n":"\\',
    '{"n":"\\u00',
    '{"n":tru',
    '{"n":1{"',
    '{"n":1{',
  ])
    expect(read(`${cut}{"type":"new"}`), cut).toEqual([{ type: "new" }]);
  expect(read('{"a":\0{"b":1},"c":2}')).toEqual([]);
});

test("a cut record of many parts does not hide the record behind it", () => {
  const parts = Array.from({ length: 500 }, (_, i) => `{"name":"${i}","schema":{"type":"object"}}`);
  const bytes = new TextEncoder().encode(`{"type":"init","tools":[${parts.join(",")},"tr{"type":"user","n":1}`);
  const found = readValues({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, () => false);
  expect(found.values.map((v) => v.value)).toEqual([{ type: "user", n: 1 }]);
});

test("a piece of a broken record is not taken for a record", () => {
  expect(line('{"type":"user","message":{"role":"user"}').values).toEqual([]);
});

test("invalid UTF-8 is read with replacement characters and said", () => {
  const bytes = Uint8Array.from([...new TextEncoder().encode('{"a":"'), 0xff, ...new TextEncoder().encode('"}')]);
  const found = line(bytes);
  expect(found.values.map((v) => v.value)).toEqual([{ a: "\uFFFD" }]);
  expect(found.problems[0]?.reason).toMatch(/not valid UTF-8/);
});

test("a text that holds U+FFFD is no problem", () => {
  expect(line('{"a":"\uFFFD"}').problems).toEqual([]);
});

const recordValue = fc.record({ type: fc.string(), uuid: fc.uuid(), body: fc.jsonValue() });

test("any records glued together are all read", () => {
  fc.assert(
    fc.property(fc.array(recordValue, { minLength: 1, maxLength: 5 }), (records) => {
      expect(values(records.map((r) => JSON.stringify(r)).join(""))).toEqual(
        records.map((r) => JSON.parse(JSON.stringify(r)) as unknown),
      );
    }),
  );
});

test("a record after any cut of another is read, and every lost byte is inside a problem", () => {
  fc.assert(
    fc.property(recordValue, recordValue, fc.nat(), (cut, whole, at) => {
      const broken = new TextEncoder().encode(JSON.stringify(cut));
      const head = broken.subarray(0, at % broken.length);
      const tail = new TextEncoder().encode(JSON.stringify(whole));
      const bytes = new Uint8Array([...head, ...tail]);
      const found = line(bytes);
      const covered = [
        ...found.values,
        ...found.problems.filter((problem) => !problem.reason.includes("All were read")),
      ];
      expect(covered.reduce((sum, part) => sum + part.byteEnd - part.byteStart, 0)).toBe(bytes.length);
    }),
  );
});
