// Opening a session file. Source folders are written by others, so nothing in them is trusted: only
// regular files are read, only inside the roots, never through a symbolic link, and never blocking.
// The file that is open is the file that was checked: its realpath is compared by device and inode.
// All of it at once: what a thread that imports would wait for is the pool of threads, busy with compression and the disk. That
// was a tenth of an import of 47 MB. Who reads a large file lets others have their turn between its blocks.
import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";

/** An open source file. `size` is its size when it was opened: readers stop there, whatever is appended meanwhile. */
export type SourceHandle = {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly dev: string;
  readonly ino: string;
  readonly fd: number;
  /** Rows of a database, which are edited in place: `ino` is a stamp of them, and their session goes by it. */
  readonly isRows?: true;
  /**
   * The bytes from `start`, fewer than `length` only at the end of the file. The array is the caller's; one that only
   * looks at them gives the buffer itself, as large as `length` at least.
   */
  read(start: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Opens a regular file inside one of the roots, read-only. */
export async function openSource(path: string, roots: readonly string[]): Promise<SourceHandle> {
  // Without the lstat a device would be opened, and opening alone can have an effect (a tape rewinds).
  const found = orRefuse(path, () => lstatSync(path));
  refuseIrregular(path, found);
  // Windows knows neither flag; there `lstat` above is the check.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const fd = orRefuse(path, () => openSync(path, flags));
  let opened: BigIntStats;
  try {
    opened = fstatSync(fd, { bigint: true });
    refuseIrregular(path, opened);
    refuseOutside(path, opened, roots);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let isOpen = true;
  return {
    path,
    size: Number(opened.size),
    mtimeMs: Number(opened.mtimeNs) / 1e6,
    dev: String(opened.dev),
    ino: String(opened.ino),
    fd,
    async read(start, length, into) {
      const bytes = into ?? Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const bytesRead = readSync(fd, bytes, filled, length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === bytes.length ? bytes : bytes.subarray(0, filled);
    },
    async close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** A small file beside a source, whole; null when it is absent, not a regular file, too big or outside the roots. */
export const readSmall = (path: string, roots: readonly string[], maxBytes: number): Promise<SmallFile | null> =>
  withHandle(path, roots, async (handle) =>
    handle.size > maxBytes ? null : { bytes: await handle.read(0, handle.size), mtimeMs: handle.mtimeMs },
  );

type SmallFile = { readonly bytes: Uint8Array; readonly mtimeMs: number };

const PIECE_BYTES = 1024 * 1024;

/** The lines of a file that hold this text, each at most `maxBytes` long, as are all together; null as above. */
export const readLinesWith = (
  path: string,
  roots: readonly string[],
  text: string,
  maxBytes: number,
): Promise<Uint8Array | null> =>
  withHandle(path, roots, async (handle) => {
    const found: Uint8Array[] = [];
    let [open, size] = [Buffer.alloc(0), 0];
    const keep = (line: Buffer): number => {
      if (!line.includes(text)) return 0;
      found.push(Buffer.from(line));
      return line.length;
    };
    for (let at = 0; at < handle.size && size <= maxBytes; at += PIECE_BYTES) {
      const piece = Buffer.concat([open, await handle.read(at, Math.min(PIECE_BYTES, handle.size - at))]);
      const end = piece.lastIndexOf(0x0a) + 1;
      // Most pieces hold no such line at all.
      if (piece.includes(text))
        for (let from = 0; from < end;) {
          const to = piece.indexOf(0x0a, from) + 1;
          size += keep(piece.subarray(from, to));
          from = to;
        }
      open = piece.length - end > maxBytes ? Buffer.alloc(0) : piece.subarray(end);
    }
    size += keep(open);
    return size > maxBytes ? null : Buffer.concat(found);
  });

async function withHandle<T>(
  path: string,
  roots: readonly string[],
  run: (handle: SourceHandle) => Promise<T | null>,
): Promise<T | null> {
  let handle: SourceHandle;
  try {
    handle = await openSource(path, roots);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
  try {
    return await run(handle);
  } finally {
    await handle.close();
  }
}

/** True when `path` is `root` or lies below it. Both must be real paths. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

type Kind = Pick<BigIntStats, "isFile" | "isSymbolicLink" | "isDirectory" | "isFIFO" | "isSocket">;

/** What it is instead of a regular file, in words; null for a regular file. */
export function irregular(kind: Kind): string | null {
  if (kind.isFile()) return null;
  if (kind.isSymbolicLink()) return "a symbolic link";
  if (kind.isDirectory()) return "a folder";
  if (kind.isFIFO()) return "a named pipe";
  if (kind.isSocket()) return "a socket";
  return "a device";
}

function refuseIrregular(path: string, kind: Kind): void {
  const what = irregular(kind);
  if (what !== null) fail("invalid", `${path} is ${what}. Only regular files are read as sources.`);
}

function refuseOutside(path: string, opened: BigIntStats, roots: readonly string[]): void {
  const real = orRefuse(path, () => realpathSync.native(path));
  const named = orRefuse(path, () => statSync(real, { bigint: true }));
  if (named.dev !== opened.dev || named.ino !== opened.ino)
    fail("conflict", `${path} was replaced during the read. Read it again.`);
  if (roots.some((root) => isBelow(real, root))) return;
  fail("invalid", `${path} is at ${real}, outside the configured sources. Add its folder as a source to read it.`);
}

/** The root's own path may hold links; one that is not there has nothing below it. */
function isBelow(real: string, root: string): boolean {
  try {
    return isInside(real, realpathSync.native(root));
  } catch {
    return false;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not read it. Change its permissions, or remove it",
  EPERM: "this user may not read it. Change its permissions, or remove it",
  ELOOP: "it is a symbolic link. Only regular files are read as sources",
  ENXIO: "it is a socket or a device without a reader. Only regular files are read as sources",
  ENAMETOOLONG: "its path is too long for this system. Move it nearer to the root",
  ERR_INVALID_ARG_VALUE: "its path contains a NUL byte",
  EISDIR: "it is a folder. Only regular files are read as sources",
};

function orRefuse<T>(path: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    return refuse(path, error);
  }
}

function refuse(path: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ENOENT" || code === "ENOTDIR")
    throw new AppError("not_found", `No file ${path}. It was moved or deleted.`, { cause: error });
  const reason = REASONS[code];
  if (reason !== undefined) throw new AppError("invalid", `${path} cannot be read: ${reason}.`, { cause: error });
  throw error;
}
