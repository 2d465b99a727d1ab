// The artifacts of a session as a model is told of them: newest first, each storing once, tombstones left out.
import { query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { likeOf } from "../base/like-pattern.ts";
import { ARTIFACT_ROW, type ArtifactDbRow } from "../base/artifact-row.ts";
import { tryResolve, type Scope } from "./resolve.ts";

export type RefsAsk = {
  readonly limit: number;
  /** The last pointer of the answer before: what was stored earlier. */
  readonly before: string | null;
  readonly nameContains?: string | undefined;
  readonly toolName?: string | undefined;
};

export type Refs = { readonly rows: readonly ArtifactDbRow[]; readonly left: number };

/** Null when `before` is nothing of this session. */
export function listRefs(archive: Archive, scope: Scope, ask: RefsAsk): Refs | null {
  const before = ask.before === null ? null : tryResolve(archive, ask.before, scope);
  if (ask.before !== null && before === null) return null;
  const where = ["a.deleted_at IS NULL", "(a.expires_at IS NULL OR a.expires_at > @now)"];
  if (scope.sessionPk !== null) where.push("a.session_pk = @session");
  if (before !== null) where.push("a.pk < @before");
  if (ask.toolName !== undefined) where.push("a.tool_name = @tool");
  if (ask.nameContains !== undefined) where.push("a.name LIKE @name ESCAPE '\\'");
  const values = {
    now: archive.host.now(),
    session: scope.sessionPk,
    before: before?.pk ?? null,
    tool: ask.toolName ?? null,
    name: likeOf(ask.nameContains ?? ""),
  };
  const from = `FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE ${where.join(" AND ")}`;
  const rows = query(
    archive.sqlite,
    ARTIFACT_ROW,
    `SELECT a.*, s.id AS session_id, s.title AS session_title ${from} ORDER BY a.pk DESC LIMIT @limit`,
  ).all({ ...values, limit: ask.limit });
  const total = scalar(archive.sqlite, "integer", `SELECT count(*) ${from}`).get(values)!;
  return { rows, left: total - rows.length };
}
