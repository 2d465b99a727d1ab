// The folders of a blob store: made 0700 when they are first needed, and remembered until their names are on the disk.
import { chmodSync, mkdir } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder, stripsModes } from "./sync.ts";

/** The folders below `root`, which is made too. */
export function foldersBelow(root: string) {
  const known = new Set<string>();
  const making = new Map<string, Promise<void>>();
  const durable = new Set<string>();
  let unsynced = new Set<string>();

  async function makeOne(folder: string): Promise<void> {
    const found = await tryFolder(folder);
    const parent = dirname(folder);
    if (found === "no parent") {
      await make(parent);
      return makeOne(folder);
    }
    // One that another thread or process made may not be on the disk yet.
    if (found === "made" || !durable.has(parent)) unsynced.add(parent);
    known.add(folder);
  }

  /** Makes a folder and those above it. Who asks while it is being made waits for the same: its name is noted by then. */
  function make(folder: string): Promise<void> {
    let made = making.get(folder);
    if (made === undefined) {
      made = makeOne(folder).finally(() => making.delete(folder));
      making.set(folder, made);
    }
    return made;
  }

  return {
    isKnown: (folder: string): boolean => known.has(folder),
    make,
    /** The same, at once. */
    makeNow(folder: string): void {
      if (known.has(folder)) return;
      for (const parent of makePrivateFolder(folder)) unsynced.add(parent);
      known.add(folder);
    },
    /** The folder is looked for again: somebody may have removed it by hand. */
    forget(folder?: string): void {
      if (folder === undefined) known.clear();
      else known.delete(folder);
    },
    /** A blob that is there already: after a crash it may be visible while its name is not on the disk yet. */
    confirm(folder: string): void {
      for (let at = folder; at !== dirname(dirname(root)); at = dirname(at)) if (!durable.has(at)) unsynced.add(at);
    },
    /** The folders to sync, given once. */
    takeUnsynced(): Set<string> {
      const taken = unsynced;
      unsynced = new Set();
      return taken;
    },
    noteDurable: (folder: string): void => void durable.add(folder),
    /** A barrier failed: nothing is known of these any more. */
    doubt(folders: Iterable<string>): void {
      for (const folder of folders) durable.delete(folder);
    },
  };
}

/** Makes one folder in a thread of the pool. Not recursive: that takes ten times as long, and nearly always one is new. */
function tryFolder(path: string): Promise<"made" | "there" | "no parent"> {
  return new Promise((resolve, reject) => {
    mkdir(path, 0o700, (error) => {
      if (error === null) {
        if (stripsModes()) chmodSync(path, 0o700);
        resolve("made");
      } else if (error.code === "EEXIST") resolve("there");
      else if (error.code === "ENOENT" && dirname(path) !== path) resolve("no parent");
      else reject(error);
    });
  });
}
