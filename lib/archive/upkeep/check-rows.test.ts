// No row of a healthy archive is called wrong, and every row has a sum: whatever was imported, grown, replaced, written by an
// agent, compacted and undone. And a row that changed is told, in sessions that are imported and in ours.
import { appendFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  SESSION,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { deleteArtifact } from "../artifacts/delete-artifact.ts";
import { recordOutput } from "../artifacts/record-output.ts";
import { check } from "./check-archive.ts";
import { importPaths } from "../import/import-paths.ts";
import { judgeSession } from "../load/compute-verdict.ts";
import { compactSession, undoCompaction } from "../memory/compact.ts";
import { request, tellTurns } from "../memory/testing-run.ts";
import { saveModels } from "../settings/model-settings.ts";
import { rebuild } from "./rebuild-archive.ts";
import { saveListSummary } from "../sessions/list-summary.ts";
import { dumpOf, inArchive, put, testHost } from "../testing-archive.ts";
import { noteGone } from "../sources/watch-sources.ts";

const steps = (ids: readonly number[], more: object = {}) =>
  ids.flatMap((n) => [
    { ...prompt(`p${n}`, n * 10, `Step ${n}`), ...more },
    { ...answer(`a${n}`, n * 10 + 1, `m${n}`, asks(`t${n}`, "Read", { file_path: `/tides/${n}.txt` })), ...more },
    { ...result(`r${n}`, n * 10 + 2, `t${n}`, `${n} of the tables\n`.repeat(500)), ...more },
  ]);

const NO_OVERRIDE = {
  project: null,
  window: null,
  uncached: null,
  read: null,
  write: null,
  write1h: null,
  output: null,
};

const count = (archive: Archive, sql: string): number => archive.sqlite.prepare(sql).pluck().get() as number;

/** Rows whose checksum is still to be written, and sessions whose sum is. */
const uncovered = (archive: Archive): number[] =>
  [
    "SELECT count(*) FROM model_calls WHERE checksum IS NULL",
    "SELECT count(*) FROM tool_interactions WHERE checksum IS NULL",
    "SELECT count(*) FROM sessions WHERE NOT EXISTS (SELECT 1 FROM row_sums WHERE tbl = 'sessions' AND grp = pk AND sum >= 0)",
  ].map((sql) => count(archive, sql));

async function expectSound(archive: Archive, after: string): Promise<void> {
  expect((await check(archive)).problems, after).toEqual([]);
  expect(uncovered(archive), after).toEqual([0, 0, 0]);
}

test("imports, growth, forks, copies, replaced files and settings leave every row sound and with a sum", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, jsonl(...steps([0, 1])));
    await importPaths(archive, [logs]);
    await expectSound(archive, "an import");
    appendFileSync(path, jsonl(...steps([2, 3])));
    await importPaths(archive, [logs]);
    await expectSound(archive, "growth");
    const last = answer("a3", 31, "m3", undefined, { usage: used(10, 1000, 100, 900) });
    appendFileSync(path, jsonl(last));
    await importPaths(archive, [logs]);
    await expectSound(archive, "a usage that came alone");
    put(logs, `${idOf("fork")}.jsonl`, jsonl(...steps([0, 1, 2, 7], { sessionId: idOf("fork") })));
    await importPaths(archive, [logs]);
    expect(count(archive, "SELECT sum(inherited) FROM events")).toBeGreaterThan(0);
    expect(count(archive, "SELECT sum(inherited) FROM model_calls")).toBeGreaterThan(0);
    await expectSound(archive, "a fork");
    put(logs, "copy.jsonl", jsonl(...steps([0, 1])));
    await importPaths(archive, [logs]);
    await expectSound(archive, "an older copy");
    put(logs, `${SESSION}.jsonl`, jsonl(...steps([5, 6])));
    await importPaths(archive, [logs]);
    expect(count(archive, "SELECT count(*) FROM sources WHERE earlier IS NOT NULL")).toBe(1);
    await expectSound(archive, "an earlier version");
    await saveModels(archive, [{ ...NO_OVERRIDE, match: "claude-opus-5", uncached: 3, output: 9 }]);
    await expectSound(archive, "a price");
    for (const pk of archive.sqlite.prepare("SELECT pk FROM sessions").pluck().all() as number[]) {
      await judgeSession(archive, pk);
      saveListSummary(archive, pk, { version: 1, sparkline: null, top: null });
    }
    await expectSound(archive, "verdicts and list summaries");
    noteGone(archive, [`${path}.gone`]);
    await rebuild(archive);
    await expectSound(archive, "a rebuild");
  }));

