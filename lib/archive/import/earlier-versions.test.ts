// Nothing that was seen is lost (reliability D12, C25): whatever becomes of a source file, each record that was read once
// stands in the archive, in one version, readable and counted once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { listEvents } from "../sessions/list-events.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { listSources } from "../sources/list-sources.ts";
import { rebuild } from "../upkeep/rebuild-archive.ts";
import { sessionLoad } from "../load/session-load.ts";
import { showSession } from "../sessions/show-session.ts";
import { openSourceBytes, rawOfEvent } from "../sources/source-bytes.ts";
import { noteGone } from "../sources/watch-sources.ts";
import { inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const NAME = `${SESSION}.jsonl`;

/** Three records and one model call a step. An output of each third is kept apart. */
const steps = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${n}`, n * 10, `Step ${n}`),
        answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` })),
        result(`r${n}`, n * 10 + 2, `t${n}`, n % 3 === 0 ? `output ${n}\n`.repeat(600) : "ok"),
      ),
    )
    .join("");

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

type Version = { path: string; id: string; events: number; raw: string };

const versionsIn = (archive: Archive): Version[] =>
  (
    archive.sqlite
      .prepare(
        "SELECT f.pk, f.path, s.id, s.next_seq - 1 AS events FROM sources f JOIN sessions s ON s.source_pk = f.pk WHERE f.earlier IS NOT NULL AND s.lane = '' ORDER BY f.earlier",
      )
      .all() as (Version & { pk: number })[]
  ).map(({ pk, ...row }) => ({ ...row, raw: rawOf(archive, pk) }));

const rawOf = (archive: Archive, pk: number): string =>
  Buffer.concat([...rawBytes(archive, pk, 0, 2 ** 52)]).toString();

/** Each of these lines stands in the raw bytes of one source, once; and each has its events, calls and cost once. */
async function expectAllOnce(archive: Archive, seen: string): Promise<void> {
  const pks = archive.sqlite.prepare("SELECT pk FROM sources").pluck().all() as number[];
  const held = pks.flatMap((pk) => linesOf(rawOf(archive, pk)));
  expect(held.toSorted()).toEqual([...new Set(linesOf(seen))].toSorted());
  const calls = new Set(linesOf(seen).filter((line) => line.includes('"assistant"'))).size;
  const own = archive.sqlite.prepare("SELECT count(*) FROM model_calls WHERE inherited = 0").pluck().get();
  expect(own).toBe(calls);
  const counted = archive.sqlite
    .prepare("SELECT sum(tally ->> '$.calls.own') AS calls, sum(tally ->> '$.usage.output') AS output FROM sessions")
    .get() as { calls: number; output: number };
  expect(counted.calls).toBe(calls);
  expect(counted.output).toBe(
    archive.sqlite.prepare("SELECT sum(output) FROM model_calls WHERE inherited = 0").pluck().get(),
  );
  expect((await check(archive)).problems).toEqual([]);
}

const read = (archive: Archive, path: string, final = true) => importPaths(archive, [path], { final });

test("a file of 300 records that is truncated and appended to keeps all of them", () =>
  inArchive(async (archive, logs) => {
    const before = steps(0, 100);
    const path = put(logs, NAME, before);
    await read(archive, path);
    truncateSync(path, 0);
    const line = jsonl(prompt("new", 5000, "After the truncation"));
    appendFileSync(path, line);
    const { files } = await read(archive, path);
    expect(files[0]).toMatchObject({ status: "replaced", events: 1 });
    expect(await showSession(archive, SESSION)).toMatchObject({ turns: 1, records: 1 });
    const [version] = versionsIn(archive);
    expect(version).toMatchObject({ events: 300, raw: before });
    expect(await showSession(archive, version!.id)).toMatchObject({ turns: 100, records: 300 });
    await expectAllOnce(archive, before + line);
  }));

const OTHER = steps(500, 520);

