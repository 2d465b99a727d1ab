// Damage of every kind, found and mended: rows, blobs, registries.
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  SESSION,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { check } from "./check-archive.ts";
import { importPaths } from "../import/import-paths.ts";
import { rebuild } from "./rebuild-archive.ts";
import { readText } from "../artifacts/whole-text.ts";
import { dumpOf, inArchive, put } from "../testing-archive.ts";

const records = (id: string): Rec[] =>
  [0, 1, 2, 3].flatMap((n) => [
    prompt(`p${n}${id}`, n * 10, `Step ${n}`, { sessionId: id }),
    answer(`a${n}${id}`, n * 10 + 1, `${n}${id}`, asks(`t${n}`, "Read", { file_path: `/tides/${n}.txt` }), {
      more: { sessionId: id },
    }),
    { ...result(`r${n}${id}`, n * 10 + 2, `t${n}`, `${id} ${n}\n`.repeat(400)), sessionId: id },
  ]);

const withTwo = (run: (archive: Archive, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    for (const id of [SESSION, idOf("other")]) put(logs, `${id}.jsonl`, jsonl(...records(id)));
    await importPaths(archive, [logs]);
    await run(archive, logs);
  });

const blobPath = (archive: Archive, digest: string): string =>
  join(archive.dir, "blobs", digest.slice(0, 2), digest.slice(2, 4), digest);
const firstDigest = (archive: Archive): string =>
  archive.sqlite.prepare("SELECT digest FROM blobs ORDER BY digest").pluck().get() as string;
const kinds = async (archive: Archive): Promise<string[]> =>
  [...new Set((await check(archive)).problems.map(({ kind }) => kind))].toSorted();

test("a sound archive is sound", () =>
  withTwo(async (archive) => {
    expect(await check(archive)).toMatchObject({
      ok: true,
      problems: [],
      blobs: { checked: 8, corrupt: 0, missing: 0, orphan: 0 },
      rows: { bad: 0 },
      registry: { lines: 8, bad: 0 },
    });
  }));

test("a changed event is found, and read again from the kept bytes though its file is gone", () =>
  withTwo(async (archive, logs) => {
    const before = dumpOf(archive);
    archive.sqlite.exec("UPDATE events SET body = replace(body, 'Step 1', 'Step 9') WHERE body LIKE '%Step 1%'");
    rmSync(logs, { recursive: true });
    const found = await check(archive);
    expect(found).toMatchObject({ ok: false, rows: { bad: 2 } });
    expect(found.problems.map(({ kind }) => kind)).toEqual(["event", "event"]);
    const mended = await rebuild(archive);
    expect(mended).toMatchObject({ ok: true, problems: [], rebuilt: { sessions: 2 } });
    expect(dumpOf(archive)).toEqual(before);
  }));

test("a source of several blocks, and the one after it, are read again to their ends", () =>
  inArchive(async (archive, logs) => {
    // In order of their names: the first takes three blocks of kept bytes.
    const [large, small] = ["large", "small"].map(idOf).toSorted();
    const steps = (label: string, count: number): string =>
      Array.from({ length: count }, (_, n) => ({
        ...prompt(`${label}${n}`, n, `${label} ${n} `.repeat(12_000)),
        sessionId: label === "large" ? large : small,
      }))
        .map((record) => `${JSON.stringify(record)}\n`)
        .join("");
    put(logs, `${large}.jsonl`, steps("large", 25));
    put(logs, `${small}.jsonl`, steps("small", 2));
    await importPaths(archive, [logs]);
    expect(archive.sqlite.prepare("SELECT count(*) FROM raw_blocks").pluck().get()).toBeGreaterThan(3);
    const before = dumpOf(archive);
    archive.sqlite.exec("DELETE FROM events WHERE id % 4294967296 = 2");
    expect(await rebuild(archive)).toMatchObject({ ok: true, rebuilt: { sessions: 2 } });
    expect(dumpOf(archive)).toEqual(before);
  }));

test("lost events are found by their number, and come back", () =>
  withTwo(async (archive) => {
    const before = dumpOf(archive);
    archive.sqlite.exec("DELETE FROM events WHERE id % 4294967296 = 5");
    expect(await kinds(archive)).toEqual(["session"]);
    expect(await rebuild(archive)).toMatchObject({ ok: true });
    expect(dumpOf(archive)).toEqual(before);
  }));

test("artifact rows that were lost or changed come back from the registry", () =>
  withTwo(async (archive) => {
    const before = dumpOf(archive);
    archive.sqlite.exec(
      "DELETE FROM artifacts WHERE pk = 1; UPDATE artifacts SET name = 'other', size = 7 WHERE pk = 2",
    );
    const mended = await rebuild(archive);
    expect(mended).toMatchObject({ ok: true, rebuilt: { artifacts: 2 } });
    expect(dumpOf(archive)["artifacts"]).toEqual(before["artifacts"]);
  }));

