// Which format a file has, and its first bytes as that one knows them.
import { readFirstLine, readHead } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { readableHead } from "#lib/formats/readable-head.ts";
import type { Format } from "#lib/kernel/draft.ts";
import { textStart } from "#lib/kernel/text-start.ts";

/** The first of `formats` that knows the file by its content; null where none does. */
export async function findFormat(
  handle: SourceHandle,
  formats: readonly Format[],
): Promise<{ readonly format: Format | null; readonly head: Uint8Array }> {
  const { path } = handle;
  const matching = (head: Uint8Array): Format | undefined =>
    formats.find((one) => one.detect({ path, head, sidecars: new Map() }));
  // A first line that is longer than a head (a prompt with a pasted log, an image) is read to its end: lines are told from a document by it.
  const whole = await readFirstLine(handle, await readHead(handle));
  // Blank lines are no damage: no format sees those that a file begins with.
  const read = whole.subarray(textStart(whole));
  const first = matching(read);
  if (first !== undefined) return { format: first, head: read };
  const head = readableHead(path, read);
  const format = head === read ? undefined : matching(head);
  return format === undefined ? { format: null, head: read } : { format, head };
}
