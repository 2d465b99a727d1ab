// The inspection itself: what a kill could do wrong is found when it is done on purpose.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { inspect } from "./inspect.ts";
import { openJournal } from "./crash-journal.ts";

type Put = { readonly pointer: string; readonly digest: string };

/** What is wrong after an artifact was acknowledged, another deleted, and something done to the archive. */
const after = (harm: (archive: Archive, put: Put, gone: Put) => void): Promise<string> =>
  inFolder(async (base) => {
    const dir = join(base, "one", "archive");
    mkdirSync(join(base, "one"));
    await withArchive(dir, async (archive) => {
      const { id } = await createSession(archive, { id: "crash" });
      const put = await storeArtifact(archive, { session: id, name: "note" }, Buffer.alloc(5000, "x"));
      const gone = await storeArtifact(archive, { session: id }, Buffer.alloc(5000, "y"));
      const journal = openJournal(join(base, "one", "journal"));
      for (const one of [put, gone])
        journal.acked({ put: one.pointer, digest: one.digest, size: 5000, name: one === put ? "note" : null });
      await deleteArtifact(archive, gone.pointer);
      journal.acked({ delete: gone.pointer });
      harm(archive, put, gone);
    });
    return (await inspect(dir)).join("; ");
  });

const registryOf = (archive: Archive): string => {
  const id = archive.sqlite.prepare("SELECT id FROM sessions").pluck().get() as string;
  return join(archive.dir, "sessions", id, "registry.jsonl");
};
const pathOf = (archive: Archive, { digest }: Put): string => archive.blobs.path!(digest);

test("an archive to which nothing was done is sound", async () => {
  expect(await after(() => undefined)).toBe("");
});

test.each<[string, (archive: Archive, put: Put, gone: Put) => void, RegExp]>([
  ["a lost row", (archive) => archive.sqlite.exec("DELETE FROM artifacts WHERE deleted_at IS NULL"), /has no row/],
  ["lost bytes", (archive, put) => rmSync(pathOf(archive, put)), /has no bytes/],
  ["torn bytes", (archive, put) => writeFileSync(pathOf(archive, put), Buffer.alloc(4000, "x")), /is torn/],
  [
    "a delete that is taken back",
    (archive, _, gone) => {
      archive.sqlite.prepare("UPDATE artifacts SET deleted_at = NULL WHERE pointer = ?").run(gone.pointer);
    },
    /is back/,
  ],
  [
    "a delete that nobody asked for",
    (archive, put) => {
      archive.sqlite.prepare("UPDATE artifacts SET deleted_at = 1 WHERE pointer = ?").run(put.pointer);
    },
    /nobody asked for it/,
  ],
  ["a lost name", (archive) => archive.sqlite.exec("DELETE FROM artifact_names"), /lost its name/],
  [
    "a registry that does not know what was acknowledged",
    (archive) => {
      const path = registryOf(archive);
      writeFileSync(path, `${readFileSync(path, "utf8").split("\n")[0]}\n`);
    },
    /made again without the database: .* has no row/,
  ],
  ["an open mode", (archive, put) => chmodSync(pathOf(archive, put), 0o644), /has mode 644/],
  [
    "a file outside",
    (archive) => writeFileSync(join(archive.dir, "..", "stray"), ""),
    /outside of the archive there is stray/,
  ],
  [
    "a temporary file",
    (archive) => writeFileSync(join(archive.dir, "blobs", ".tmp-1-ab-0"), "", { mode: 0o600 }),
    /was left behind/,
  ],
])("%s is found", async (_, harm, result) => {
  expect(await after(harm)).toMatch(result);
});
