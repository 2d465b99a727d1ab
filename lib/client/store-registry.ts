// The index of one session's artifacts: registry.jsonl beside the files, one line for each storing and one for each
// removal, only ever added to. One write() with O_APPEND puts a line there whole, also when several processes add; a line
// that a crash left torn costs itself alone, because the next one begins after a line end of its own.
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeAll } from "#lib/blobs/sync.ts";
import { ID_LENGTHS, artifactIdOf } from "#lib/kernel/artifacts/pointer.ts";

const storedFields = z.object({
  v: z.literal(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  artifact: z.object({
    id: z.string().regex(/^art_[0-9a-f]{16,64}$/),
    uuid: z.uuid(),
    type: z.literal("tool-result"),
    toolName: z.string(),
    createdAt: z.iso.datetime(),
    ttlSeconds: z.number().nullable(),
    sizeBytes: z.int().min(0),
    summary: z.string(),
    path: z.string(),
  }),
  sessionId: z.string(),
});
// The name of a file is made from the id: one that does not come from the digest is refused.
const stored = storedFields.refine(({ hash, artifact }) =>
  ID_LENGTHS.some((length) => artifact.id === artifactIdOf(hash, length)),
);
const removed = z.object({ v: z.literal(1), removed: z.uuid(), sessionId: z.string() });
const registryLine = z.union([stored, removed]);

export type StoredLine = z.infer<typeof stored>;
export type RegistryLine = z.infer<typeof registryLine>;

/** A line that could not be read: that artifact is lost to the index, and no other. */
export type BadLine = { readonly file: string; readonly line: number; readonly reason: string };

export const REGISTRY = "registry.jsonl";
const LF = 0x0a;
/** So many bytes have the id of the first line among them, which no other registry has. */
const HEAD_BYTES = 256;

export function appendLine(folder: string, line: RegistryLine): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(join(folder, REGISTRY), flags, 0o600);
  try {
    fchmodSync(fd, 0o600);
    const last = Buffer.alloc(1);
    const { size } = fstatSync(fd);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LF;
    writeAll(fd, Buffer.from(`${isTorn ? "\n" : ""}${JSON.stringify(line)}\n`));
  } finally {
    closeSync(fd);
  }
}

/** Reads a registry from where it was read before. */
export class RegistryReader {
  readonly #file: string;
  /** What it began with when it was read first. */
  #head: Buffer = Buffer.alloc(0);
  #offset = 0;
  #line = 0;
  #bad: BadLine[] = [];

  constructor(folder: string) {
    this.#file = join(folder, REGISTRY);
  }

  get bad(): readonly BadLine[] {
    return this.#bad;
  }

  /** What is new since the last time; `isFresh` when the file is another one, and everything before is to be forgotten. */
  read(): { readonly isFresh: boolean; readonly lines: readonly RegistryLine[] } {
    const fd = openOrNull(this.#file);
    if (fd === null) return { isFresh: this.#forget(), lines: [] };
    try {
      const { size } = fstatSync(fd);
      const isFresh = size >= this.#offset && this.#hasHead(fd) ? false : this.#forget();
      if (size === this.#offset) return { isFresh, lines: [] };
      const bytes = Buffer.alloc(size - this.#offset);
      const text = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, this.#offset));
      const end = text.lastIndexOf(LF) + 1;
      if (this.#offset === 0) this.#head = text.subarray(0, Math.min(end, HEAD_BYTES));
      this.#offset += end;
      return { isFresh, lines: this.#linesOf(text.subarray(0, end)) };
    } finally {
      closeSync(fd);
    }
  }

  /** The number of a deleted file is given to the next one: ext4 gave it at once. */
  #hasHead(fd: number): boolean {
    const head = Buffer.alloc(this.#head.length);
    readSync(fd, head, 0, head.length, 0);
    return head.equals(this.#head);
  }

  #forget(): boolean {
    const hadSome = this.#offset > 0;
    this.#head = Buffer.alloc(0);
    this.#offset = 0;
    this.#line = 0;
    this.#bad = [];
    return hadSome;
  }

  #linesOf(bytes: Buffer): RegistryLine[] {
    const lines: RegistryLine[] = [];
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(LF, start);
      this.#line++;
      const line = parseLine(bytes.toString("utf8", start, end));
      if (typeof line === "string") this.#bad.push({ file: this.#file, line: this.#line, reason: line });
      else lines.push(line);
      start = end + 1;
    }
    return lines;
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The line, or why it is none. */
function parseLine(text: string): RegistryLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  const parsed = registryLine.safeParse(value);
  return parsed.success ? parsed.data : "it is not a line of this registry";
}
