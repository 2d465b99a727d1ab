// An artifact that is larger than any memory is stored, read in ranges and swept in pieces.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { inFolder } from "../testing-archive.ts";

const MB = 1024 * 1024;
const SIZE_MB = 384;

const urlOf = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

const STORING = `
  import { createHash } from "node:crypto";
  const { openArchive, closeArchive } = await import(${urlOf("../archive.ts")});
  const { testHost } = await import(${urlOf("../testing-archive.ts")});
  const { createSession } = await import(${urlOf("create-session.ts")});
  const { storeArtifact } = await import(${urlOf("store-artifact.ts")});
  const { deleteArtifact } = await import(${urlOf("delete-artifact.ts")});
  const { collect } = await import(${urlOf("gc.ts")});
  const MB = ${MB};
  const archive = await openArchive({ dir: process.argv[1], host: testHost() });
  const { id } = await createSession(archive, { id: "s" });
  // One buffer that is filled again, as a socket's are: what the test makes itself is not counted.
  const buffer = Buffer.alloc(MB);
  const piece = (i) => buffer.fill("line of a long log " + i + "\\n");
  await storeArtifact(archive, { session: id }, (async function* () { yield piece(0); yield piece(1); })());
  global.gc();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  const digest = createHash("sha256");
  const stored = await storeArtifact(archive, { session: id }, (async function* () {
    for (let i = 0; i < ${SIZE_MB}; i++) { const bytes = piece(i); digest.update(bytes); yield bytes; }
  })());
  const sound = stored.digest === digest.digest("hex") && stored.sizeBytes === ${SIZE_MB} * MB;
  const range = { start: 200 * MB + 12345, end: 200 * MB + 12345 + 100 };
  const read = [];
  for await (const bytes of archive.blobs.read(stored.digest, range)) read.push(bytes);
  const isRight = Buffer.concat(read).equals(piece(200).subarray(12345, 12445));
  await deleteArtifact(archive, stored.pointer);
  const swept = await collect(archive, { graceMs: -60000 });
  clearInterval(timer);
  await closeArchive(archive);
  console.log(JSON.stringify({ sound, isRight, grownMb: Math.round((peak - before) / MB), freed: swept.bytes }));
`;

test("an artifact of 384 MB takes less than 64 MB of memory on its way in and out", { timeout: 120_000 }, () =>
  inFolder(async (dir) => {
    const ran = spawnSync(
      process.execPath,
      ["--expose-gc", "--input-type=module", "-e", STORING, join(dir, "archive")],
      { encoding: "utf8" },
    );
    expect(ran.stderr).toBe("");
    const said = JSON.parse(ran.stdout) as { sound: boolean; isRight: boolean; grownMb: number; freed: number };
    console.log(`384 MB in and out: ${said.grownMb} MB more memory at most`);
    expect(said).toMatchObject({ sound: true, isRight: true, freed: SIZE_MB * MB });
    expect(said.grownMb).toBeLessThan(64);
  }),
);
