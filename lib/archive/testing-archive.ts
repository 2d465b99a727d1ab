// What the tests of the archive share: an archive in a folder of its own under a given clock, and a dump of what it
// holds that two archives can be compared by: row keys, change counts, earlier versions of files and the time of reading are left out.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hash } from "node:crypto";
import type { Host } from "#lib/kernel/host.ts";
import { closeArchive, openArchive } from "./archive.ts";
import type { Archive } from "./base/archive-type.ts";
import { importPaths } from "./import/import-paths.ts";
import { rawBytes } from "./import/raw-writer.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";

/** One second past the last line of the synthetic sessions. */
export const NOW = Date.UTC(2026, 5, 1);

/** A clock that stands still (time that a test lets pass is time that the machine was up), a tokenizer that counts words, a table with one price. */
export const testHost = (now: () => number = () => NOW, uptime: () => number = now): Host => ({
  now,
  uptime,
  tokenizers: {
    idFor: (model) => (model === null ? null : "words"),
    load: async () => ({ id: "words", count: (text) => text.split(/\s+/).filter(Boolean).length }),
  },
  prices: {
    rates: () => completeRates({ uncached: 1e-6, read: 0, write: 0, write1h: 0, output: 1e-6 }),
    window: () => 200_000,
  },
});

/** Where there is a file system in memory the barriers cost nothing: tests of many small archives take a third. */
const MEMORY = "/dev/shm";
const base = (): string => {
  const stat = existsSync(MEMORY) ? statfsSync(MEMORY) : null;
  return stat !== null && stat.bavail * stat.bsize > 512 * 1024 * 1024 ? MEMORY : tmpdir();
};

