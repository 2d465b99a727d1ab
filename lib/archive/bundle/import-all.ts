// What a person names to be imported: session files, folders, and bundles among them.
import type { ImportAnswer, ImportedFile } from "#lib/wire/sources-schema.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths, type ImportOptions } from "../import/import-paths.ts";
import { statSync } from "node:fs";
import { importBundle } from "./import-bundle.ts";
import { isZip, saysItIsBundle } from "./open-bundle.ts";

/** Imports bundles one by one, then everything else together. */
export async function importAll(
  archive: Archive,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportAnswer> {
  const startedAt = performance.now();
  const others: string[] = [];
  const bundles: ImportedFile[] = [];
  let sizeBytes = 0;
  for (const path of paths) {
    const mayBe = options.isWatched !== true && options.signal?.aborted !== true && (await isZip(path));
    const isBundle = mayBe && (await saysItIsBundle(path));
    const file = isBundle ? await bundleOf(archive, path, options) : null;
    if (file === null) others.push(path);
    else {
      bundles.push(file);
      sizeBytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (file.status === "imported") options.onSessions?.(file.sessions);
    }
  }
  if (bundles.length === 0) return importPaths(archive, paths, options);
  const answer = await importPaths(archive, others, options);
  const { totals } = answer;
  const sum = (pick: (file: ImportedFile) => number): number => bundles.reduce((total, file) => total + pick(file), 0);
  return {
    ...answer,
    files: [...bundles, ...answer.files],
    totals: {
      files: totals.files + bundles.length,
      sessions: totals.sessions + sum(({ status, sessions }) => (status === "imported" ? sessions.length : 0)),
      events: totals.events + sum(({ events }) => events),
      modelCalls: totals.modelCalls + sum(({ modelCalls }) => modelCalls),
      artifacts: totals.artifacts + sum(({ artifacts }) => artifacts),
      errors: totals.errors + sum(({ status }) => (status === "failed" ? 1 : 0)),
      bytes: totals.bytes + sizeBytes,
      ms: Math.round(performance.now() - startedAt),
    },
  };
}

/** A bundle that is refused is answered for as a file that cannot be read. */
async function bundleOf(archive: Archive, path: string, options: ImportOptions): Promise<ImportedFile | null> {
  const { id, isCopy, signal, onProgress } = options;
  const nothing = { format: "bundle", sessions: [], events: 0, modelCalls: 0, artifacts: 0, records: 0, errors: [] };
  try {
    return await importBundle(archive, path, { ...(id !== undefined && { id }), isCopy, signal, onProgress });
  } catch (error) {
    if (signal?.aborted === true)
      return { path, ...nothing, status: "skipped", reason: "Cancelled. Nothing was imported." };
    if (!isAppError(error)) throw error;
    return { path, ...nothing, status: "failed", reason: error.message };
  }
}
