// The registry and the blobs are enough: whatever rows are lost, they come back as they were.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, asks, idOf, jsonl, prompt, result } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { closeTurn, createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { collect } from "../artifacts/gc.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { check } from "./check-archive.ts";
import { importPaths } from "../import/import-paths.ts";
import { rebuild } from "./rebuild-archive.ts";
import { LOST_EVENTS } from "./rebuild-rows.ts";
import { showSession } from "../sessions/show-session.ts";
import { inFolder, NOW, put, testHost, withArchive } from "../testing-archive.ts";

type Step =
  | {
      readonly op: "put";
      readonly session: number;
      readonly size: number;
      readonly name: string | null;
      readonly ttl: number | null;
    }
  | { readonly op: "output"; readonly session: number; readonly size: number }
  | { readonly op: "delete"; readonly nth: number }
  | { readonly op: "close"; readonly session: number; readonly turn: number }
  | { readonly op: "gc"; readonly wait: number };

const session = fc.nat(1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      op: fc.constant("put" as const),
      session,
      size: fc.constantFrom(0, 7, 5000, 300_000),
      name: fc.constantFrom(null, "log", "notes"),
      ttl: fc.constantFrom(null, 60),
    }),
    fc.record({ op: fc.constant("output" as const), session, size: fc.constantFrom(10, 20_000) }),
    fc.record({ op: fc.constant("delete" as const), nth: fc.nat(20) }),
    fc.record({ op: fc.constant("close" as const), session, turn: fc.nat(3) }),
    fc.record({ op: fc.constant("gc" as const), wait: fc.constantFrom(1, 100_000) }),
  ),
  { minLength: 3, maxLength: 14 },
);

const IMPORTED = idOf("imported");
const records = (): string =>
  jsonl(
    ...[0, 1, 2].flatMap((n) => [
      { ...prompt(`p${n}`, n * 10, `Step ${n}`), sessionId: IMPORTED },
      {
        ...answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Read", { file_path: `/tides/${n}.txt` })),
        sessionId: IMPORTED,
      },
      { ...result(`r${n}`, n * 10 + 2, `t${n}`, `tide ${n}\n`.repeat(900)), sessionId: IMPORTED },
    ]),
  );

async function run(archive: Archive, clock: { now: number }, list: readonly Step[], logs: string): Promise<void> {
  put(logs, `${IMPORTED}.jsonl`, records());
  await importPaths(archive, [logs]);
  for (const id of ["0", "1"])
    await createSession(archive, {
      id,
      title: `Run ${id}`,
      policy: "window",
      contextWindow: 100_000,
      agentName: "tide",
      compaction: { ratio: 0.7 },
    });
  let serial = 0;
  for (const step of list) {
    clock.now += 1000;
    if (step.op === "put")
      await storeArtifact(
        archive,
        {
          session: `plimsoll:${step.session}`,
          ...(step.name !== null && { name: step.name }),
          ...(step.ttl !== null && { ttlSeconds: step.ttl }),
        },
        Buffer.alloc(step.size, `line ${step.size % 3}\n`),
      );
    else if (step.op === "output")
      await recordOutput(
        archive,
        { session: `plimsoll:${step.session}`, toolName: "bash", toolCallId: `c${serial++}`, isError: false },
        Buffer.alloc(step.size, "output of a tool\n"),
      );
    else if (step.op === "delete") {
      const all = archive.sqlite.prepare("SELECT pointer FROM artifacts ORDER BY pk").pluck().all() as string[];
      await deleteArtifact(archive, all[step.nth % all.length]!);
    } else if (step.op === "close") await closeTurn(archive, `plimsoll:${step.session}`, step.turn);
    else {
      clock.now += step.wait;
      await collect(archive, { graceMs: -60_000 });
    }
  }
}

