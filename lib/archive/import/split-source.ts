// A session of many files among the files of an import: read under the name of its own file, as rows are.
import { query } from "#db/statement.ts";
import { eventsStamp, openEventFolder } from "#lib/sources/event-folder.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { isSplitSession, openSplitSession, splitStamp, type SplitSession } from "#lib/sources/split-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { copiesFolder } from "./database-source.ts";

export type SplitSource = {
  /** True where nothing of it changed since it was read. */
  readonly isUnchanged: boolean;
  readonly open?: (final: boolean) => SourceHandle;
  close(): void;
};

/** `isJoined`: the file is the first event of a folder. Null for any other file. */
export async function expandSplit(archive: Archive, path: string, isJoined = false): Promise<SplitSource | null> {
  if (!isJoined && !isSplitSession(path)) return null;
  const stamp = isJoined ? eventsStamp(path) : splitStamp(path);
  const read = query(
    archive.sqlite,
    { ino: "sources.ino", status: "sources.status" },
    "SELECT ino, status FROM sources WHERE path = ?",
  ).get(path);
  const isKnown = read?.status === "ok" || read?.status === "older copy";
  if (isKnown && read?.ino === stamp) return { isUnchanged: true, close: () => undefined };
  const open = isJoined ? openEventFolder : openSplitSession;
  const split: SplitSession = await open(path, stamp, copiesFolder(archive));
  return { isUnchanged: false, open: split.handle, close: split.close };
}
