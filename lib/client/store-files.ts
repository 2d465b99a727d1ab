// The files of a folder store: written to a temporary name and synced, read with their digest checked.
import { hash, randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, openSync, rmSync, write } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { syncDescriptor, writeAll } from "#lib/blobs/sync.ts";

/** Part of the name of a file that is not an artifact (yet, or any more). */
export const TEMPORARY = "tmp-";

/** Up to this size a file is written in one go; larger ones while other work goes on (bytes). */
const AT_ONCE = 256 * 1024;

/** A synced file with these bytes under a name of its own: 0600 whatever the umask. */
export async function writeTemporary(folder: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, `${TEMPORARY}${process.pid}-${randomBytes(8).toString("hex")}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, flags, 0o600);
  try {
    fchmodSync(fd, 0o600);
    if (bytes.length <= AT_ONCE) writeAll(fd, bytes);
    else await writeInPieces(fd, bytes);
    await syncDescriptor(fd);
    return path;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

async function writeInPieces(fd: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const from = done;
    done += await new Promise<number>((resolve, reject) => {
      write(fd, bytes, from, bytes.length - from, null, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }
}

/** The bytes of a file, or null when it is not there, is no file, or holds other bytes than its digest says. */
export async function readChecked(path: string, digest: string): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const bytes = await file.readFile();
    return hash("sha256", bytes, "hex") === digest ? bytes : null;
  } catch {
    // Unreadable (a mode of 000, a failing disk): not the content.
    return null;
  } finally {
    await file.close();
  }
}
