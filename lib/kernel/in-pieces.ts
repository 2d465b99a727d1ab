// Lines for a pipe: many short ones go out together.

const PIECE_CHARS = 64 * 1024;

/** The bytes of texts, in pieces of some 64 KB; a longer text is one piece. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting = "";
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < PIECE_CHARS) continue;
    yield encoder.encode(waiting);
    waiting = "";
  }
  if (waiting !== "") yield encoder.encode(waiting);
}