test("a corrupt blob is found and never given out; importing its session again heals it", () =>
  withTwo(async (archive, logs) => {
    const digest = firstDigest(archive);
    const path = blobPath(archive, digest);
    const bytes = readFileSync(path);
    bytes[10]! ^= 1;
    writeFileSync(path, bytes);
    const found = await check(archive);
    expect(found).toMatchObject({ ok: false, blobs: { corrupt: 1, missing: 0 } });
    const pointer = archive.sqlite
      .prepare("SELECT pointer FROM artifacts WHERE digest = ?")
      .pluck()
      .get(digest) as string;
    await expect(readText(archive, pointer)).rejects.toThrow();
    for (const name of readdirSync(logs)) appendFileSync(join(logs, name), "\n");
    for (const name of readdirSync(logs)) writeFileSync(join(logs, name), ` ${readFileSync(join(logs, name), "utf8")}`);
    await importPaths(archive, [logs]);
    expect((await check(archive)).blobs).toMatchObject({ corrupt: 0, missing: 0 });
    expect(
      (
        await readText(
          archive,
          archive.sqlite.prepare("SELECT pointer FROM artifacts WHERE digest = ?").pluck().get(digest) as string,
        )
      ).length,
    ).toBeGreaterThan(4096);
  }));

test.each([
  ["missing", (path: string) => rmSync(path), "missing"],
  ["cut", (path: string) => truncateSync(path, 100), "corrupt"],
  ["empty", (path: string) => truncateSync(path, 0), "corrupt"],
] as const)("a %s blob is found", (_, damage, state) =>
  withTwo(async (archive) => {
    damage(blobPath(archive, firstDigest(archive)));
    const found = await check(archive);
    expect(found.blobs[state]).toBe(1);
    expect(found.problems).toHaveLength(1);
  }),
);

test("lost and damaged blobs of imported sessions come back from the kept bytes, those of our own cannot", () =>
  withTwo(async (archive, logs) => {
    const { id } = await createSession(archive, { id: "s" });
    const own = await storeArtifact(archive, { session: id }, Buffer.from("stored by an agent"));
    rmSync(logs, { recursive: true });
    const digests = archive.sqlite
      .prepare("SELECT digest FROM artifacts WHERE origin = 'imported' ORDER BY digest")
      .pluck()
      .all() as string[];
    rmSync(blobPath(archive, digests[0]!));
    writeFileSync(blobPath(archive, digests[1]!), "other bytes");
    rmSync(blobPath(archive, own.digest));
    const remedyOf = ({ ref, text }: { ref: string; text: string }): string =>
      `${ref} ${/--rebuild|Storing the same content/.exec(text)?.[0]}`;
    expect((await check(archive)).problems.map(remedyOf).toSorted()).toEqual(
      [`${digests[0]} --rebuild`, `${digests[1]} --rebuild`, `${own.digest} Storing the same content`].toSorted(),
    );
    const { blobs } = await rebuild(archive);
    expect(blobs).toMatchObject({ missing: 1, corrupt: 0 });
    expect(await archive.blobs.verify(digests[0]!)).toBe("ok");
    expect(await archive.blobs.verify(digests[1]!)).toBe("ok");
  }));

test("a damaged registry line is found, and an artifact that no registry holds", () =>
  withTwo(async (archive) => {
    const folder = join(archive.dir, "sessions");
    const path = join(folder, readdirSync(folder)[0]!, "registry.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[0] = lines[0]!.replace("Read", "Rend");
    writeFileSync(path, lines.join("\n"));
    const found = await check(archive);
    expect(found.registry).toMatchObject({ lines: 8, bad: 1 });
    expect(found.problems.map(({ kind }) => kind)).toEqual(["registry", "registry"]);
  }));

test("bytes that nothing names are counted, and no problem", () =>
  withTwo(async (archive) => {
    archive.blobs.stage(Buffer.from("nobody's"));
    await archive.blobs.flush();
    expect(await check(archive)).toMatchObject({ ok: true, blobs: { orphan: 1 } });
  }));

test("checking changes nothing", () =>
  withTwo(async (archive) => {
    const before = dumpOf(archive);
    const size = statSync(join(archive.dir, "archive.db")).size;
    archive.sqlite.exec("UPDATE events SET body = body || ' ' WHERE id % 4294967296 = 3");
    const changed = dumpOf(archive);
    await check(archive);
    expect(dumpOf(archive)).toEqual(changed);
    expect(changed).not.toEqual(before);
    expect(statSync(join(archive.dir, "archive.db")).size).toBe(size);
  }));