/** Runs with a folder that is gone afterwards. */
export async function inFolder<T>(run: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(base(), "plimsoll-test-"));
  try {
    return await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs with an open archive in `dir`, and closes it. */
export async function withArchive<T>(
  dir: string,
  run: (archive: Archive) => Promise<T>,
  host = testHost(),
): Promise<T> {
  const archive = await openArchive({ dir, host });
  try {
    return await run(archive);
  } finally {
    await closeArchive(archive);
  }
}

/** Runs with an empty archive and an empty folder for session files beside it. */
export const inArchive = <T>(run: (archive: Archive, logs: string) => Promise<T>): Promise<T> =>
  inFolder((dir) => {
    const logs = join(dir, "logs");
    mkdirSync(logs);
    return withArchive(join(dir, "archive"), (archive) => run(archive, logs));
  });

/** Writes a file, with the folders that it needs, and returns its path. */
export function put(dir: string, name: string, bytes: string | Uint8Array): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** The host of the tests with other prices. */
export const hostPriced = (rates: Host["prices"]["rates"]): Host => ({
  ...testHost(),
  prices: { rates, window: () => 200_000 },
});

/** Runs with an archive that has read these files, one JSON object a line; `dir` holds both and is gone afterwards. */
export const withRecords = (
  files: Readonly<Record<string, readonly unknown[]>>,
  run: (archive: Archive, dir: string) => Promise<void>,
  host = testHost(),
): Promise<void> =>
  inFolder((dir) =>
    withArchive(
      join(dir, "archive"),
      async (archive) => {
        const logs = join(dir, "logs");
        for (const [name, records] of Object.entries(files))
          put(logs, name, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
        await importPaths(archive, [logs]);
        await run(archive, dir);
      },
      host,
    ),
  );

type Row = Record<string, unknown>;

/** Sessions of what files hold now. */
const NOW_HELD = "(SELECT pk FROM sessions WHERE earlier IS NULL)";

/**
 * What an archive holds of its files as they are now, in an order and in names that do not depend on how it came in.
 * `base` is cut from paths.
 */
export function dumpOf(archive: Archive, base = ""): Record<string, Row[]> {
  const { sqlite } = archive;
  const rows = (sql: string): Row[] => sqlite.prepare(sql).all() as Row[];
  const session = "(SELECT one.native_id FROM sessions one WHERE one.pk =";
  const short = (path: unknown): unknown => (typeof path === "string" ? path.replace(base, "") : path);
  const plain = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
      ]),
    );
  const sorted = (list: Row[]): Row[] =>
    list
      .map((row) => [JSON.stringify(row), row] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => row);
  const counters = (row: Row): Row => {
    const { open, ...rest } = JSON.parse(row["tally"] as string) as Row;
    // Held by row keys; what the calls of it are is in the other tables.
    return { ...row, tally: { ...rest, open: Object.keys(open as Row).toSorted() } };
  };
  return {
    sources: sorted(
      rows(
        `SELECT s.path, s.format, s.status, s.offset, s.line, s.head, s.head_bytes, s.tail, s.native_id, s.records, s.problems, s.cut_tail,
           s.older_of IS NOT NULL AS is_older, s.pk FROM sources s WHERE s.earlier IS NULL`,
      ).map(({ pk, ...row }) => ({
        ...row,
        path: short(row["path"]),
        raw: hash("sha256", Buffer.concat([...rawBytes(archive, pk as number, 0, 2 ** 52)]), "hex"),
      })),
    ),
    problems: sorted(
      rows(
        "SELECT s.path, e.line, e.byte_start, e.byte_end, e.reason FROM import_errors e JOIN sources s ON s.pk = e.source_pk WHERE s.earlier IS NULL",
      ).map((row) => ({ ...row, path: short(row["path"]) })),
    ),
    sessions: sorted(
      rows(
        `SELECT s.id, s.native_id, s.format, f.path, s.lane, s.relation, s.parent_native, ${session} s.parent_pk) AS parent, s.parent_tool_call_id,
           s.parent_tool_call_seq, s.title, s.title_rank, s.agent_name, s.agent_version, s.model, s.cwd, s.branch, s.started_at, s.ended_at, s.demo,
           s.next_seq, s.next_call, s.turn, s.records, s.keyed_records, s.calls, s.compactions, s.artifacts, s.peak_tokens, s.peak_call, s.window,
           s.load_line, s.peak_share, s.usd, s.tally FROM sessions s JOIN sources f ON f.pk = s.source_pk WHERE s.earlier IS NULL`,
      ).map((row) => counters({ ...row, path: short(row["path"]) })),
    ),
    events: sorted(
      rows(
        `SELECT ${session} e.id / 4294967296) AS session, e.id % 4294967296 AS seq, type, ts, turn, call, tool_call_id, tool_name, record_key, keyed,
           bytes, digest, artifact IS NOT NULL AS kept, category, label, extra_tokens, starts_turn, synthetic, inherited, byte_start, byte_end, body
         FROM events e WHERE e.id / 4294967296 IN ${NOW_HELD}`,
      ).map((row) => plain({ ...row, body: (row["body"] as string).replaceAll(/"art:[0-9a-f-]+"/g, '"art"') })),
    ),
    calls: sorted(
      rows(
        `SELECT ${session} session_pk) AS session, call, key, first_seq, model, ts, input_uncached, cache_read, cache_write, cache_write_1h, output, reasoning, web_searches,
           output_lower_bound, has_usage, window, usd, inherited FROM model_calls WHERE session_pk IN ${NOW_HELD}`,
      ),
    ),
    interactions: sorted(
      rows(
        `SELECT ${session} session_pk) AS session, tool_call_id, tool_name, call_seq, result_seq, status, hosted, input_digest, started_at, ended_at,
           duration_ms, agent_id FROM tool_interactions WHERE session_pk IN ${NOW_HELD}`,
      ).map(plain),
    ),
    artifacts: sorted(
      rows(
        `SELECT ${session} session_pk) AS session, seq, digest, name, tool_name, tool_call_id, content_type, size, line_count, width, height, saw,
           offloaded_by, created_at, expires_at FROM artifacts WHERE session_pk IN ${NOW_HELD}`,
      ),
    ),
    lineage: sorted(
      rows(
        `SELECT ${session} session_pk) AS session, ${session} other_pk) AS other, records FROM lineage
         WHERE session_pk IN ${NOW_HELD} AND other_pk IN ${NOW_HELD}`,
      ),
    ),
    search: sorted(
      rows(
        `SELECT ${session} s.rowid / 4294967296) AS session, s.rowid % 4294967296 AS seq FROM search s WHERE s.rowid / 4294967296 IN ${NOW_HELD}`,
      ),
    ),
  };
}
