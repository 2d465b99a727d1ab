// The first bytes of a file, without the damage before its first whole record: a crash leaves runs of NUL, half a record, or a value that
// is none. A format knows a file by what comes first, and a session is not lost for that.
import { FORMATS } from "./index.ts";
import { isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";

/** Damaged lines that are passed over. */
const LINES = 20;
const [LF, OPEN, CLOSE] = [0x0a, 0x7b, 0x7d];

/** As it is where a format knows it, or where none does without the damage either. */
export function readableHead(path: string, head: Uint8Array): Uint8Array {
  const isKnown = (bytes: Uint8Array): boolean =>
    FORMATS.some((format) => format.detect({ path, head: bytes, sidecars: new Map() }));
  if (head.length === 0 || isKnown(head)) return head;
  const first = head.findIndex((byte) => byte > 0x20);
  if (first > 0 && isKnown(head.subarray(first))) return head.subarray(first);
  const record = firstRecord(head);
  return record !== null && record > first && isKnown(head.subarray(record)) ? head.subarray(record) : head;
}

/** Where the first whole record begins; null where a line comes before it that is neither JSON nor a part of a record. */
function firstRecord(head: Uint8Array): number | null {
  for (let [from, n] = [0, 0]; from < head.length && n < LINES; n++) {
    const newline = head.indexOf(LF, from);
    const end = newline < 0 ? head.length : newline;
    const bytes = head.subarray(from, end);
    const first = bytes.findIndex((byte) => byte > 0x20);
    if (first >= 0) {
      const { values } = readValues({ bytes, byteStart: from, byteEnd: end, line: n + 1 }, () => false);
      const record = values.find(({ value }) => isObject(value));
      if (record !== undefined) return record.byteStart;
      const isPart = bytes[first] === OPEN || (n === 0 && bytes.findLast((byte) => byte > 0x20) === CLOSE);
      if (values.length === 0 && !isPart) return null;
    }
    from = end + 1;
  }
  return null;
}
