// Bytes whose lines are changed as text, in pieces of some size. A line that does not change keeps its bytes, valid or not.
import { LIMITS } from "#lib/kernel/limits.ts";

const LF = 0x0a;

/** `isJson`: the bytes begin as JSON does. */
type Change = (text: string, line: number, isJson: boolean) => string;

/** `together`: lines of what is not JSON are given together, up to so many bytes. */
export async function* changeLines(
  pieces: AsyncIterable<Uint8Array>,
  change: Change,
  { together = 0 }: { readonly together?: number } = {},
): AsyncGenerator<Uint8Array> {
  let isJson: boolean | null = null;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let line = 1;
  const changed = (bytes: Buffer): Uint8Array => {
    const text = bytes.toString("utf8");
    const result = change(text, line, isJson === true);
    line += isJson === true || together === 0 ? 1 : lineEnds(bytes);
    return result === text ? bytes : Buffer.from(result);
  };
  for await (const piece of pieces) {
    isJson ??= beginsAsJson(piece);
    held.push(piece);
    heldBytes += piece.length;
    const isDue = isJson || together === 0 ? piece.includes(LF) : heldBytes >= together;
    if (!isDue && heldBytes < LIMITS.lineBytes) continue;
    const bytes = Buffer.concat(held);
    const end = bytes.lastIndexOf(LF) + 1 || (isDue ? 0 : bytes.length);
    const whole = bytes.subarray(0, end);
    if (isJson || together === 0) for (const one of linesOf(whole)) yield changed(one);
    else if (end > 0) yield changed(whole);
    held = end < bytes.length ? [bytes.subarray(end)] : [];
    heldBytes = bytes.length - end;
  }
  const rest = Buffer.concat(held);
  if (rest.length > 0) yield changed(rest);
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, from)) {
    yield bytes.subarray(from, end + 1);
    from = end + 1;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

function beginsAsJson(piece: Uint8Array): boolean {
  const first = Buffer.from(piece.subarray(0, 4096)).toString("utf8").trimStart()[0];
  return first === "{" || first === "[";
}
