// What tests of bundles share: a bundle as a file, and what of an archive must be the same on both sides.
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Archive } from "../base/archive-type.ts";
import { sessionLoad } from "../load/session-load.ts";
import { memoryOf } from "../memory/session-memory.ts";
import { bundleBytes, planBundle } from "./write-bundle.ts";

export async function writeBundleFile(archive: Archive, session: string, path: string): Promise<string> {
  const plan = planBundle(archive, session);
  await pipeline(Readable.from(bundleBytes(plan), { objectMode: false }), createWriteStream(path));
  return path;
}

type Row = Record<string, unknown>;

/** Events, calls, interactions, artifacts and memory of some sessions, row by row, without keys of the archive. */
export function stateOf(archive: Archive, ids: readonly string[]): Record<string, Row[]> {
  const list = ids.map((id) => `'${id}'`).join(",");
  const own = `(SELECT pk FROM sessions WHERE id IN (${list}))`;
  const files = `(SELECT source_pk FROM sessions WHERE id IN (${list}))`;
  const name = (key: string): string => `(SELECT one.native_id FROM sessions one WHERE one.pk = ${key})`;
  const rows = (table: string, key: string, without: readonly string[], where = `session_pk IN ${own}`): Row[] =>
    (archive.sqlite.prepare(`SELECT ${name(key)} AS of, * FROM ${table} WHERE ${where}`).all() as Row[])
      .map((row) =>
        Object.fromEntries(
          Object.entries(row)
            .filter(([column]) => !["pk", "session_pk", "compaction_pk", ...without].includes(column))
            .map(([column, value]) => [
              column,
              value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
            ]),
        ),
      )
      .map((row) => [JSON.stringify(row), row] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => row);
  const session = "session_pk";
  return {
    sessions: rows(
      "sessions",
      "parent_pk",
      [
        ...["source_pk", "parent_pk", "version", "card", "tally", "judged_version", "written_at", "culprit"],
        ...["avoidable_usd", "avoidable_tokens", "load_line", "peak_share", "state"],
      ],
      `pk IN ${own}`,
    ),
    events: rows("events", "id / 4294967296", ["id", "checksum"], `id / 4294967296 IN ${own}`),
    calls: rows("model_calls", session, ["checksum"]),
    interactions: rows("tool_interactions", session, ["checksum"]),
    artifacts: rows("artifacts", session, [
      ...["checksum", "load_tokens", "load_origin", "load_calls", "load_usd", "load_version"],
    ]),
    names: rows("artifact_names", session, []),
    decisions: rows("offload_decisions", session, []),
    traces: rows("event_traces", session, []),
    compactions: rows("compactions", session, []),
    episodic: rows("episodic_items", session, []),
    semantic: rows("semantic_items", session, []),
    changes: rows("memory_changes", session, []),
    snapshots: rows("snapshots", session, []),
    recalls: rows("recall_runs", session, []),
    settings: rows("held_compaction", session, []),
    marks: rows("marks", session, []),
    continuations: rows(
      "continuations",
      "NULL",
      ["path", "resume"],
      `origin IN (SELECT native_id FROM sessions WHERE id IN (${list}))`,
    ),
    recipes: rows("version_recipes", "NULL", ["source_pk"], `source_pk IN ${files}`),
    beside: rows("beside_files", "NULL", ["source_pk", "path"], `source_pk IN ${files}`),
  };
}

/**
 * What the pages show: ledger and memory. Without the count of changes, and without the load line, which is what all sessions
 * of an archive tell of a model.
 */
export async function viewsOf(archive: Archive, id: string): Promise<unknown> {
  const { version: _load, loadLine: _line, ...load } = await sessionLoad(archive, id);
  const { version: _memory, ...memory } = await memoryOf(archive, id);
  return { load, memory };
}

/** Where two values differ: `path: one, other`. */
export function differences(one: unknown, other: unknown, path = ""): string[] {
  if (Object.is(one, other)) return [];
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return [`${path}: ${String(one).slice(0, 120)}, ${String(other).slice(0, 120)}`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences((one as Row)[key], (other as Row)[key], `${path}.${key}`));
}
