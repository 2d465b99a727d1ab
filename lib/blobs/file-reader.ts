// The read side of file blobs. A blob is checked against its name before its first byte goes out, once per
// process and file identity: a range of a damaged blob is as wrong as the whole. A large one that is read
// whole is digested again on the way, since bits can turn under an unchanged time stamp.
import { createHash, hash } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open } from "node:fs/promises";
import { fail } from "#lib/kernel/errors.ts";
import type { BlobRange } from "./blob-store.ts";
import { checkedDigest } from "./blob-store.ts";
import { moveAside } from "./quarantine.ts";

// Up to here a blob is read at once, checked and cut in memory: most are 5 to 50 KB.
const PIECE_BYTES = 1024 * 1024;
const REMEMBERED = 10_000;

type Opened = {
  readonly file: FileHandle;
  readonly size: number;
  readonly inode: bigint;
  readonly identity: string;
};

export type BlobReader = {
  size(digest: string): Promise<number>;
  read(digest: string, range?: BlobRange): AsyncGenerator<Uint8Array>;
  verify(digest: string): Promise<"ok" | "missing" | "corrupt">;
  /** The file was written again or removed. */
  forget(digest: string): void;
};

export function blobReader(quarantine: string, pathOf: (digest: string) => string): BlobReader {
  const checked = new Map<string, string>();

  function remember(digest: string, identity: string): void {
    const oldest = checked.keys().next();
    if (checked.size >= REMEMBERED && !oldest.done) checked.delete(oldest.value);
    checked.set(digest, identity);
  }

  /** `read`: the file that is damaged. One that was stored anew since stays. */
  async function refuse(digest: string, why: string, read: Opened | null = null): Promise<never> {
    checked.delete(digest);
    const path = pathOf(digest);
    if (read === null || lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ino === read.inode)
      moveAside(path, quarantine);
    return fail(
      "conflict",
      `The stored bytes of ${digest.slice(0, 16)} are damaged (${why}) and were moved to quarantine. Run plimsoll check --rebuild, or store the same content again.`,
    );
  }

  async function openBlob(digest: string): Promise<Opened> {
    const opened = await openRegular(pathOf(digest));
    if (opened === "missing") return absent(digest);
    return typeof opened === "string" ? refuse(digest, opened) : opened;
  }

  return {
    async size(digest) {
      const found = await lstat(pathOf(checkedDigest(digest))).catch(() => null);
      return found?.isFile() ? found.size : absent(digest);
    },
    async *read(digest, range) {
      const opened = await openBlob(checkedDigest(digest));
      const { file, size, identity } = opened;
      try {
        const start = range?.start ?? 0;
        const end = Math.min(range?.end ?? size, size);
        if (start < 0 || (range !== undefined && range.end < start))
          fail("invalid", `Bytes ${start} to ${range?.end} are not a range. Give a start from 0 and an end after it.`);
        if (size <= PIECE_BYTES) {
          const bytes = await readPiece(file, 0, size);
          if (hash("sha256", bytes, "hex") !== digest) await refuse(digest, "their digest differs", opened);
          if (start < end) yield bytes.subarray(start, end);
          return;
        }
        if (checked.get(digest) !== identity) {
          if ((await digestOf(file, size)) !== digest) await refuse(digest, "their digest differs", opened);
          remember(digest, identity);
        }
        const again = start === 0 && end === size ? createHash("sha256") : null;
        for (let position = start; position < end;) {
          const bytes = await readPiece(file, position, Math.min(PIECE_BYTES, end - position));
          if (bytes.length === 0) await refuse(digest, "it became shorter", opened);
          again?.update(bytes);
          position += bytes.length;
          // The last piece waits for the verdict on the whole.
          if (position === end && again !== null && again.digest("hex") !== digest)
            await refuse(digest, "their digest differs", opened);
          yield bytes;
        }
      } finally {
        await file.close();
      }
    },
    async verify(digest) {
      const opened = await openRegular(pathOf(checkedDigest(digest)));
      if (typeof opened === "string") return opened === "missing" ? "missing" : "corrupt";
      try {
        return (await digestOf(opened.file, opened.size)) === digest ? "ok" : "corrupt";
      } finally {
        await opened.file.close();
      }
    },
    forget: (digest) => void checked.delete(digest),
  };
}

/** The open file; "missing"; or why it is no blob. */
async function openRegular(path: string): Promise<Opened | string> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return "missing";
    if (["ELOOP", "EACCES", "ENXIO", "EISDIR"].includes(code)) return "it is not a readable file";
    throw error;
  }
  const found = await file.stat({ bigint: true });
  if (!found.isFile()) {
    await file.close();
    return "it is not a regular file";
  }
  const identity = `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  return { file, size: Number(found.size), inode: found.ino, identity };
}

async function digestOf(file: FileHandle, size: number): Promise<string> {
  const digest = createHash("sha256");
  const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(1, size)));
  for (let position = 0; position < size;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    digest.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return digest.digest("hex");
}

async function readPiece(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function absent(digest: string): never {
  return fail(
    "not_found",
    `No stored bytes ${digest.slice(0, 16)} in this archive. plimsoll check lists what is missing, and what can be restored.`,
  );
}
