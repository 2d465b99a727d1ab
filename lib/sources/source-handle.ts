// Opening a session file. Source folders are written by others, so nothing in them is trusted: only
// regular files are read, only inside the roots, never through a symbolic link, and never blocking.
// The file that is open is the file that was checked: its realpath is compared by device and inode.
import type { BigIntStats } from "node:fs";
import { constants } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
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
  const found = await lstat(path).catch((error: unknown) => refuse(path, error));
  refuseIrregular(path, found);
  // Windows knows neither flag; there `lstat` above is the check.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch((error: unknown) => refuse(path, error));
  let opened: BigIntStats;
  try {
    opened = await file.stat({ bigint: true });
    refuseIrregular(path, opened);
    await refuseOutside(path, opened, roots);
  } catch (error) {
    await file.close();
    throw error;
  }
  let closed: Promise<void> | null = null;
  return {
    path,
    size: Number(opened.size),
    mtimeMs: Number(opened.mtimeNs) / 1e6,
    dev: String(opened.dev),
    ino: String(opened.ino),
    fd: file.fd,
    async read(start, length, into) {
      const bytes = into ?? Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === bytes.length ? bytes : bytes.subarray(0, filled);
    },
    close() {
      closed ??= file.close();
      return closed;
    },
  };
}

/** A small file beside a source, whole; null when it is absent, not a regular file, too big or outside the roots. */
export async function readSmall(path: string, roots: readonly string[], maxBytes: number): Promise<Uint8Array | null> {
  let handle: SourceHandle;
  try {
    handle = await openSource(path, roots);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
  try {
    return handle.size > maxBytes ? null : await handle.read(0, handle.size);
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

async function refuseOutside(path: string, opened: BigIntStats, roots: readonly string[]): Promise<void> {
  const real = await realpath(path).catch((error: unknown) => refuse(path, error));
  const named = await stat(real, { bigint: true }).catch((error: unknown) => refuse(path, error));
  if (named.dev !== opened.dev || named.ino !== opened.ino)
    fail("conflict", `${path} was replaced while it was opened. Read it again.`);
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => null);
    if (realRoot !== null && isInside(real, realRoot)) return;
  }
  fail("invalid", `${path} lies at ${real}, outside the configured sources. Add its folder as a source to read it.`);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not read it. Change its permissions, or leave it out",
  EPERM: "this user may not read it. Change its permissions, or leave it out",
  ELOOP: "it is a symbolic link. Only regular files are read as sources",
  ENXIO: "it is a socket or a device without a reader. Only regular files are read as sources",
  ENAMETOOLONG: "its path is too long for this system. Move it nearer to the root",
  ERR_INVALID_ARG_VALUE: "its path holds a NUL byte, which no file has",
  EISDIR: "it is a folder. Only regular files are read as sources",
};

function refuse(path: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ENOENT" || code === "ENOTDIR")
    throw new AppError("not_found", `No file ${path}. It was moved or deleted.`, { cause: error });
  const reason = REASONS[code];
  if (reason !== undefined) throw new AppError("invalid", `${path} cannot be read: ${reason}.`, { cause: error });
  throw error;
}
