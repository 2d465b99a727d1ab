// Where an agent itself put an output into a file and showed the model a preview: the whole is looked for where the agent
// said, and where copies of the session usually have it. It goes before what the record holds, which may be its first part.
// What is not found is said in the event, by its stated size.
import { createHash } from "node:crypto";
import { openSource, type SourceHandle } from "#lib/sources/source-handle.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Draft, Format } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { isBundled } from "../base/bundle-path.ts";
import { countLines, type StoredBlob } from "./artifact-writer.ts";
import { awaitOutput, type ReadSource } from "./awaited-outputs.ts";
import { saveBeside, type FoundFile } from "./beside-files.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
type NamesFile = EventDraft & { readonly body: { readonly storedPath: string; readonly toolCallId: string | null } };

/** True for a result that says in which file its whole output is. */
export const namesFile = (draft: Draft): draft is NamesFile =>
  draft.kind === "event" && draft.body.type === "tool_result" && draft.body.storedPath !== undefined;

/**
 * The file in which the agent put the whole output of a result, opened: inside the roots, the folder of its session, or one
 * that the format vouches for. Null where it is not there, is empty, or too large to be kept.
 */
export async function openFullOutput(
  format: Format,
  path: string,
  storedPath: string,
  roots: readonly string[],
): Promise<SourceHandle | null> {
  // What a bundle says of paths is of another machine.
  if (isBundled(path)) return null;
  const own = [format.sessionFolder?.(path), format.fullOutputFolder?.(storedPath)].filter((folder) => folder != null);
  for (const candidate of format.fullOutputPaths?.(path, storedPath) ?? []) {
    const handle = await openIfThere(candidate, [...roots, ...own]);
    if (handle !== null && handle.size > 0 && handle.size <= LIMITS.fullOutputBytes) return handle;
    await handle?.close();
  }
  return null;
}

/** Keeps the whole output of each result that names a file which is there; the others are looked for again. */
export async function findFullOutputs(
  archive: Archive,
  format: Format,
  source: ReadSource,
  drafts: readonly Draft[],
  roots: readonly string[],
): Promise<ReadonlyMap<Draft, StoredBlob>> {
  const found = new Map<Draft, StoredBlob>();
  for (const draft of drafts.filter(namesFile)) {
    const { storedPath } = draft.body;
    const handle = await openFullOutput(format, source.path, storedPath, roots);
    const kept = handle === null ? null : await keepFile(archive, handle);
    awaitOutput(archive, source, storedPath, kept?.file.mtimeMs ?? null);
    if (kept === null) continue;
    saveBeside(archive, source.pk, kept.file);
    found.set(draft, kept.blob);
  }
  return found;
}

/** Keeps what such a file holds; null when it changed while it was read. */
async function keepFile(
  archive: Archive,
  handle: SourceHandle,
): Promise<{ readonly blob: StoredBlob; readonly file: FoundFile } | null> {
  try {
    const bytes = await handle.read(0, handle.size);
    const digest = archive.blobs.stage(bytes);
    if (digest !== createHash("sha256").update(bytes).digest("hex")) return null;
    const { path, mtimeMs } = handle;
    const size = bytes.length;
    return { blob: { digest, size, lineCount: countLines(bytes) }, file: { path, mtimeMs, digest, sizeBytes: size } };
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Those that an earlier reading of the same results has stored. */
export function storedOutputs(
  drafts: readonly Draft[],
  outputs: ReadonlyMap<string, StoredBlob> = new Map(),
): Map<Draft, StoredBlob> {
  const found = new Map<Draft, StoredBlob>();
  for (const draft of drafts) {
    const id = namesFile(draft) ? draft.body.toolCallId : null;
    const blob = id === null ? undefined : outputs.get(id);
    if (blob !== undefined) found.set(draft, blob);
  }
  return found;
}

async function openIfThere(path: string, roots: readonly string[]): Promise<SourceHandle | null> {
  try {
    return await openSource(path, roots);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}
