import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { grepManyPiece, grepManyRun, type GrepManyFound, type GrepManyPiece } from "#lib/wire/grep-many-schema.ts";
import { createSession } from "../artifacts/create-session.ts";
import { flushReads } from "../artifacts/note-read.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive } from "../testing-archive.ts";
import { grepArtifacts } from "./grep-artifacts.ts";
import type { RunAsker } from "./inputs.ts";

const PERSON: RunAsker = { who: "browser:1", isPerson: true, session: null };

const store = async (archive: Archive, session: string, name: string, bytes: string | Uint8Array): Promise<string> =>
  (await storeArtifact(archive, { session, name }, typeof bytes === "string" ? Buffer.from(bytes) : bytes)).pointer;

async function search(archive: Archive, run: object, asker: Partial<RunAsker> = {}) {
  const pieces: GrepManyPiece[] = [];
  const out = { onStart: () => {}, onPiece: (piece: GrepManyPiece) => void pieces.push(grepManyPiece.parse(piece)) };
  const end = await grepArtifacts(archive, grepManyRun.parse(run), { ...PERSON, ...asker }, out);
  grepManyPiece.parse(end);
  const found = pieces.filter((piece): piece is GrepManyFound => piece.type === "found");
  return { pieces, found, end, names: found.map(({ artifact }) => artifact.name) };
}

const inHarbour = (run: (archive: Archive, refs: Record<string, string>) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    await createSession(archive, { id: "one" });
    await createSession(archive, { id: "two" });
    const refs = {
      calm: await store(archive, "one", "calm.log", "fair\n".repeat(2000)),
      storm: await store(archive, "one", "storm.log", `${"fair\n".repeat(99)}a storm\nfair\nStorm again\n`),
      other: await store(archive, "two", "other.log", "the storm of 1953\n"),
      again: await store(archive, "two", "again.log", "the storm of 1953\n"),
      bell: await store(
        archive,
        "two",
        "bell.bin",
        Uint8Array.from({ length: 6000 }, (_, at) => (at * 37) % 256),
      ),
    };
    await run(archive, refs);
  });

test("matches come grouped by artifact, in the order of the list, each with its lines", () =>
  inHarbour(async (archive) => {
    const { pieces, found, end } = await search(archive, {
      pattern: "storm",
      options: ["-i"],
      filter: { sort: "size", dir: "desc" },
    });
    expect(pieces[0]).toEqual({ type: "start", artifacts: 5 });
    expect(found.map(({ artifact }) => artifact.name)[0]).toBe("storm.log");
    expect(found[0]).toMatchObject({ matches: 2, omitted: 0, isCounted: true, sameBytes: 0 });
    expect(found[0]!.lines.map(({ line, text }) => [line, text])).toEqual([
      [100, "a storm"],
      [102, "Storm again"],
    ]);
    // Equal bytes are read once, and both artifacts counted.
    expect(found[1]).toMatchObject({ matches: 1, sameBytes: 1 });
    expect(end).toMatchObject({
      ...{ artifacts: 5, searched: 4, matched: 3, shown: 2, matches: 3 },
      ...{ noText: 1, gone: 0, unreadable: 0, leftOut: 0, isWhole: true, failure: null },
    });
    expect(pieces.at(-1)).toEqual({ type: "progress", searched: 4, matched: 3, matches: 3 });
  }));

test("a selection is searched in its own order, and a filter as the list has it", () =>
  inHarbour(async (archive, refs) => {
    const chosen = await search(archive, { pattern: "storm", artifacts: [refs["other"], refs["storm"], refs["calm"]] });
    expect(chosen.names).toEqual(["other.log", "storm.log"]);
    expect(chosen.end).toMatchObject({ artifacts: 3, searched: 3, matched: 2 });
    expect((await search(archive, { pattern: "storm", filter: { session: "one" } })).names).toEqual(["storm.log"]);
    expect((await search(archive, { pattern: "storm", filter: { q: "calm" } })).end).toMatchObject({ artifacts: 1 });
    await expect(search(archive, { pattern: "x", artifacts: ["art:nothing-there"] })).rejects.toMatchObject({
      code: "not_found",
    });
  }));

test("a token of one session searches that session alone, and its readings are noted", () =>
  inHarbour(async (archive, refs) => {
    const token = { who: "token:1", isPerson: false, session: "two" };
    const { names, end } = await search(archive, { pattern: "storm", filter: { session: "one" } }, token);
    expect(names.every((name) => name === "again.log" || name === "other.log")).toBe(true);
    expect(end.artifacts).toBe(3);
    await flushReads(archive);
    const readers = archive.sqlite.prepare("SELECT DISTINCT who FROM artifact_reads").pluck().all();
    expect(readers).toEqual(["token:1"]);
    await expect(search(archive, { pattern: "x", artifacts: [refs["storm"]] }, token)).rejects.toMatchObject({
      code: "not_found",
    });
  }));

test("what cannot be read is counted apart, and the rest is searched", () =>
  inHarbour(async (archive, refs) => {
    const digest = archive.sqlite
      .prepare("SELECT digest FROM artifacts WHERE pointer = ?")
      .pluck()
      .get(refs["calm"]) as string;
    writeFileSync(archive.blobs.path!(digest), "a storm that nobody stored");
    await deleteArtifact(archive, refs["again"]!);
    const { names, end } = await search(archive, { pattern: "storm" });
    expect(names.toSorted()).toEqual(["other.log", "storm.log"]);
    expect(end).toMatchObject({ artifacts: 5, searched: 2, unreadable: 1, gone: 1, noText: 1 });
  }));

test("lines of one artifact are shown up to the cap, and the others counted", () =>
  inHarbour(async (archive) => {
    const { found } = await search(archive, { pattern: "fair", lines: 3, filter: { q: "calm" } });
    expect(found[0]).toMatchObject({ matches: 2000, omitted: 1997 });
    expect(found[0]!.lines).toHaveLength(3);
  }));

test(
  "artifacts past those that are shown are counted",
  () =>
    inArchive(async (archive) => {
      await createSession(archive, { id: "one" });
      for (let at = 0; at < LIMITS.grepManyShown + 40; at++)
        await store(archive, "one", `tide-${at}.log`, `storm ${at}\n`.padEnd(200, "calm\n"));
      const { found, end, pieces } = await search(archive, { pattern: "storm" });
      expect(found).toHaveLength(LIMITS.grepManyShown);
      expect(end).toMatchObject({ shown: LIMITS.grepManyShown, matched: LIMITS.grepManyShown + 40, isWhole: true });
      expect(pieces.filter(({ type }) => type === "progress").length).toBeGreaterThan(1);
    }),
  60_000,
);

test("a wrong pattern is an end with its reason, a stopped search rejects, and a short one says that it is not whole", () =>
  inHarbour(async (archive) => {
    expect((await search(archive, { pattern: "(" })).end.failure).toMatchObject({ kind: "pattern" });
    const stop = new AbortController();
    stop.abort(new Error("left"));
    const late = { ...grepManyRun.parse({ pattern: "storm" }), deadlineMs: 0 };
    const out = { onStart: () => {}, onPiece: () => {} };
    expect(await grepArtifacts(archive, late, PERSON, out)).toMatchObject({
      isWhole: false,
      searched: 0,
      artifacts: 5,
    });
    await expect(search(archive, { pattern: "storm" }, { signal: stop.signal })).rejects.toThrow("left");
  }));
