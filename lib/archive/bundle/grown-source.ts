// How a file was where its bundle was made: of one that has grown, as the later bundle says.
import { command } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { BundledFile } from "./bundle-manifest.ts";

export function noteGrowth({ sqlite }: Archive, pk: number, { entry, mtimeMs, changedAt, head }: BundledFile): void {
  command(
    sqlite,
    "UPDATE sources SET size = ?, mtime_ms = ?, changed_at = ?, head = ?, head_bytes = ? WHERE pk = ?",
  ).run(entry.sizeBytes, mtimeMs, changedAt, head, Math.min(4096, entry.sizeBytes), pk);
}
