// The artifacts of a session as a model is told of them: newest first, each storing once, tombstones left out.
import type { Archive } from "../archive.ts";
import { prepared } from "../import/prepared.ts";
import { likeOf } from "../find-in-session.ts";
import type { ArtifactDbRow } from "./artifact-row.ts";
import type { Scope } from "./resolve.ts";

export type RefsAsk = {
  readonly limit: number;
  /** Of an answer before: rows behind it. */
  readonly before: number | null;
  readonly nameContains?: string | undefined;
  readonly toolName?: string | undefined;
};

export type Refs = { readonly rows: readonly ArtifactDbRow[]; readonly left: number };

export function listRefs(archive: Archive, scope: Scope, ask: RefsAsk): Refs {
  const where = ["a.deleted_at IS NULL", "(a.expires_at IS NULL OR a.expires_at > @now)"];
  if (scope.sessionPk !== null) where.push("a.session_pk = @session");
  if (ask.before !== null) where.push("a.pk < @before");
  if (ask.toolName !== undefined) where.push("a.tool_name = @tool");
  if (ask.nameContains !== undefined) where.push("a.name LIKE @name ESCAPE '\\'");
  const values = {
    now: archive.host.now(),
    session: scope.sessionPk,
    before: ask.before,
    tool: ask.toolName ?? null,
    name: likeOf(ask.nameContains ?? ""),
  };
  const from = `FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE ${where.join(" AND ")}`;
  const rows = prepared(
    archive.sqlite,
    `SELECT a.*, s.id AS session_id, s.title AS session_title ${from} ORDER BY a.pk DESC LIMIT @limit`,
  ).all({ ...values, limit: ask.limit }) as ArtifactDbRow[];
  const total = prepared(archive.sqlite, `SELECT count(*) AS total ${from}`).get(values) as { total: number };
  return { rows, left: total.total - rows.length };
}
