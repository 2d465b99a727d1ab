// Protobuf's wire format: what is written is read, and no bytes whatever break the reader.
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, numberOf, protobufFields } from "./protobuf.ts";

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];

const field = fc.oneof(
  fc.record({ number: fc.integer({ min: 1, max: 300 }), value: fc.maxSafeNat() }),
  fc.record({ number: fc.integer({ min: 1, max: 300 }), value: fc.uint8Array({ maxLength: 300 }) }),
);
const bytesOfField = ({ number, value }: { number: number; value: number | Uint8Array }): number[] =>
  typeof value === "number"
    ? [...varint(number * 8), ...varint(value)]
    : [...varint(number * 8 + 2), ...varint(value.length), ...value];

test("fields are read in their order, and fixed numbers between them are left out", () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const fixed = [...varint(400 * 8 + 5), 1, 2, 3, 4, ...varint(401 * 8 + 1), 1, 2, 3, 4, 5, 6, 7, 8];
      const read = protobufFields(Uint8Array.from([...fixed, ...fields.flatMap(bytesOfField), ...fixed]));
      const numbers = [...new Set(fields.map(({ number }) => number))];
      expect([...read!.keys()]).toEqual(numbers);
      for (const number of numbers)
        expect(read!.get(number)).toEqual(fields.filter((one) => one.number === number).map(({ value }) => value));
    }),
  );
});

test("any bytes are a message or none, and a message that is cut inside a field is none", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const read = protobufFields(bytes);
      const inside = [...(read?.values() ?? [])]
        .flat()
        .reduce<number>((sum, one) => sum + (typeof one === "number" ? 1 : one.length), 0);
      expect(inside).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(field, fc.nat(), (one, at) => {
      const bytes = Uint8Array.from(bytesOfField(one));
      expect(protobufFields(bytes.subarray(0, 1 + (at % (bytes.length - 1))))).toBeNull();
    }),
  );
});

test("a number without an end, a length beyond the bytes, a field 0 and a group are no message", () => {
  for (const bytes of [
    [0x08, ...Array<number>(11).fill(0x80)],
    [0x0a, 5, 1],
    [0x0a, ...varint(2 ** 53)],
    [0, 1],
    [0x0b],
    [0x0d, 1],
  ])
    expect(protobufFields(Uint8Array.from(bytes))).toBeNull();
  expect(protobufFields(new Uint8Array())).toEqual(new Map());
  expect([bytesOf(null, 1), numberOf(null, 1)]).toEqual([[], null]);
});