type Change = (path: string) => void;
const CHANGES: Readonly<Record<string, Change>> = {
  "is renamed by a rotation, and made anew": (path) => {
    renameSync(path, `${path}.1`);
    writeFileSync(path, OTHER);
  },
  "is copied and truncated": (path) => {
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    appendFileSync(path, OTHER);
  },
  "is rewritten in place": (path) => writeFileSync(path, OTHER),
  "is replaced in one rename": (path) => {
    writeFileSync(`${path}.new`, OTHER);
    renameSync(`${path}.new`, path);
  },
  "is deleted and made again": (path) => {
    rmSync(path);
    writeFileSync(path, OTHER);
  },
  "is deleted and made again at the same inode": (path) => {
    const { ino } = statSync(path);
    for (let i = 0; i < 50; i++) {
      rmSync(path);
      writeFileSync(path, OTHER);
      if (statSync(path).ino === ino) return;
    }
  },
  "shrinks, and grows past where it was read to": (path) => {
    truncateSync(path, 0);
    appendFileSync(path, OTHER.repeat(1) + steps(520, 560));
  },
};

test.each(Object.entries(CHANGES))("a file that %s keeps what it held", (_, change) =>
  inArchive(async (archive, logs) => {
    const before = steps(0, 30);
    const path = put(logs, NAME, before);
    await read(archive, path);
    change(path);
    await read(archive, path);
    const now = readFileSync(path, "utf8");
    expect((await showSession(archive, SESSION)).records).toBe(linesOf(now).length);
    const [version, ...more] = versionsIn(archive);
    expect(more).toEqual([]);
    expect(version).toMatchObject({ events: 90, raw: before });
    await expectAllOnce(archive, before + now);
    // The copy that a rotation left is read too: what it holds is no longer an earlier version.
    if (!CHANGES_THAT_COPY.includes(change)) return;
    await read(archive, `${path}.1`);
    expect(versionsIn(archive)).toEqual([]);
    await expectAllOnce(archive, before + now);
  }),
);
const CHANGES_THAT_COPY = [CHANGES["is renamed by a rotation, and made anew"]!, CHANGES["is copied and truncated"]!];

test("a file that is truncated and stays empty, or is deleted, keeps its session", () =>
  inArchive(async (archive, logs) => {
    const before = steps(0, 10);
    const path = put(logs, NAME, before);
    await read(archive, path);
    truncateSync(path, 0);
    for (const final of [false, true]) {
      const { files } = await read(archive, path, final);
      expect(files[0]).toMatchObject({
        status: "skipped",
        reason: "The file is empty now. Its earlier content stays.",
      });
      expect((await showSession(archive, SESSION)).records).toBe(30);
    }
    rmSync(path);
    noteGone(archive, [path]);
    expect((await showSession(archive, SESSION)).records).toBe(30);
    writeFileSync(path, OTHER);
    await read(archive, path);
    expect(versionsIn(archive)).toMatchObject([{ events: 30, raw: before }]);
    await expectAllOnce(archive, before + OTHER);
  }));

test("of a file that is rewritten as a whole only the records that it lacks now are kept", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, steps(0, 10));
    await read(archive, path);
    // The same records again, one step less, one step more.
    writeFileSync(path, steps(0, 4) + steps(5, 11));
    await read(archive, path);
    expect(versionsIn(archive)).toMatchObject([{ events: 3, raw: steps(4, 5) }]);
    await expectAllOnce(archive, steps(0, 11));
    // Nothing lacks: no version is added, and the one that was goes.
    writeFileSync(path, steps(0, 12));
    await read(archive, path);
    expect(versionsIn(archive)).toEqual([]);
    await expectAllOnce(archive, steps(0, 12));
  }));

test("a file that is written anew step by step ends without an earlier version", () =>
  inArchive(async (archive, logs) => {
    const all = steps(0, 12);
    const path = put(logs, NAME, all);
    await read(archive, path);
    const pointers = () => archive.sqlite.prepare("SELECT pointer FROM artifacts ORDER BY 1").pluck().all();
    const before = pointers();
    truncateSync(path, 0);
    for (let n = 0; n < 12; n += 4) {
      appendFileSync(path, steps(n, n + 4));
      await read(archive, path, false);
      await expectAllOnce(archive, all);
    }
    expect(versionsIn(archive)).toEqual([]);
    expect(pointers()).toEqual(before);
  }));

