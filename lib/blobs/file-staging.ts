// The write side of file blobs: temporary files, the barrier, and what a crash leaves.
import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, open, openSync, rename } from "node:fs";
import { dirname, join } from "node:path";
import { claimsOf } from "./name-claims.ts";
import { foldersBelow } from "./folders.ts";
import { forEach } from "./for-each.ts";
import { sweepLeftovers, unlinkQuietly } from "./leftovers.ts";
import { markerAt } from "./marker.ts";
import { IN_THE_WAY, moveAside } from "./quarantine.ts";
import { stripsModes, syncDescriptor, syncIfThere, syncPath, writeAll, writeAllAsync } from "./sync.ts";

/** A temporary file. Its descriptor may be closed already; its bytes are written and synced once `written` resolves. */
export type Staged = { readonly path: string; fd: number | null; readonly written?: Promise<void> };

export type Staging = {
  has(digest: string): boolean;
  /** A new temporary file in the root, open for writing: what its digest will be is not known yet. */
  newFile(): Staged;
  /** A temporary file with these bytes, beside its path. Written in the background: the bytes are not to change until flush(). */
  writeFile(digest: string, bytes: Uint8Array): Staged;
  put(digest: string, file: Staged): void;
  /** A blob that is there already: it may be seen and not yet on the disk, as a small one of a process that was killed. */
  confirm(digest: string): void;
  drop(file: Staged): void;
  /** Says who needs a staged blob: one put, which releases it again, or the batch that the next barrier ends. */
  rely(digest: string, who: "put" | "batch"): void;
  /** A put needs it no more: what nobody else needs and no barrier has kept is dropped. The puts that still do. */
  release(digest: string): number;
  /** With a digest it fails, too, when an earlier barrier failed to keep that blob. */
  flush(onVisible: (digest: string) => void, digest?: string): Promise<void>;
  /** Forgets what the batch had staged; what puts still need stays. */
  discard(): Promise<void>;
  /** Why nothing is promised any more, or null. */
  broken(): unknown;
  /** A new name beside the path of a blob: a temporary file will be there, until end(). */
  begin(digest: string): string;
  /** `linger`: another may come soon. */
  end(options?: { readonly linger: boolean }): void;
  close(): void;
  /** A disk that failed to sync is not believed any more. */
  noteFailure(error: unknown): void;
};

/** Bytes that are written without a thread of the pool: a copy into memory, some microseconds. */
const WRITTEN_AT_ONCE = 64 * 1024;
// Far below the 1,024 that is the usual limit of open files.
const OPEN_FILES = 256;

