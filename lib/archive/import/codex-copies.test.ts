// Codex before 0.100 names no turns: a fork's copy of its parent's history is known by the history itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { check } from "../upkeep/check-archive.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { removeSource } from "./remove-source.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
const PARENT = "codex-synthetic-no-turns.jsonl";
const FORK = "codex-synthetic-no-turns-fork.jsonl";
const idOf = (last: string): string => `codex:01900000-0000-7000-8000-00000000000${last}`;
const textOf = (name: string): string => readFileSync(join(FIXTURES, name), "utf8");

const spent = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { id: "sessions.native_id", calls: "integer", sent: "integer", output: "integer" },
    `SELECT s.native_id AS id, count(*) AS calls, sum(m.input_uncached + m.cache_read + m.cache_write) AS sent, sum(m.output) AS output
       FROM model_calls m JOIN sessions s ON s.pk = m.session_pk WHERE m.inherited = 0 GROUP BY s.pk ORDER BY s.native_id`,
  ).all();

const inherited = ({ sqlite }: Archive, id: string): number =>
  sqlite
    .prepare(
      "SELECT count(*) FROM events e JOIN sessions s ON s.pk = e.id / 4294967296 WHERE s.native_id = ? AND e.inherited = 1",
    )
    .pluck()
    .get(id) as number;

const read = async (archive: Archive, logs: string, ...names: readonly string[]): Promise<void> => {
  for (const name of names) await importPaths(archive, [put(logs, name, textOf(name))]);
};

test.each([
  ["the parent first", [PARENT, FORK]],
  ["the fork first", [FORK, PARENT]],
])("a fork's copy of a history without turns counts once: %s", (_, names) =>
  inArchive(async (archive, logs) => {
    await read(archive, logs, ...names);
    expect(spent(archive)).toEqual([
      { id: idOf("d"), calls: 4, sent: 13_100, output: 130 },
      { id: idOf("e"), calls: 2, sent: 7000, output: 35 },
    ]);
    // The parent's first line, and the history up to where the fork goes on its own way.
    expect(inherited(archive, idOf("d"))).toBe(0);
    expect(inherited(archive, idOf("e"))).toBe(14);
    const { id: parentId } = await showSession(archive, idOf("d"));
    expect(await showSession(archive, idOf("e"))).toMatchObject({ relation: "fork", parentId });
    expect((await check(archive)).problems).toEqual([]);
  }),
);

const lostOf = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { id: "sessions.native_id", lost: "integer?" },
    "SELECT native_id AS id, json_extract(tally, '$.lost.inputUncached') AS lost FROM sessions ORDER BY native_id",
  ).all();

test.each([
  ["the parent first", [PARENT, FORK]],
  ["the fork first", [FORK, PARENT]],
])("what totals name beyond the calls of a copied history is lost once: %s", (_, names) =>
  inArchive(async (archive, logs) => {
    const gap = (text: string): string =>
      text.replace('"last_token_usage":{"input_tokens":3200', '"last_token_usage":{"input_tokens":3100');
    for (const name of names) await importPaths(archive, [put(logs, name, gap(textOf(name)))]);
    expect(lostOf(archive)).toEqual([
      { id: idOf("d"), lost: 100 },
      { id: idOf("e"), lost: null },
    ]);
    removeSourceOf(archive, join(logs, PARENT));
    expect(lostOf(archive)).toEqual([{ id: idOf("e"), lost: 100 }]);
  }),
);

function removeSourceOf(archive: Archive, path: string): void {
  const batch = new Batch(archive);
  batch.begin();
  removeSource(archive, batch, path);
  batch.commit();
}

test("a fork without turns that stands alone has its whole history", () =>
  inArchive(async (archive, logs) => {
    await read(archive, logs, FORK);
    expect(spent(archive)).toEqual([{ id: idOf("e"), calls: 4, sent: 13_200, output: 127 }]);
    expect(inherited(archive, idOf("e"))).toBe(0);
  }));

test("another session that begins with the same words shares nothing", () =>
  inArchive(async (archive, logs) => {
    await read(archive, logs, PARENT);
    const other = textOf(PARENT).replaceAll("00000000000d", "00000000000f").replaceAll("call_", "call_of_another_");
    await importPaths(archive, [put(logs, "other.jsonl", other)]);
    expect(archive.sqlite.prepare("SELECT count(*) FROM lineage").pluck().get()).toBe(0);
  }));