test("texts that are no Unicode leave every row sound", () =>
  inArchive(async (archive, logs) => {
    const odd = "a\ud800b\udc00\ufffd \u0000 \u0001 é 🌊";
    put(
      logs,
      `${SESSION}.jsonl`,
      jsonl(
        prompt("p", 1, odd),
        answer("a", 2, "m", asks(`t${odd}`, `Tool ${odd}`, { file_path: odd }), { model: odd, request: odd }),
        result("r", 3, `t${odd}`, odd.repeat(900)),
        answer("b", 4, `m2${odd}`, text(odd)),
      ),
    );
    await importPaths(archive, [logs]);
    expect(count(archive, "SELECT count(*) FROM tool_interactions")).toBe(1);
    await expectSound(archive, "an import");
  }));

const ofAgent = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await tellTurns(archive, id, 6);
    await run(archive, id);
  });

test("what an agent writes, compacts, undoes and deletes leaves every row sound and with a sum", () =>
  ofAgent(async (archive, id) => {
    await expectSound(archive, "turns");
    const { id: compaction } = await compactSession(archive, id, request());
    await expectSound(archive, "a compaction");
    await undoCompaction(archive, compaction!);
    await expectSound(archive, "its undoing");
    const output = await recordOutput(
      archive,
      { session: id, toolName: "bash", isError: false },
      Buffer.from("tide\n".repeat(9000)),
    );
    await deleteArtifact(archive, output.artifact!.pointer);
    await expectSound(archive, "a deletion");
  }));

test("an archive that is written to is read without a false alarm", () =>
  inArchive(async (archive, logs) => {
    for (let n = 0; n < 12; n++)
      put(logs, `${idOf(`s${n}`)}.jsonl`, jsonl(...steps([n, n + 1], { sessionId: idOf(`s${n}`) })));
    await importPaths(archive, [put(logs, "first.jsonl", jsonl(...steps([50], { sessionId: idOf("first") })))]);
    const reader = await openArchive({ dir: archive.dir, host: testHost(), mode: "read" });
    try {
      const state = { isDone: false };
      const all = importPaths(archive, [logs]).finally(() => (state.isDone = true));
      let checks = 0;
      while (!state.isDone || checks === 0) {
        expect((await check(reader)).problems).toEqual([]);
        checks++;
      }
      await all;
      expect(checks).toBeGreaterThan(0);
    } finally {
      await closeArchive(reader);
    }
  }));

/** The rows as an older release left them: events with the first step of their checksum alone. */
function makeOlder({ sqlite }: Archive): void {
  sqlite.function("said", (type, ts, turn, start, end, body) =>
    crc32(`${type}\u0001${ts ?? ""}\u0001${turn}\u0001${start}\u0001${end}\u0001${body}`),
  );
  sqlite.exec(
    "UPDATE events SET checksum = said(type, ts, turn, byte_start, byte_end, body); UPDATE model_calls SET checksum = NULL; UPDATE tool_interactions SET checksum = NULL",
  );
}