/** What must be the same after a rebuild. When bytes were first stored, and when exactly they went, no registry says. */
function rowsOf(archive: Archive, which: "all" | "held"): Record<string, unknown[]> {
  const rows = (sql: string): unknown[] => archive.sqlite.prepare(sql).all();
  const of = which === "held" ? "AND s.held = 1" : "";
  return {
    artifacts: rows(
      `SELECT s.id AS session, pointer, seq, digest, name, tool_name, tool_call_id, content_type, size, line_count, saw, offloaded_by,
         created_at, expires_at, content_id, a.turn, origin, description, preview, is_error, deleted_at, deleted_why, checksum
       FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE 1 ${of} ORDER BY pointer`,
    ),
    names: rows(
      "SELECT s.id AS session, name, pointer, bound_at FROM artifact_names n JOIN sessions s ON s.pk = n.session_pk ORDER BY s.id, n.pk",
    ),
    compaction: rows(
      "SELECT s.id, settings FROM held_compaction h JOIN sessions s ON s.pk = h.session_pk ORDER BY s.id",
    ),
    sessions: rows(
      "SELECT id, native_id, held, policy, window, title, title_rank, model, agent_name, started_at, closed_turns FROM sessions WHERE held = 1 ORDER BY id",
    ),
    blobs: rows(
      `SELECT digest, size, line_count, chars, shape, removed_at IS NULL AS is_there FROM blobs b
       WHERE EXISTS (SELECT 1 FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.digest = b.digest AND a.deleted_at IS NULL ${of}) ORDER BY digest`,
    ),
    lines: rows(
      `SELECT digest, hex(line_index) AS line_index FROM blob_lines b
       WHERE EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL) ORDER BY digest`,
    ),
    deleted: rows("SELECT * FROM deleted_pointers ORDER BY pointer"),
  };
}

const inHistory = (
  list: readonly Step[],
  test: (archive: Archive, dir: string, clock: { now: number }) => Promise<void>,
): Promise<void> =>
  inFolder(async (dir) => {
    const clock = { now: NOW };
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await run(archive, clock, list, join(dir, "logs"));
        await test(archive, dir, clock);
      },
      testHost(() => clock.now),
    );
  });

test("rows of artifacts and names that are lost come back as they were, tombstones too", () =>
  fc.assert(
    fc.asyncProperty(steps, fc.infiniteStream(fc.boolean()), (list, lose) =>
      inHistory(list, async (archive) => {
        const before = rowsOf(archive, "all");
        const { sqlite } = archive;
        const pointers = sqlite.prepare("SELECT pointer FROM artifacts ORDER BY pointer").pluck().all() as string[];
        for (const pointer of pointers) {
          const fate = [lose.next().value, lose.next().value];
          if (fate[0] === true) sqlite.prepare("DELETE FROM artifacts WHERE pointer = ?").run(pointer);
          else if (fate[1] === true)
            sqlite.prepare("UPDATE artifacts SET size = size + 1 WHERE pointer = ?").run(pointer);
        }
        if (lose.next().value === true) sqlite.exec("DELETE FROM artifact_names WHERE pk % 2 = 0");
        if (lose.next().value === true) sqlite.exec("DELETE FROM deleted_pointers");
        expect(await rebuild(archive)).toMatchObject({ ok: true });
        const after = rowsOf(archive, "all");
        for (const table of Object.keys(before)) expect(after[table], table).toEqual(before[table]);
      }),
    ),
    { numRuns: 25, seed: 5 },
  ));

test("a session of ours whose rows are lost comes back without its events, and says so", () =>
  inHistory(
    [
      { op: "put", session: 0, size: 5000, name: "log", ttl: null },
      { op: "output", session: 0, size: 20_000 },
      { op: "close", session: 0, turn: 2 },
      { op: "delete", nth: 3 },
    ],
    async (archive) => {
      const before = rowsOf(archive, "all");
      const { id } = await createSession(archive, { id: "0" });
      const pk = archive.sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck().get(id) as number;
      const range = [pk * 2 ** 32, pk * 2 ** 32 + 2 ** 32 - 1];
      archive.sqlite.prepare("DELETE FROM events WHERE id BETWEEN ? AND ?").run(...range);
      archive.sqlite.prepare("DELETE FROM sessions WHERE pk = ?").run(pk);
      expect(await rebuild(archive)).toMatchObject({ ok: true, rebuilt: { sessions: 1 } });
      const after = rowsOf(archive, "all");
      for (const table of Object.keys(before)) expect(after[table], table).toEqual(before[table]);
      expect((await showSession(archive, id)).quality).toContain(LOST_EVENTS);
      // It goes on where it was: no seq is given twice.
      const own = (after["artifacts"] as { session: string; seq: number | null }[]).filter((row) => row.session === id);
      const lastSeq = Math.max(...own.map(({ seq }) => seq ?? 0));
      expect(lastSeq).toBeGreaterThan(0);
      const more = await recordOutput(archive, { session: id, toolName: "bash", isError: false }, Buffer.from("x"));
      expect(more.seq).toBeGreaterThan(lastSeq);
      expect(await check(archive)).toMatchObject({ ok: true });
    },
  ));

