// An answer that comes as lines of JSON, each checked as it comes.
import type { z } from "zod";

/** The pieces in order. Ends when the answer ends; rejects when a line is not what it should be. */
export async function* piecesOf<Schema extends z.ZodType>(
  body: ReadableStream<Uint8Array>,
  schema: Schema,
): AsyncGenerator<z.infer<Schema>> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  // A piece is some 64 KB and comes in parts; they are joined once, when its line end is there.
  let parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      let from = 0;
      for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", from)) {
        parts.push(value.slice(from, at));
        const line = parts.join("");
        parts = [];
        from = at + 1;
        if (line !== "") yield schema.parse(JSON.parse(line));
      }
      if (from < value.length) parts.push(value.slice(from));
    }
  } finally {
    // Who stops listening stops the run.
    await reader.cancel().catch(() => {});
  }
}
