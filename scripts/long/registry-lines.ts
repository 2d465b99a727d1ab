// One bad line in a registry: it is told with its file and its number, and everything else is made again from the rest.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { check } from "#lib/archive/upkeep/check-archive.ts";
import { rebuild } from "#lib/archive/upkeep/rebuild-archive.ts";
import { testHost } from "#lib/archive/testing-archive.ts";

const SELECT = "SELECT pointer, digest, name, size, created_at, checksum FROM artifacts ORDER BY pointer";
type Row = { readonly pointer: string };

const damages = fc.record({
  artifacts: fc.integer({ min: 1, max: 12 }),
  line: fc.nat(),
  byte: fc.nat(),
  bit: fc.nat(7),
  how: fc.constantFrom("flip", "cut", "empty", "nul", "text"),
});

export const registryLines = (): fc.IAsyncProperty<[unknown]> =>
  fc.asyncProperty(damages, async ({ artifacts, line, byte, bit, how }) => {
    const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-lines-"));
    const dir = join(root, "archive");
    const inArchive = async <T>(work: (archive: Archive) => Promise<T>): Promise<T> => {
      const archive = await openArchive({ dir, host: testHost() });
      try {
        return await work(archive);
      } finally {
        await closeArchive(archive);
      }
    };
    try {
      const { before, id } = await inArchive(async (archive) => {
        const session = await createSession(archive, { id: "lines" });
        for (let i = 0; i < artifacts; i++)
          await storeArtifact(archive, { session: session.id }, Buffer.from(`artifact ${i}`));
        return { before: archive.sqlite.prepare(SELECT).all() as Row[], id: session.id };
      });
      const path = join(dir, "sessions", id, "registry.jsonl");
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      const at = line % lines.length;
      const lost = (JSON.parse(lines[at]!) as { pointer?: string }).pointer;
      lines[at] = damaged(lines[at]!, how, byte, bit);
      writeFileSync(path, `${lines.join("\n")}\n`);
      const found = await inArchive(check);
      const location = `sessions/${id}/registry.jsonl:${at + 1}`;
      if (!found.problems.some(({ kind, ref }) => kind === "registry" && ref === location))
        throw new Error(`${location} is not told of: ${JSON.stringify(found.problems)}`);
      if (found.registry.bad !== 1) throw new Error(`${found.registry.bad} lines are called bad`);
      for (const name of readdirSync(dir)) if (name.startsWith("archive.db")) rmSync(join(dir, name));
      const after = await inArchive(async (archive) => {
        await rebuild(archive);
        return archive.sqlite.prepare(SELECT).all();
      });
      const wanted = before.filter(({ pointer }) => pointer !== lost);
      if (JSON.stringify(after) !== JSON.stringify(wanted))
        throw new Error(`${after.length} artifacts came back, and should be ${wanted.length}`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }) as fc.IAsyncProperty<[unknown]>;

function damaged(text: string, how: string, byte: number, bit: number): string {
  if (how === "empty") return "";
  if (how === "text") return "not a line of a registry";
  if (how === "cut") return text.slice(0, byte % text.length);
  if (how === "nul") return "\0".repeat(1 + (byte % 100));
  const bytes = Buffer.from(text);
  const at = byte % bytes.length;
  const turned = bytes[at]! ^ (1 << bit);
  // A turned bit that makes a line end would be two bad lines.
  bytes[at] = turned === 0x0a ? 0x0b : turned;
  return bytes.toString("latin1");
}
