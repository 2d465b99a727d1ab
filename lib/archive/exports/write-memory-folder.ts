// A session as the memory folder of an Autobyteus agent: reviewed and masked as every export.
import type { Exported, ExportSource } from "#lib/agent-dirs/autobyteus/export-directory.ts";
import type { Archive } from "../base/archive-type.ts";
import { maskValue } from "../base/mask-json.ts";
import type { TextHook } from "../base/private-findings.ts";
import { exportMemoryFolder, memoryFolderOf } from "../memory/export-memory-folder.ts";
import { NOTHING } from "./export-file.ts";
import type { OpenedExport } from "./open-export.ts";
import { maskerOf, reviewOf, type WriteOptions } from "./write-export.ts";

type Decided = Pick<WriteOptions, "mask" | "accept" | "hide">;

export async function reviewMemoryFolder(archive: Archive, name: string) {
  const source = await memoryFolderOf(archive, name);
  return reviewOf(archive, name, scannedOf(source));
}

export async function writeMemoryFolder(
  archive: Archive,
  name: string,
  to: string,
  { generation, mask = "none", accept = [], hide = [] }: Decided & { readonly generation: 1 | 2 },
): Promise<Exported & { readonly masked: string | null }> {
  const source = await memoryFolderOf(archive, name);
  const masker = await maskerOf(archive, name, scannedOf(source), { mask, accept, hide });
  const written = masker === null ? source : maskedSource(source, masker.hook);
  const exported = exportMemoryFolder(archive, written, to, generation);
  return { ...exported, masked: masker === null ? null : masker.manifest().sentence };
}

function maskedSource(source: ExportSource, hook: TextHook): ExportSource {
  const { traces, archived, episodic, semantic, snapshot } = source;
  return {
    ...source,
    // Not the folder's own files any more: they are written, not copied.
    generation: null,
    traces: maskValue(traces, hook, "Traces"),
    archived: maskValue(archived, hook, "Archived traces"),
    episodic: maskValue(episodic, hook, "Episodic items"),
    semantic: maskValue(semantic, hook, "Semantic items"),
    snapshot: maskValue(snapshot, hook, "Snapshot"),
  };
}

/** The folder's texts, for a look: no file of it is written. */
function scannedOf(source: ExportSource): Pick<OpenedExport, "scan" | "notSearched" | "report"> {
  return {
    notSearched: NOTHING,
    report: null,
    scan: async function* (hook) {
      maskedSource(source, hook);
      yield 0;
    },
  };
}
