// Taking a file out of the archive for good: a person removed its session, or its agent was told to delete it. Nothing of it is
// found any more; blobs that nothing else names go with the next sweep.
import { command, scalar, select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { dropSessionDocs } from "../base/search-file.ts";
import { putSetting, settingText } from "../base/setting-rows.ts";
import { clearSource } from "./clear-source.ts";
import { dropMemory } from "./keep-memory.ts";
import { findSource } from "./source-row.ts";

const SETTING = "sources.removed";

/** By the text that they were read from: an import looks at them for each of its files, and 1,000 took 0.4 ms each time. */
const known = new WeakMap<Archive, { readonly text: string; readonly paths: ReadonlySet<string> }>();

/** Files whose sessions a person removed: they are read again only when somebody names one. */
export function removedFiles(archive: Archive): ReadonlySet<string> {
  const text = settingText(archive, SETTING) ?? "[]";
  let found = known.get(archive);
  if (found?.text !== text) known.set(archive, (found = { text, paths: new Set(JSON.parse(text) as string[]) }));
  return found.paths;
}

/** Notes that a file is not to be read again, or that it may be. */
export function noteRemoved(archive: Archive, path: string, isRemoved: boolean): void {
  const paths = new Set(removedFiles(archive));
  if (paths.has(path) === isRemoved) return;
  if (isRemoved) paths.add(path);
  else paths.delete(path);
  putSetting(archive, SETTING, paths.size === 0 ? null : [...paths]);
}

/** Takes out a source: its sessions, their words in the index, its bytes, its earlier versions and older copies. Which files those were. */
export function removeSource(archive: Archive, batch: Batch, path: string): string[] {
  const { sqlite } = archive;
  const source = findSource(archive, path);
  if (source === null) return [];
  const earlier = scalar(sqlite, "sources.path", "FROM sources WHERE earlier_of = ?").all(source.pk);
  for (const version of earlier) removeSource(archive, batch, version);
  // Every record of a copy stands in the file itself: what is kept of it goes too.
  const copies = scalar(sqlite, "sources.path", "FROM sources WHERE older_of = ?").all(source.pk);
  const removed = copies.flatMap((copy) => removeSource(archive, batch, copy));
  const sessions = select(sqlite, "sessions", ["pk", "id", "native_id"], "WHERE source_pk = ?").all(source.pk);
  clearSource(archive, source);
  for (const { pk, id, native_id: nativeId } of sessions) {
    dropSessionDocs(archive, pk);
    dropMemory(archive, nativeId);
    batch.forget(id);
  }
  command(sqlite, "DELETE FROM earlier_records WHERE source_pk = ?").run(source.pk);
  command(sqlite, "DELETE FROM sources WHERE pk = ?").run(source.pk);
  return [path, ...removed];
}
