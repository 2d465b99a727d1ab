// One line per artifact beside the blobs: enough to rebuild the artifact rows when the database is lost.
// A line carries the crc32 of itself without the crc; a batch is one write(), so that a crash leaves whole
// lines and at most one torn tail, which the next batch moves aside. appendRegistry writes, flushRegistry
// makes durable: before the database's commit, or later where the journal has the lines until then.
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { fail } from "#lib/kernel/errors.ts";
import { makePrivateFolder, syncDescriptor, syncPath, writeAll } from "./sync.ts";

export type RegistryLine = {
  /** From 1. */
  readonly line: number;
  /** null when the line is damaged: torn, not JSON, or its crc does not fit. */
  readonly value: Record<string, unknown> | null;
  readonly raw: string;
};

const SESSION_ID = /^s_[0-9a-f]{16}$/;
const LF = 0x0a;
const PIECE_BYTES = 256 * 1024;

// A registry stays open for the next batch: opening it, looking at its end and closing it took 0.1 ms of a group of small
// puts. An import opens many, one after the other.
const KEPT_OPEN = 8;

type OpenRegistry = {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  size: number;
  /** While a thread of the pool syncs it, nobody closes the file under it. */
  isSyncing: boolean;
  isClosed: boolean;
};

/** The least recently used first. */
const opened = new Map<string, OpenRegistry>();
const unsynced = new Set<string>();
const newFolders = new Set<string>();

/** Lines as they stand in a registry. */
export const registryText = (lines: readonly object[]): string => lines.map(lineOf).join("");

/** Adds lines to the registry of a session. Written when it returns, durable after flushRegistry(). */
export function appendRegistry(dir: string, sessionId: string, text: string): void {
  const path = registryPath(dir, sessionId);
  if (text === "") return;
  const bytes = Buffer.from(text);
  const file = openedAt(path) ?? openRegistry(path);
  opened.delete(path);
  opened.set(path, file);
  unsynced.add(path);
  try {
    const written = writeSync(file.fd, bytes);
    // Mostly a full disk: the second write says why.
    if (written < bytes.length) writeAll(file.fd, bytes.subarray(written));
    file.size += bytes.length;
  } catch (error) {
    ftruncateSync(file.fd, file.size);
    throw error;
  }
}

/** Resolves when every line that was appended so far is on the disk. */
export async function flushRegistry(): Promise<void> {
  const paths = [...unsynced];
  const folders = [...newFolders];
  unsynced.clear();
  newFolders.clear();
  const [only] = paths;
  // One file is synced here: what the disk takes, 0.16 ms, is a third of what a thread of the pool took.
  if (only !== undefined && paths.length === 1 && folders.length === 0) syncNow(only);
  else {
    const results = await Promise.allSettled([
      ...paths.map((path) => syncInPool(path)),
      ...folders.map((folder) => syncPath(folder, "r")),
    ]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
  for (const path of opened.keys()) {
    if (opened.size <= KEPT_OPEN) break;
    // What another archive of this program added meanwhile waits for its own flush.
    if (!unsynced.has(path)) close(path);
  }
}

/** Syncs the registry of a session and the folders above it, whatever is known of them. */
export async function syncRegistry(dir: string, sessionId: string): Promise<void> {
  const path = registryPath(dir, sessionId);
  await syncPath(path, "r+");
  for (let at = dirname(path); at !== dirname(dir); at = dirname(at)) await syncPath(at, "r");
}

export const hasRegistry = (dir: string, sessionId: string): boolean => existsSync(registryPath(dir, sessionId));

/** Takes away the registry of a session that is gone for good: at once, and durably after flushRegistry(). */
export function removeRegistry(dir: string, sessionId: string): void {
  const path = registryPath(dir, sessionId);
  const folder = dirname(path);
  unsynced.delete(path);
  if (opened.has(path)) close(path);
  newFolders.delete(folder);
  if (!existsSync(folder)) return;
  rmSync(folder, { recursive: true, force: true });
  newFolders.add(dirname(folder));
}

/** Closes what is open of an archive. */
export function closeRegistries(dir: string): void {
  for (const path of opened.keys()) if (path.startsWith(join(dir, "sessions", "/"))) close(path);
}

function syncNow(path: string): void {
  try {
    fsyncSync(opened.get(path)!.fd);
  } catch (error) {
    distrust(path, error);
  }
}

async function syncInPool(path: string): Promise<void> {
  const file = opened.get(path)!;
  file.isSyncing = true;
  try {
    await syncDescriptor(file.fd);
  } catch (error) {
    distrust(path, error);
  } finally {
    file.isSyncing = false;
    if (file.isClosed) closeSync(file.fd);
  }
}

/** What a failed sync left of a file is looked at again before anything is added to it. */
function distrust(path: string, error: unknown): never {
  close(path);
  throw error;
}

function close(path: string): void {
  const file = opened.get(path);
  opened.delete(path);
  unsynced.delete(path);
  if (file === undefined) return;
  file.isClosed = true;
  if (!file.isSyncing) closeSync(file.fd);
}

/** The open file of a path, when it is still the one that is there and as long as we left it. */
function openedAt(path: string): OpenRegistry | null {
  const file = opened.get(path);
  if (file === undefined) return null;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.ino === file.ino && found.dev === file.dev && found.size === file.size) return file;
  close(path);
  return null;
}

/** The lines of a session's registry, damaged ones included. A session without one has none. */
export async function* readRegistry(dir: string, sessionId: string): AsyncGenerator<RegistryLine> {
  const file = await open(registryPath(dir, sessionId), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    },
  );
  if (file === null) return;
  try {
    let rest: Buffer = Buffer.alloc(0);
    let line = 1;
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
        yield lineFrom(bytes.toString("utf8", start, end), line++);
        start = end + 1;
      }
      rest = bytes.subarray(start);
      if (bytesRead === 0) break;
    }
    if (rest.length > 0) yield lineFrom(rest.toString("utf8"), line);
  } finally {
    await file.close();
  }
}

