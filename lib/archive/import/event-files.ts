// Events that OpenHands keeps in a file each: of those that an import found, the first of each folder stands for the conversation.
// Pages of a folder of events repeat them, and are left out.
import { closeSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { openHands } from "#lib/formats/openhands.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { eventFilesIn, eventNumber, eventsOfPage, folderOf, inOrder, statePath } from "#lib/sources/event-folder.ts";

/** A file that an import found. */
type Found = {
  readonly path: string;
  readonly roots: readonly string[];
  readonly size: number;
  readonly skipped?: string;
  readonly named: boolean;
};
type Joined = Omit<Found, "skipped"> & { readonly isJoined: true };

/** `mayRead`: false for a conversation that was removed, where nobody names a file of it. */
export function joinEvents<File extends Found>(
  wanted: readonly File[],
  mayRead: (path: string, named: boolean) => boolean,
): (File | Joined)[] {
  const first = new Map<string, string | null>();
  const firstIn = (folder: string): string | null => {
    if (!first.has(folder)) first.set(folder, firstEvent(folder));
    return first.get(folder)!;
  };
  const joined = new Map<string, Joined>();
  const others = wanted.filter((file) => {
    if (file.skipped !== undefined) return true;
    const own = eventNumber(file.path) === null ? null : firstIn(dirname(file.path));
    if (own === null) return file.named || !isBeside(file.path, firstIn);
    const known = joined.get(own);
    const named = file.named || known?.named === true;
    const size = file.size + (known?.size ?? 0);
    if (mayRead(own, named)) joined.set(own, { path: own, roots: file.roots, size, named, isJoined: true });
    return false;
  });
  return [...others, ...joined.values()];
}

/** A page of events, or the state of a conversation, whose folder of events is there. */
function isBeside(path: string, firstIn: (folder: string) => string | null): boolean {
  const events = eventsOfPage(path) ?? (/[\\/]base_state\.json$/.test(path) ? join(dirname(path), "events") : null);
  return events !== null && firstIn(events) !== null;
}

/** The first event of a folder; null where its files are no events of OpenHands. */
function firstEvent(folder: string): string | null {
  const path = eventFilesIn(folder)[0];
  return path !== undefined && isEvent(path, headOf(path)) ? path : null;
}

const isEvent = (path: string, head: Uint8Array): boolean => openHands.detect({ path, head, sidecars: new Map() });

function headOf(file: string): Uint8Array {
  try {
    const fd = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(LIMITS.oversizedHeadBytes);
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return new Uint8Array();
  }
}

export type EntryGroup = { readonly events: readonly string[]; readonly state: string | null };

/** The same of the entries of an archive, by the first of each folder; `fileOf` is where the entry was unpacked. */
export function groupEntries(names: readonly string[], fileOf: (name: string) => string | null) {
  const groups = new Map<string, EntryGroup>();
  const parts = new Set<string>();
  const folders = Map.groupBy(
    names.filter((name) => eventNumber(name) !== null),
    folderOf,
  );
  for (const [, all] of folders) {
    const events = inOrder(all);
    const own = events[0]!;
    const file = fileOf(own);
    if (file === null || !isEvent(own, headOf(file))) continue;
    const state = statePath(own);
    groups.set(own, { events, state });
    for (const one of [...events.slice(1), ...(state === null ? [] : [state])]) parts.add(one);
  }
  for (const name of names) {
    const events = eventsOfPage(name);
    if (events !== null && [...groups.keys()].some((own) => folderOf(own) === events)) parts.add(name);
  }
  return { groups, parts };
}
