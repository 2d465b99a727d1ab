// Which format a file has, and its first bytes as that one knows them.
import { readFirstLine, readHead } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { readableHead } from "#lib/formats/readable-head.ts";
import type { Format } from "#lib/kernel/draft.ts";

/** The first of `formats` that knows the file by its content; null where none does. */
export async function findFormat(
  handle: SourceHandle,
  formats: readonly Format[],
): Promise<{ readonly format: Format | null; readonly head: Uint8Array }> {
  const { path } = handle;
  const matching = (head: Uint8Array): Format | undefined =>
    formats.find((one) => one.detect({ path, head, sidecars: new Map() }));
  const read = await readHead(handle);
  const first = matching(read);
  if (first !== undefined) return { format: first, head: read };
  // Behind damage, or in a first record that is longer than a head: a prompt with a pasted log, an image.
  const heads = [() => readableHead(path, read), () => readFirstLine(handle, read)];
  for (const make of heads) {
    const head = await make();
    const format = head === read ? undefined : matching(head);
    if (format !== undefined) return { format, head };
  }
  return { format: null, head: read };
}