/** Where the registry of a session is. */
function registryPath(dir: string, sessionId: string): string {
  if (!SESSION_ID.test(sessionId))
    fail("invalid", `"${sessionId.slice(0, 80)}" is not a session id. An id is s_ and 16 hex digits.`);
  return join(dir, "sessions", sessionId, "registry.jsonl");
}

function openRegistry(path: string): OpenRegistry {
  const folder = dirname(path);
  for (const parent of makePrivateFolder(folder)) newFolders.add(parent);
  // O_RDWR, since the end is read before anything is added to it.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, flags, 0o600);
  try {
    fchmodSync(fd, 0o600);
    const { dev, ino, size } = fstatSync(fd);
    if (size === 0) newFolders.add(folder);
    return { fd, dev, ino, size: repair(fd, path, size), isSyncing: false, isClosed: false };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Makes the file end at a line end, and says its size. A torn tail is kept in registry.jsonl.torn. */
function repair(fd: number, path: string, size: number): number {
  const tail = tornTail(fd, size);
  if (tail.length === 0) return size;
  if (lineFrom(tail.toString("utf8"), 0).value !== null) {
    writeAll(fd, Buffer.of(LF));
    return size + 1;
  }
  const torn = openSync(`${path}.torn`, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    writeAll(torn, Buffer.concat([tail, Buffer.of(LF)]));
  } finally {
    closeSync(torn);
  }
  ftruncateSync(fd, size - tail.length);
  return size - tail.length;
}

/** The bytes after the last newline. */
function tornTail(fd: number, size: number): Buffer {
  let tail: Buffer = Buffer.alloc(0);
  for (let end = size; end > 0;) {
    // One byte says that all is well, which it nearly always is.
    const length = Math.min(end, end === size ? 1 : PIECE_BYTES);
    const piece = Buffer.alloc(length);
    readSync(fd, piece, 0, length, end - length);
    const newline = piece.lastIndexOf(LF);
    tail = Buffer.concat([piece.subarray(newline + 1), tail]);
    if (newline !== -1) break;
    end -= length;
  }
  return tail;
}

function lineOf(value: object): string {
  const json = JSON.stringify(value);
  if ("crc" in value) fail("invalid", 'A registry line may not have a field "crc": the registry adds it.');
  return `${json.slice(0, -1)}${json === "{}" ? "" : ","}"crc":${crc32(json)}}\n`;
}

const CRC_AT_END = /,?"crc":(\d{1,10})\}$/;

function lineFrom(raw: string, line: number): RegistryLine {
  const found = CRC_AT_END.exec(raw);
  if (found === null) return { line, value: null, raw };
  const json = `${raw.slice(0, found.index)}}`;
  if (crc32(json) !== Number(found[1])) return { line, value: null, raw };
  try {
    return { line, value: JSON.parse(json) as Record<string, unknown>, raw };
  } catch {
    return { line, value: null, raw };
  }
}
