// Which format a file has, and its first bytes as that one knows them.
import { readFirstLine, readHead } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { condensedHead } from "#lib/formats/condensed-head.ts";
import { readableHead } from "#lib/formats/readable-head.ts";
import type { Format } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { textStart } from "#lib/kernel/text-start.ts";

/** The first of `formats` that knows the file by its content; null where none does. */
export async function findFormat(
  handle: SourceHandle,
  formats: readonly Format[],
): Promise<{ readonly format: Format | null; readonly head: Uint8Array }> {
  const { path } = handle;
  const fits = (one: Format, head: Uint8Array): boolean => one.detect({ path, head, sidecars: new Map() });
  const matching = (head: Uint8Array): Format | undefined => formats.find((one) => fits(one, head));
  const start = await readHead(handle);
  // Blank lines are no damage: no format sees those that a file begins with.
  const read = start.subarray(textStart(start));
  const first = matching(read);
  if (first !== undefined) {
    // Lines are told from a document by the first, which may be longer than a head: a prompt with a pasted log, an image.
    const line = first.reader === "document" ? start : await readFirstLine(handle, start, LIMITS.lineBytes);
    if (line === start) return { format: first, head: read };
    const whole = line.subarray(textStart(line));
    // What stands behind a long prompt may say whose message it is.
    const format = fits(first, whole) ? first : matching(whole);
    return format === undefined ? { format: first, head: read } : { format, head: whole };
  }
  // Behind damage, in a first record that is longer than a head, behind it, or behind long values of a document.
  for (const make of [
    () => readableHead(path, read),
    () => readFirstLine(handle, start),
    () => behindFirst(handle, start),
    () => behindLong(handle, start),
  ]) {
    const made = await make();
    const head = made === read || made === start ? null : made.subarray(textStart(made));
    const format = head === null ? undefined : matching(head);
    if (head !== null && format !== undefined) return { format, head };
  }
  return { format: null, head: read };
}

/** The head of a file whose first line alone is longer than one: it may begin within a record. */
async function behindFirst(handle: SourceHandle, start: Uint8Array): Promise<Uint8Array> {
  const line = await readFirstLine(handle, start);
  if (line === start) return start;
  return readableHead(handle.path, await readHead(handle, line.length + LIMITS.oversizedHeadBytes));
}

/** The head of a document that has more bytes, without most of its long values. */
async function behindLong(handle: SourceHandle, start: Uint8Array): Promise<Uint8Array> {
  if (start.length < LIMITS.oversizedHeadBytes) return start;
  const longer = await readHead(handle, LIMITS.firstRecordBytes);
  const text = longer.subarray(textStart(longer));
  const head = condensedHead(text);
  return head === text ? start : head;
}
