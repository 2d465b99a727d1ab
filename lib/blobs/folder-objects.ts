// Objects as files of one folder, for one machine and for tests. Written aside and linked to their name: a link fails where the
// name is taken, so of two that put at once one wins.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import {
  absentObject,
  checkedName,
  checkedRange,
  type ListedObject,
  type ObjectRange,
  type ObjectStore,
} from "./object-store.ts";
import { syncPath } from "./sync.ts";

const PIECE_BYTES = 1024 * 1024;

export function folderObjects(dir: string): ObjectStore {
  const root = join(dir, "objects");
  const aside = join(dir, "writing");
  const pathOf = (name: string): string => join(root, ...checkedName(name).split("/"));
  const label = `The folder ${dir}`;

  async function putStream(name: string, pieces: AsyncIterable<Uint8Array>): Promise<"stored" | "there"> {
    const path = pathOf(name);
    await mkdir(aside, { recursive: true, mode: 0o700 });
    const temporary = join(aside, randomBytes(12).toString("hex"));
    const file = await open(temporary, "wx", 0o600);
    try {
      try {
        for await (const piece of pieces) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await link(temporary, path);
      await syncPath(dirname(path), "r");
      return "stored";
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return "there";
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async function* read(name: string, range?: ObjectRange): AsyncGenerator<Uint8Array> {
    const { start, end } = checkedRange(range ?? { start: 0, end: Number.MAX_SAFE_INTEGER });
    const file = await open(pathOf(name), "r").catch((error: unknown) =>
      (error as NodeJS.ErrnoException).code === "ENOENT" ? absentObject(label, name) : Promise.reject(error),
    );
    try {
      for (let position = start; position < end;) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - position));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        position += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  return {
    label,
    put: (name, bytes) =>
      putStream(
        name,
        (async function* () {
          yield bytes;
        })(),
      ),
    putStream,
    async get(name, range) {
      const pieces: Uint8Array[] = [];
      for await (const piece of read(name, range)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    read: (name) => read(name),
    async head(name) {
      const found = await stat(pathOf(name)).catch(() => null);
      return found?.isFile() ? { size: found.size } : null;
    },
    async *list(prefix) {
      const found: ListedObject[] = [];
      const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of names) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const name = relative(root, path).split(sep).join("/");
        if (!name.startsWith(prefix)) continue;
        const at = await stat(path).catch(() => null);
        if (at !== null) found.push({ name, size: at.size, modifiedMs: at.mtimeMs });
      }
      yield* found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    signPut: async () => null,
    signGet: async () => null,
    async ensure() {
      mkdirSync(root, { recursive: true, mode: 0o700 });
    },
    async check() {
      const found = await stat(root).catch(() => null);
      if (found?.isDirectory() !== true) fail("not_found", `${label} is missing. Make it: plimsoll fleet init.`);
    },
  };
}
