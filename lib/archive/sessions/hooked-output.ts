// What an agent's hook put away: the agent's file has the envelope that the model saw, a session of the hook the bytes. Here the two
// meet, so that the agent's own session shows both, whichever of them came first.
import { columns, query, scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import { hookSessionName } from "../artifacts/output-spool.ts";
import type { Archive } from "../base/archive-type.ts";

const ARTIFACT_ID = /art_([0-9a-f]{16})\b/;

/** The artifact behind the envelope in a result of an imported session; null where no hook of its agent stored one. */
export function hookedPointer(archive: Archive, pk: number, toolCallId: string | null, text: string): string | null {
  const hex = ARTIFACT_ID.exec(text)?.[1];
  const session = hex === undefined ? null : hookSession(archive, pk);
  if (hex === undefined || session === null) return null;
  const found = scalar(
    archive.sqlite,
    "artifacts.pointer",
    `FROM artifacts WHERE session_pk = ? AND digest >= ? AND digest < ? ORDER BY tool_call_id IS ? DESC, pk DESC LIMIT 1`,
  ).get(session, hex, `${hex}g`, toolCallId);
  return found ?? null;
}

/** The session of an imported session's hook, as far as it holds something. */
export function hookedIn(archive: Archive, pk: number): ArtifactsAnswer["hooked"] {
  const of = hookSession(archive, pk);
  if (of === null) return null;
  const found = query(
    archive.sqlite,
    { id: "sessions.id", artifacts: "integer", bytes: "integer" },
    `SELECT s.id, count(*) AS artifacts, coalesce(sum(a.size) FILTER (WHERE a.deleted_at IS NULL), 0) AS bytes
     FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.session_pk = ? GROUP BY s.pk`,
  ).get(of);
  return found ?? null;
}

function hookSession(archive: Archive, pk: number): number | null {
  const row = query(
    archive.sqlite,
    { ...columns("sessions", "format", "held"), nativeId: "sessions.native_id" },
    "SELECT format, held, native_id AS nativeId FROM sessions WHERE pk = ?",
  ).get(pk);
  const agent = row?.held === 0 ? FORMATS.find(({ id }) => id === row.format)?.label : undefined;
  if (row === undefined || agent === undefined) return null;
  // A sub-agent's outputs are told with its parent's id.
  const own = row.nativeId.slice(row.nativeId.indexOf(":") + 1).split(/[/~]/)[0]!;
  const name = `plimsoll:${hookSessionName(agent, own)}`;
  return scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE native_id = ?").get(name) ?? null;
}
