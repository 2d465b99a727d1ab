// How one source is read, and what came of it.
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { ImportedFile } from "#lib/wire/sources-schema.ts";
import type { StoredBlob } from "./artifact-writer.ts";

export type FileOptions = {
  /** Folders that the file must lie in. */
  readonly roots: readonly string[];
  /** A last line without its newline is read too: nothing more is expected. */
  readonly final: boolean;
  /** Opens it, where it is no file: rows of a database. */
  readonly open?: (final: boolean) => SourceHandle;
  /** A small file beside it, by path, where it is an entry of an archive. */
  readonly beside?: (path: string) => { readonly bytes: Uint8Array; readonly mtimeMs: number } | null;
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number, events: number) => void;
  /** Called where the files beside it are others than those that it was read with from its beginning. */
  readonly onBesideNews?: (sourcePk: number) => void;
  /** A file that no format wants by its name: one that none matches is no source, and nothing is noted of it. */
  readonly isLookedInto?: boolean;
  /** False when the bytes come from the archive itself. */
  readonly keepsRaw?: boolean;
  /** The file replaces an older log: nothing is committed before its end. */
  readonly atOnce?: boolean;
  /** What an earlier reading of the same bytes left. */
  readonly before?: Before;
};

export type Before = {
  /** The name of its session, which may differ from what the file says where two files say the same. */
  readonly nativeId: string | null;
  /** Whole outputs that the agent had put into files, by tool call: the files may be gone. */
  readonly outputs: ReadonlyMap<string, StoredBlob>;
};

export type Outcome = Pick<ImportedFile, "sessions" | "events" | "modelCalls" | "artifacts" | "records" | "errors"> & {
  reason?: string;
};
