// The lines of a flow of bytes, without their ends.
import { refuse } from "./bundle-rows.ts";

const LF = 0x0a;

export async function* wholeLines(
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
  name: string,
): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, from)) {
      held.push(piece.subarray(from, end));
      // A line of 128 MB came in 512 pieces: joined with each of them it was copied 250 times.
      yield Buffer.concat(held);
      held = [];
      heldBytes = 0;
      from = end + 1;
    }
    held.push(piece.subarray(from));
    heldBytes += piece.length - from;
    if (heldBytes > mostBytes) refuse(`a line of ${name} is too long`);
  }
  if (heldBytes > 0) refuse(`${name} ends in the middle of a line`);
}
