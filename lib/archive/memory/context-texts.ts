// What a context's rows do not hold themselves: long outputs and images lie in the blob store.
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { bytesOfPointer } from "../sessions/export-attachments.ts";
import { isOffloaded, storedHead } from "../artifacts/stored-text.ts";
import { wholeText } from "../artifacts/whole-text.ts";
import type { ContextRow } from "./context-rows.ts";

/** Read at once: one after the other they wait for the disk, all together they hold all their bytes. */
const AT_ONCE = 16;
/** A larger image is not put into a payload: providers take 5 to 20 MB (bytes). */
const IMAGE_BYTES = 20 * 1024 * 1024;

/** Whole texts, by seq. What cannot be had any more is not among them: its event's own text stands for it. */
export async function wholeTexts(archive: Archive, rows: readonly ContextRow[]): Promise<ReadonlyMap<number, string>> {
  const cut = rows.filter(
    ({ artifact, body }) => artifact !== null && body.type === "tool_result" && body.saw === "full",
  );
  const texts = new Map<number, string>();
  await inGroups(cut, async ({ seq, artifact }) => {
    const text = await wholeText(archive, artifact!);
    if (text !== null) texts.set(seq, text);
  });
  return texts;
}

/** Characters of one offloaded output that a summary is made of; most are a few tens of KB. */
const STORED_BYTES = 256 * 1024;

/** What was offloaded, by seq: a summary tells of the output, not of the envelope that stands for it. */
export async function storedTexts(archive: Archive, rows: readonly ContextRow[]): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  await inGroups(
    rows.filter(({ artifact, body }) => isOffloaded(body, artifact)),
    async ({ seq, artifact }) => {
      const text = await storedHead(archive, artifact!, STORED_BYTES);
      if (text !== null) texts.set(seq, text);
    },
  );
  return texts;
}

/** Images as data: URLs, by pointer. */
export async function imageUrls(archive: Archive, rows: readonly ContextRow[]): Promise<ReadonlyMap<string, string>> {
  const types = new Map(
    rows
      .flatMap(({ body }) => ("images" in body ? (body.images ?? []) : []))
      .flatMap(({ artifact, mediaType }) => (artifact === null ? [] : [[artifact, mediaType] as const])),
  );
  const urls = new Map<string, string>();
  await inGroups([...types], async ([pointer, mediaType]) => {
    try {
      const bytes = await bytesOfPointer(archive, pointer, IMAGE_BYTES);
      if (bytes !== null) urls.set(pointer, `data:${mediaType};base64,${bytes.toString("base64")}`);
    } catch (error) {
      // Damaged bytes are not given out; the payload says that an image was left out.
      if (!isAppError(error)) throw error;
    }
  });
  return urls;
}

async function inGroups<T>(all: readonly T[], one: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(one));
}
