// Where an agent itself put an output into a file and showed the model a preview: the whole is looked for where the agent
// said, and where copies of the session usually have it. It goes before what the record holds, which may be its first part.
// What is not found is said in the event, by its stated size.
import { createHash } from "node:crypto";
import { openSource } from "#lib/sources/source-handle.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Draft, Format } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { isBundled } from "../base/bundle-path.ts";
import { countLines, type StoredBlob } from "./artifact-writer.ts";
import type { FoundFile } from "./beside-files.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
type NamesFile = EventDraft & { readonly body: { readonly storedPath: string; readonly toolCallId: string | null } };

/** True for a result that says in which file its whole output is. */
export const namesFile = (draft: Draft): draft is NamesFile =>
  draft.kind === "event" && draft.body.type === "tool_result" && draft.body.storedPath !== undefined;

/** The stored blob of each result that names a file which can be found inside the roots, or in a folder that its format vouches for. */
export async function findFullOutputs(
  archive: Archive,
  format: Format,
  path: string,
  drafts: readonly Draft[],
  roots: readonly string[],
  onFound: (file: FoundFile) => void,
): Promise<ReadonlyMap<Draft, StoredBlob>> {
  const found = new Map<Draft, StoredBlob>();
  // What a bundle says of paths is of another machine.
  if (isBundled(path)) return found;
  for (const draft of drafts) {
    if (!namesFile(draft)) continue;
    const folder = format.fullOutputFolder?.(draft.body.storedPath) ?? null;
    const own = folder === null ? roots : [...roots, folder];
    for (const candidate of format.fullOutputPaths?.(path, draft.body.storedPath) ?? []) {
      const kept = await keepFile(archive, candidate, own);
      if (kept === null) continue;
      const { mtimeMs, ...blob } = kept;
      onFound({ path: candidate, mtimeMs, digest: blob.digest, sizeBytes: blob.size });
      found.set(draft, blob);
      break;
    }
  }
  return found;
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

async function keepFile(
  archive: Archive,
  path: string,
  roots: readonly string[],
): Promise<(StoredBlob & { readonly mtimeMs: number }) | null> {
  try {
    const handle = await openSource(path, roots);
    try {
      if (handle.size > LIMITS.fullOutputBytes || handle.size === 0) return null;
      const bytes = await handle.read(0, handle.size);
      const digest = archive.blobs.stage(bytes);
      if (digest !== createHash("sha256").update(bytes).digest("hex")) return null;
      return { digest, size: bytes.length, lineCount: countLines(bytes), mtimeMs: handle.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}