test("rows of an older release are sound, go on, and are found when what their event says changed", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, jsonl(...steps([0, 1])));
    await importPaths(archive, [logs]);
    makeOlder(archive);
    expect((await check(archive)).problems).toEqual([]);
    appendFileSync(path, jsonl(...steps([2])));
    put(logs, `${idOf("fork")}.jsonl`, jsonl(...steps([0, 1, 2, 7], { sessionId: idOf("fork") })));
    await importPaths(archive, [logs]);
    expect((await check(archive)).problems).toEqual([]);
    makeOlder(archive);
    // The fork is the smaller one now: what both hold moves to the other.
    put(logs, `${idOf("fork")}.jsonl`, jsonl(...steps([0, 1], { sessionId: idOf("fork") })));
    await importPaths(archive, [logs]);
    expect((await check(archive)).problems).toEqual([]);
    makeOlder(archive);
    archive.sqlite.exec("UPDATE events SET turn = turn + 1 WHERE id % 4294967296 = 3");
    expect((await check(archive)).ok).toBe(false);
  }));

test("a row of a call or an interaction that changed is told with its session, and an imported one is read again", () =>
  inArchive(async (archive, logs) => {
    put(logs, `${SESSION}.jsonl`, jsonl(...steps([0, 1])));
    const { files } = await importPaths(archive, [logs]);
    const id = files[0]!.sessions[0]!;
    const before = dumpOf(archive);
    archive.sqlite.exec(
      "UPDATE model_calls SET output = output + 1 WHERE call = 2; UPDATE tool_interactions SET agent_id = 'x' WHERE call_seq = 2; UPDATE events SET call = 7 WHERE id % 4294967296 = 5",
    );
    const { problems } = await check(archive);
    expect(problems.map(({ ref }) => ref)).toEqual([
      `${id} 5`,
      `model_calls of ${id}, call 2`,
      `tool_interactions of ${id}, tool call at event 2`,
    ]);
    expect(problems[0]!.text).toContain("column call");
    for (const problem of problems) expect(problem.text).toContain("--rebuild reads");
    expect(await rebuild(archive)).toMatchObject({ ok: true, problems: [] });
    expect(dumpOf(archive)).toEqual(before);
  }));

test("rows of an agent's session that changed are told, then kept as they are", () =>
  ofAgent(async (archive) => {
    archive.sqlite.exec(
      "UPDATE model_calls SET output = output + 1 WHERE call = 1; UPDATE tool_interactions SET tool_name = 'x' WHERE call_seq = 3",
    );
    const found = await check(archive);
    expect(found.problems.map(({ kind }) => kind)).toEqual(["rows", "rows"]);
    for (const { text: words } of found.problems) expect(words).toContain("accepts the row as it is");
    expect((await rebuild(archive)).problems.map(({ text: words }) => words)).toEqual([
      expect.stringContaining("accepted as it is"),
      expect.stringContaining("accepted as it is"),
    ]);
    expect((await check(archive)).problems).toEqual([]);
  }));

test("a session's row that changed under Plimsoll is told, also after it was written again", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, jsonl(...steps([0, 1])));
    await importPaths(archive, [logs]);
    const { sqlite } = archive;
    const trigger = sqlite.prepare("SELECT sql FROM sqlite_master WHERE name = 'row_sum_update_sessions'").pluck();
    const sql = trigger.get() as string;
    // As rot does it: nobody is told of the change.
    sqlite.exec("DROP TRIGGER row_sum_update_sessions; UPDATE sessions SET branch = 'ebb'");
    sqlite.exec(sql);
    const isReported = async (): Promise<boolean> =>
      (await check(archive)).problems.some(({ kind, ref }) => kind === "rows" && ref.startsWith("sessions of s_"));
    expect(await isReported()).toBe(true);
    appendFileSync(path, jsonl(...steps([2])));
    await importPaths(archive, [logs]);
    expect(await isReported()).toBe(true);
    expect(await rebuild(archive)).toMatchObject({ ok: true, problems: [] });
    await expectSound(archive, "a rebuild");
  }));