const SUMMARY = jsonl({ type: "summary", summary: "The pier", leafUuid: "u-9" });

// Its name is in its records: what is left names no session, and what comes names one.
test.each([
  ["a part of its first line", steps(0, 3), 99],
  ["a record that names no session", SUMMARY + steps(0, 3), SUMMARY.length],
])("a file of which %s was left for a moment is read anew, and has no earlier version then", (_, text, left) =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "log.jsonl", text);
    await importPaths(archive, [path]);
    const named = (): unknown[] => archive.sqlite.prepare("SELECT id, title FROM sessions").all();
    const whole = named();
    truncateSync(path, left);
    await importPaths(archive, [path], { final: false });
    writeFileSync(path, text);
    const { files } = await importPaths(archive, [path], { final: false });
    expect(files[0]!.status).not.toBe("failed");
    expect(versionsIn(archive)).toEqual([]);
    expect(named()).toEqual(whole);
    await expectAllOnce(archive, text);
    expect((await check(archive)).problems).toEqual([]);
  }),
);

test("where records have no ids, the calls of a file that was rewritten are counted once too", () =>
  inArchive(async (archive, logs) => {
    const lines = linesOf(
      readFileSync(join(import.meta.dirname, "../../formats/fixtures/codex-synthetic-session.jsonl"), "utf8"),
    );
    const textOf = (some: readonly string[]): string => some.map((line) => `${line}\n`).join("");
    const path = put(logs, "rollout-synthetic.jsonl", textOf(lines));
    await read(archive, path);
    const spent = () =>
      archive.sqlite
        .prepare(
          "SELECT count(*) AS calls, sum(input_uncached + cache_read + output) AS tokens FROM model_calls WHERE inherited = 0",
        )
        .get();
    const before = spent();
    for (const kept of [20, 30, 3]) {
      writeFileSync(path, textOf(lines.slice(0, kept)));
      await read(archive, path);
      expect(spent()).toEqual(before);
      const lost = archive.sqlite.prepare(
        "SELECT count(*) FROM sessions WHERE earlier IS NOT NULL AND tally ->> '$.lost' IS NOT NULL",
      );
      expect(lost.pluck().get()).toBe(0);
    }
    writeFileSync(path, textOf(lines));
    await read(archive, path);
    expect(versionsIn(archive)).toEqual([]);
    expect(spent()).toEqual(before);
  }));

test("several versions of one file are numbered, and a record that comes back leaves its version", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, steps(0, 5));
    await read(archive, path);
    for (const from of [10, 20, 30]) {
      writeFileSync(path, steps(from, from + 5));
      await read(archive, path);
    }
    expect(versionsIn(archive).map(({ path }) => path)).toEqual([1, 2, 3].map((n) => `version ${n} of ${path}`));
    await expectAllOnce(archive, [0, 10, 20, 30].map((from) => steps(from, from + 5)).join(""));
    appendFileSync(path, steps(12, 13));
    await read(archive, path, false);
    expect(versionsIn(archive).map(({ events }) => events)).toEqual([15, 12, 15]);
    await expectAllOnce(archive, [0, 10, 20, 30].map((from) => steps(from, from + 5)).join(""));
  }));

