// The head of a JSON document whose first 64 KB do not say what it is: a pasted log, a long prompt or a table may stand before the key
// that does. Long texts, and lists past their first elements, are left out, so that as many bytes show more of its keys.
import { endOfText } from "./json-parts.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

const TEXT_BYTES = 1024;
/** Elements of a list, and members of an object below the top, that are kept. */
const ELEMENTS = 20;
const MEMBERS = 60;
const [QUOTE, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c];

/** `bytes` themselves, where no JSON object or list begins there. */
export function condensedHead(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte > 0x20);
  if (bytes[start] !== OPEN && bytes[start] !== OPEN_LIST) return bytes;
  const kept: Uint8Array[] = [];
  /** Of each open list or object: how many more of its elements are kept. */
  const left: number[] = [];
  /** How deep the list or object is whose rest is left out; 0 for none. */
  let [size, from, dropped] = [0, start, 0];
  const keep = (to: number): void => {
    if (dropped === 0 && to > from) {
      kept.push(bytes.subarray(from, to));
      size += to - from;
    }
    from = to;
  };
  for (let at = start; at < bytes.length && size < LIMITS.oversizedHeadBytes; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (end - at > TEXT_BYTES) {
        keep(textCut(bytes, at, at + TEXT_BYTES));
        from = end;
      }
      at = end;
    } else if (byte === OPEN || byte === OPEN_LIST)
      left.push(byte === OPEN_LIST ? ELEMENTS : left.length === 0 ? Infinity : MEMBERS);
    else if (byte === COMMA && dropped === 0 && --left[left.length - 1]! <= 0) {
      keep(at);
      dropped = left.length;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (dropped === left.length) [dropped, from] = [0, at];
      left.pop();
      if (left.length === 0) {
        keep(at + 1);
        break;
      }
    }
    if (at - from > TEXT_BYTES) keep(at + 1);
  }
  keep(Math.min(bytes.length, from + LIMITS.oversizedHeadBytes));
  return Buffer.concat(kept).subarray(0, LIMITS.oversizedHeadBytes);
}

/** The last position up to `to` at which a text can be cut: between characters, and not within an escape. */
function textCut(bytes: Uint8Array, from: number, to: number): number {
  const text = Buffer.from(bytes.subarray(from, to)).toString("latin1");
  const whole = text.replace(/[\xc0-\xff][\x80-\xbf]{0,3}$/, "").replace(/\\u[0-9a-fA-F]{0,3}$/, "");
  // No pattern looks for them: one that ends in `+$` tries each slash of a text of slashes anew, 3 s for 4 MB of such texts.
  let slashes = 0;
  while (whole.at(-1 - slashes) === "\\") slashes++;
  return from + whole.length - (slashes % 2);
}
