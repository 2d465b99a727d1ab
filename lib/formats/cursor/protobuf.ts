// As much of protobuf's wire format as a store of Cursor needs: the fields of one message by number, texts and bytes and whole numbers.
// It reads each byte once, and refuses what ends inside a field: nothing of a broken message is believed.

export type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
/** The longest that the format allows. */
const VARINT_BYTES = 10;

/** The fields of a message in their order; null where it is none. Numbers beyond 2^53 are rounded. */
export function protobufFields(bytes: Uint8Array): Fields | null {
  const fields = new Map<number, (Uint8Array | number)[]>();
  let at = 0;
  const varint = (): number => {
    for (let i = 0, value = 0; i < VARINT_BYTES && at < bytes.length; i++) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    return NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (!(field > 0)) return null;
    if (type === VARINT || type === BYTES) {
      const number = varint();
      const end = type === VARINT ? at : at + number;
      if (Number.isNaN(number) || end > bytes.length) return null;
      const value = type === VARINT ? number : bytes.subarray(at, end);
      at = end;
      const before = fields.get(field);
      if (before === undefined) fields.set(field, [value]);
      else before.push(value);
    } else if (type === FIXED32 || type === FIXED64) at += type === FIXED32 ? 4 : 8;
    else return null;
  }
  return at === bytes.length ? fields : null;
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

export const bytesOf = (fields: Fields | null, field: number): readonly Uint8Array[] =>
  (fields?.get(field) ?? []).filter(isBytes);

export const numberOf = (fields: Fields | null, field: number): number | null =>
  fields?.get(field)?.findLast((value) => typeof value === "number") ?? null;

export const textOf = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : new TextDecoder().decode(bytes);