test("an earlier version is listed beside its file, related to the session, and read like one", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, steps(0, 6));
    await read(archive, path);
    const { title } = await showSession(archive, SESSION);
    writeFileSync(path, steps(50, 52));
    await read(archive, path);
    const [{ id }] = versionsIn(archive) as [Version];
    const now = await showSession(archive, SESSION);
    expect(now.earlierVersions).toMatchObject([{ id, number: 1, records: 18, replacedAt: "2026-06-01T00:00:00.000Z" }]);
    const version = await showSession(archive, id);
    expect(version).toMatchObject({ title, earlierOf: { id: now.id, number: 1 }, earlierVersions: [] });
    expect(version.nativeId).toBe(`${now.nativeId}~earlier1`);
    const { sources } = await listSources(archive, { limit: 10, offset: 0, status: "earlier version" });
    expect(sources).toMatchObject([
      {
        status: "earlier version",
        sessions: [{ id }],
        records: 18,
        reason: `18 records that ${path} no longer holds.`,
      },
    ]);
    const bytes = await openSourceBytes(archive, sources[0]!.path);
    let text = "";
    for await (const piece of bytes.bytes()) text += Buffer.from(piece).toString();
    expect(text).toBe(steps(0, 6));
    expect(bytes.name).toBe(`${SESSION}-version-1.jsonl`);
    expect((await listEvents(archive, id, { limit: 50, after: 0 } as never)).events).toHaveLength(18);
    expect((await sessionLoad(archive, id)).calls).toHaveLength(6);
    expect((await rawOfEvent(archive, id, 2)).sizeBytes).toBeGreaterThan(0);
    // A name that begins both is the session's; the list shows what files hold now; a search finds both.
    expect((await showSession(archive, SESSION.slice(0, 12))).id).toBe(now.id);
    const query = { q: "", sort: "started", dir: "desc", limit: 10, offset: 0 } as const;
    expect((await listSessions(archive, query)).sessions.map((row) => row.id)).toEqual([now.id]);
    expect((await listSessions(archive, { ...query, q: "Step 3" })).sessions.map((row) => row.id)).toContain(id);
  }));

test("a rebuild makes the sessions of earlier versions anew from their raw bytes", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, steps(0, 6));
    await read(archive, path);
    writeFileSync(path, steps(3, 8));
    await read(archive, path);
    const [{ id }] = versionsIn(archive) as [Version];
    const before = await showSession(archive, id);
    archive.sqlite.exec(
      `UPDATE events SET checksum = checksum + 1 WHERE id / 4294967296 = (SELECT pk FROM sessions WHERE id = '${id}')`,
    );
    expect((await check(archive)).ok).toBe(false);
    expect((await rebuild(archive)).rebuilt).toMatchObject({ sessions: 1, events: 9 });
    expect(await showSession(archive, id)).toEqual({ ...before, version: expect.anything() });
    await expectAllOnce(archive, steps(0, 8));
  }));

test("sub-agents of a session whose file was truncated are those of the session as it is now", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, steps(0, 6));
    put(
      logs,
      `${SESSION}/subagents/agent-x1.jsonl`,
      jsonl({ ...prompt("s1", 3, "Look"), isSidechain: true, agentId: "x1" }),
    );
    await importPaths(archive, [logs]);
    expect((await showSession(archive, SESSION)).children).toBe(1);
    writeFileSync(path, steps(20, 22));
    await importPaths(archive, [logs]);
    expect((await showSession(archive, SESSION)).children).toBe(1);
    expect((await showSession(archive, versionsIn(archive)[0]!.id)).children).toBe(0);
  }));

const CHILD = join(import.meta.dirname, "testing-import-crash.ts");

test("an import of a changed file that is killed at any time loses nothing", { timeout: 120_000 }, () =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    const [before, after] = [steps(0, 60), steps(40, 120)];
    const path = put(logs, NAME, before);
    const started = performance.now();
    await withArchive(join(dir, "timed"), (archive) => importPaths(archive, [logs]));
    const wholeMs = performance.now() - started;
    let kills = 0;
    for (let round = 0; round < 8; round++) {
      writeFileSync(path, before);
      const home = join(dir, `killed${round}`);
      await withArchive(home, (archive) => importPaths(archive, [logs]));
      writeFileSync(path, after);
      const child = spawn(process.execPath, [CHILD, home, logs], { stdio: ["ignore", "pipe", "inherit"] });
      const exited = once(child, "exit");
      await Promise.race([once(child.stdout, "data"), exited]);
      const timer = setTimeout(() => child.kill("SIGKILL"), wholeMs * (round / 8));
      const [, signal] = (await exited) as [number | null, string | null];
      clearTimeout(timer);
      if (signal === "SIGKILL") kills++;
      await withArchive(home, async (archive) => {
        const isRead = versionsIn(archive).length > 0;
        await expectAllOnce(archive, isRead ? before + after : before);
        await importPaths(archive, [logs]);
        await expectAllOnce(archive, before + after);
      });
    }
    expect(kills).toBeGreaterThan(0);
  }),
);