test("the whole database is made again from blobs and registries; importing brings the imported sessions back", () =>
  fc.assert(
    fc.asyncProperty(steps, (list) =>
      inFolder(async (dir) => {
        const clock = { now: NOW };
        const folder = join(dir, "archive");
        const logs = join(dir, "logs");
        const host = testHost(() => clock.now);
        const before = await withArchive(
          folder,
          async (archive) => {
            await run(archive, clock, list, logs);
            return { all: rowsOf(archive, "all"), held: rowsOf(archive, "held") };
          },
          host,
        );
        for (const name of readdirSync(folder)) if (name.startsWith("archive.db")) rmSync(join(folder, name));
        await withArchive(
          folder,
          async (archive) => {
            // A sweep before the rebuild takes nothing away.
            await collect(archive, { graceMs: -60_000 });
            expect(await rebuild(archive)).toMatchObject({ ok: true });
            const held = rowsOf(archive, "held");
            for (const table of Object.keys(before.held))
              expect(held[table], `held ${table}`).toEqual(before.held[table]);
            const live = (rows: unknown[]): unknown[] =>
              rows.filter((row) => (row as { deleted_at: unknown }).deleted_at === null);
            expect(live(rowsOf(archive, "all")["artifacts"]!)).toEqual(live(before.all["artifacts"]!));
            await importPaths(archive, [logs]);
            const all = rowsOf(archive, "all");
            for (const table of ["artifacts", "names", "sessions", "deleted"])
              expect(all[table], `all ${table}`).toEqual(before.all[table]);
            expect(await check(archive)).toMatchObject({ ok: true });
          },
          host,
        );
      }),
    ),
    { numRuns: 15, seed: 6 },
  ));

test("a sweep leaves the bytes of artifacts whose rows alone were lost; a rebuild brings them back", () =>
  inHistory(
    [
      { op: "put", session: 0, size: 900, name: "kept", ttl: null },
      { op: "put", session: 0, size: 700, name: null, ttl: null },
      { op: "delete", nth: 1 },
    ],
    async (archive) => {
      const before = rowsOf(archive, "held");
      archive.sqlite.prepare("DELETE FROM artifacts WHERE deleted_at IS NULL AND origin <> 'imported'").run();
      const swept = await collect(archive, { graceMs: -60_000 });
      expect(swept.guarded).toBeGreaterThan(0);
      await rebuild(archive);
      const after = rowsOf(archive, "held");
      expect(after["artifacts"]).toEqual(before["artifacts"]);
      expect(after["blobs"]).toEqual(before["blobs"]);
    },
  ));

test("one bad registry line loses exactly its line, and is told with file and line", () =>
  inHistory(
    [0, 1, 2, 3].map((n) => ({ op: "put", session: 0, size: 100 + n, name: null, ttl: null })),
    async (archive) => {
      const before = rowsOf(archive, "all");
      const { id } = await createSession(archive, { id: "0" });
      const path = join(archive.dir, "sessions", id, "registry.jsonl");
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      const lost = (JSON.parse(lines[2]!) as { pointer: string }).pointer;
      lines[2] = lines[2]!.replace("text/plain", "text/plaid");
      writeFileSync(path, `${lines.join("\n")}\n`);
      const found = await check(archive);
      expect(found.registry).toMatchObject({ bad: 1 });
      expect(found.problems.map(({ kind, ref }) => [kind, ref])).toEqual([
        ["registry", `sessions/${id}/registry.jsonl:3`],
        ["registry", lost],
      ]);
      archive.sqlite.prepare("DELETE FROM artifacts WHERE session_pk = (SELECT pk FROM sessions WHERE id = ?)").run(id);
      await rebuild(archive);
      const after = rowsOf(archive, "all")["artifacts"]!;
      expect(after).toEqual(before["artifacts"]!.filter((row) => (row as { pointer: string }).pointer !== lost));
    },
  ));

test("bytes that a registry names and that are damaged are not taken for sound", () =>
  inHistory([{ op: "put", session: 0, size: 5000, name: "log", ttl: null }], async (archive) => {
    const row = archive.sqlite.prepare("SELECT pointer, digest FROM artifacts WHERE origin = 'manual'").get() as {
      pointer: string;
      digest: string;
    };
    const path = archive.blobs.path!(row.digest);
    writeFileSync(path, "other bytes");
    expect(createHash("sha256").update(readFileSync(path)).digest("hex")).not.toBe(row.digest);
    archive.sqlite.prepare("DELETE FROM artifacts WHERE pointer = ?").run(row.pointer);
    const mended = await rebuild(archive);
    expect(mended).toMatchObject({ ok: false, blobs: { corrupt: 1 } });
    expect(mended.problems.map(({ kind }) => kind)).toEqual(["blob"]);
  }));