/** The staging area of the blobs below `root`; sweeps what crashed writers left there. */
export function staging(root: string, quarantine: string, pathOf: (digest: string) => string): Staging {
  sweepLeftovers(root);
  // A process may hold several areas: its threads open the archive each for itself.
  const area = `${process.pid}-${randomBytes(6).toString("hex")}`;
  const folders = foldersBelow(root);
  const marker = markerAt(join(root, `.staging-${area}`), () => {
    folders.forget(root);
    folders.makeNow(root);
  });
  const openFiles = new Set<Staged>();
  let files = new Map<string, Staged>();
  /** Blobs that were there already, to be synced by the next barrier. */
  let seen = new Set<string>();
  let serial = 0;
  let broken: unknown = null;
  const claims = claimsOf();
  let lastFlush: Promise<void> = Promise.resolve();

  const temporaryIn = (folder: string): string => join(folder, `.tmp-${area}-${serial++}`);

  function requireSound(): void {
    if (broken !== null) throw brokenStore(broken);
  }

  function begin(): void {
    requireSound();
    marker.begin();
  }

  // New folders and files take 0.5 to 1 ms each on ext4, 0.4 s of an import of 500 outputs: the threads of the pool wait
  // for them, and for the sync, while the next lines are parsed. Calls with callbacks, and what never waits done at once:
  // promises and a second open of the file took twice the processor time of a small blob.
  async function writeBeside(path: string, bytes: Uint8Array): Promise<void> {
    const folder = dirname(path);
    if (!folders.isKnown(folder)) await folders.make(folder);
    const fd = await createFile(path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      // The folder was removed by hand since we made it.
      folders.forget();
      await folders.make(folder);
      return createFile(path);
    });
    try {
      if (stripsModes()) fchmodSync(fd, 0o600);
      if (bytes.length <= WRITTEN_AT_ONCE) writeAll(fd, bytes);
      else await writeAllAsync(fd, bytes);
      await syncDescriptor(fd);
    } finally {
      closeSync(fd);
    }
  }

  function settle(file: Staged): void {
    openFiles.delete(file);
    marker.end();
  }

  function drop(file: Staged): void {
    if (file.fd !== null) closeSync(file.fd);
    file.fd = null;
    const remove = (): void => {
      unlinkQuietly(file.path);
      settle(file);
    };
    if (file.written === undefined) remove();
    else void file.written.then(remove, remove);
  }

  async function publish(digest: string, file: Staged): Promise<void> {
    // From here on nobody else closes its descriptor.
    openFiles.delete(file);
    await file.written;
    if (file.fd !== null) {
      await syncDescriptor(file.fd);
      closeSync(file.fd);
      file.fd = null;
    } else if (file.written === undefined) await syncPath(file.path, "r+");
    const path = pathOf(digest);
    await renameFile(file.path, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!IN_THE_WAY.has(error.code ?? "")) throw error;
      moveAside(path, quarantine);
      await renameFile(file.path, path);
    });
    settle(file);
  }

  async function flushBatch(onVisible: (digest: string) => void): Promise<void> {
    // After a failed fsync the kernel may drop the dirty pages and report success the next time, so
    // nothing that this process says about durability can be believed any more.
    requireSound();
    const batch = files;
    const there = seen;
    files = new Map();
    seen = new Set();
    const failures = claims.batchEnds();
    // Folders that are made in the background belong to this barrier: all of them are known only then.
    const written = await Promise.allSettled([
      ...[...batch.values()].map((file) => file.written),
      ...failures.map((why) => Promise.reject(why)),
    ]);
    const unwritten = written.find((result) => result.status === "rejected");
    if (unwritten !== undefined) {
      claims.lost(batch.keys(), unwritten.reason);
      for (const file of batch.values()) drop(file);
      if ((unwritten.reason as NodeJS.ErrnoException).code === "EIO") broken = unwritten.reason;
      throw unwritten.reason;
    }
    // Confirmed here and not when staged: an earlier barrier would sync folders that are still being made. Those above
    // may have been made for a small blob a moment ago, and are not on the disk.
    for (const digest of batch.keys()) folders.confirm(dirname(pathOf(digest)));
    const toSync = folders.takeUnsynced();
    try {
      await forEach([...batch], async ([digest, file]) => {
        await publish(digest, file);
        batch.delete(digest);
        toSync.add(dirname(pathOf(digest)));
        onVisible(digest);
      });
      await forEach([...there], (path) => syncIfThere(path, "r+"));
      await forEach([...toSync], async (folder) => {
        await syncPath(folder, "r");
        folders.noteDurable(folder);
      });
    } catch (error) {
      claims.lost(batch.keys(), error);
      for (const file of batch.values()) drop(file);
      folders.doubt(toSync);
      if ((error as NodeJS.ErrnoException).code === "EIO") broken = error;
      throw error;
    }
  }

  return {
    has: (digest) => files.has(digest),
    newFile() {
      begin();
      const path = temporaryIn(root);
      try {
        const file: Staged = { path, fd: openSync(path, "wx", 0o600) };
        openFiles.add(file);
        // open() takes the umask away from the mode: a umask of 0777 would leave a file that nobody reads.
        fchmodSync(file.fd!, 0o600);
        return file;
      } catch (error) {
        unlinkQuietly(path);
        marker.end();
        throw error;
      }
    },
    writeFile(digest, bytes) {
      begin();
      const path = temporaryIn(dirname(pathOf(digest)));
      const written = writeBeside(path, bytes);
      // The barrier tells of a failure; until then nobody waits for it.
      written.catch(() => undefined);
      return { path, fd: null, written };
    },
    put(digest, file) {
      files.set(digest, file);
      if (file.written === undefined) folders.makeNow(dirname(pathOf(digest)));
      for (const oldest of openFiles) {
        if (openFiles.size <= OPEN_FILES) break;
        openFiles.delete(oldest);
        if (oldest.fd !== null) closeSync(oldest.fd);
        oldest.fd = null;
      }
    },
    confirm(digest) {
      folders.confirm(dirname(pathOf(digest)));
      seen.add(pathOf(digest));
    },
    drop,
    rely: (digest, who) => claims.rely(digest, who),
    release(digest) {
      const left = claims.release(digest);
      const file = files.get(digest);
      if (left === 0 && file !== undefined && !claims.isNeeded(digest)) {
        files.delete(digest);
        drop(file);
      }
      return left;
    },
    flush(onVisible, digest) {
      const flushed = lastFlush.then(() => flushBatch(onVisible));
      lastFlush = flushed.catch(() => undefined);
      return digest === undefined ? flushed : flushed.then(() => claims.requireKept(digest));
    },
    async discard() {
      claims.batchEnds();
      const batch = [...files].filter(([digest]) => !claims.isNeeded(digest));
      for (const [digest, file] of batch) {
        files.delete(digest);
        drop(file);
      }
      await Promise.allSettled(batch.map(([, file]) => file.written));
    },
    broken: () => broken,
    begin(digest) {
      begin();
      return temporaryIn(dirname(pathOf(digest)));
    },
    end: (options) => marker.end(options),
    close: () => marker.close(),
    noteFailure(error) {
      if ((error as NodeJS.ErrnoException).code === "EIO") broken = error;
    },
  };
}

function createFile(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, "wx", 0o600, (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });
}

function renameFile(from: string, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    rename(from, to, (error) => (error === null ? resolve() : reject(error)));
  });
}

function brokenStore(cause: unknown): Error {
  const { code = "EIO" } = cause as NodeJS.ErrnoException;
  return Object.assign(
    new Error(`The disk failed to write (${code}). Restart Plimsoll to write again; stored data can still be read.`, {
      cause,
    }),
    { code },
  );
}
