// From a reference to an artifact's row. With a session, things of other sessions are not there at all: the same path,
// the same answer, whatever exists elsewhere. Without one (a person) the whole archive is looked through, and a name
// never guesses: it is said with its session. A reference is data; no part of it becomes a path.
import { query } from "#db/statement.ts";
import { isAbsolute } from "node:path";
import { isDigest } from "#lib/blobs/blob-store.ts";
import { parseRef } from "#lib/kernel/artifacts/pointer.ts";
import { fail, isAppError, type AppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { ARTIFACT_ROW, type ArtifactDbRow } from "../base/artifact-row.ts";
import { refOfPath } from "./resolve-path.ts";

export type Scope = {
  /** Row key of the session that asks, or null for a person. */
  readonly sessionPk: number | null;
};

const ANYWHERE: Scope = { sessionPk: null };

/** What a session sees, by any name of it; everything when none is named. Fails with `not_found`. */
export function scopeOf(archive: Archive, session: string | undefined): Scope & { readonly sessionId: string | null } {
  if (session === undefined) return { ...ANYWHERE, sessionId: null };
  const sessionPk = findSession(archive, session);
  return { sessionPk, sessionId: sessionIdOf(archive, sessionPk)! };
}

const SELECT =
  "SELECT a.*, s.id AS session_id, s.title AS session_title FROM artifacts a JOIN sessions s ON s.pk = a.session_pk";
/** Parts of a reference that are tried as a session; native ids and names may both have slashes. */
const SLASHES = 32;

/** The artifact of a reference, a tombstone too. Fails with `not_found`, in the same words whatever the reason. */
export function resolveArtifact(archive: Archive, ref: string, scope: Scope = ANYWHERE): ArtifactDbRow {
  return (
    tryResolve(archive, ref, scope) ??
    fail(
      "not_found",
      `No artifact "${clipRef(ref)}" ${scope.sessionPk === null ? "in this archive" : "in this session"}. Check the reference, or list artifacts: plimsoll artifacts`,
    )
  );
}

/** The same, or null. */
export function tryResolve(archive: Archive, ref: string, scope: Scope): ArtifactDbRow | null {
  const { kind, value } = parseRef(ref);
  if (kind === "pointer") return newest(archive, scope, "a.pointer = ?", [value]);
  if (kind === "digest") return newest(archive, scope, "a.digest = ?", [value]);
  if (kind === "content") {
    const found = byContent(archive, scope, value);
    // Ids of other designs look alike (`art_tool_output_9k2x`): here they can only be names.
    if (found !== null) return found;
  }
  const inside = isAbsolute(value) ? refOfPath(archive.dir, value) : null;
  if (inside !== null) return tryResolve(archive, inside, scope);
  const named = scope.sessionPk === null ? bySessionAndName(archive, value) : byName(archive, scope.sessionPk, value);
  return named ?? (isDigest(value) ? newest(archive, scope, "a.digest = ?", [value]) : null);
}

export type ArtifactState = "live" | "expired" | "deleted";

/** Expired from the moment on that was said, whether it was swept or not. */
export function stateOf(
  row: Pick<ArtifactDbRow, "deleted_at" | "deleted_why" | "expires_at">,
  now: number,
): ArtifactState {
  if (row.deleted_at !== null) return row.deleted_why === "expired" ? "expired" : "deleted";
  return row.expires_at !== null && row.expires_at <= now ? "expired" : "live";
}

/** What a reader of something that is gone is told, or null for what is there. `ref` as it was asked for. */
export function goneText(row: ArtifactDbRow, ref: string, now: number): string | null {
  const state = stateOf(row, now);
  if (state === "live") return null;
  const at = state === "expired" ? (row.expires_at ?? row.deleted_at) : row.deleted_at;
  return `[artifact ${state}: '${clipRef(ref)}' (${row.tool_name ?? row.name ?? "stored"}, ${row.size} bytes, ${state} ${iso(at)})]`;
}

/** Refuses a tombstone, saying what was there. */
export function requireLive(archive: Archive, row: ArtifactDbRow, ref: string): ArtifactDbRow {
  const gone = goneText(row, ref, archive.host.now());
  if (gone !== null) fail("not_found", `${gone} Only this record remains.`);
  return row;
}

/** A reference as an answer repeats it. */
export const clipRef = (ref: string): string => {
  const text = ref.toWellFormed();
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
};

/** One that can still be read goes before a tombstone of the same bytes, then the newest. */
function newest(
  archive: Archive,
  { sessionPk }: Scope,
  where: string,
  values: readonly unknown[],
): ArtifactDbRow | null {
  const inSession = sessionPk === null ? "" : "AND a.session_pk = ?";
  const row = query(
    archive.sqlite,
    ARTIFACT_ROW,
    `${SELECT} WHERE ${where} ${inSession}
     ORDER BY a.deleted_at IS NOT NULL OR (a.expires_at IS NOT NULL AND a.expires_at <= ?), a.created_at DESC, a.pk DESC LIMIT 1`,
  ).get(...values, ...(sessionPk === null ? [] : [sessionPk]), archive.host.now());
  return row ?? null;
}

/** `art_` and 16, 24 or 64 hex digits. Where two contents begin alike, the short id is the one that had it first. */
function byContent(archive: Archive, scope: Scope, id: string): ArtifactDbRow | null {
  const hex = id.slice(4);
  if (!/^([0-9a-f]{16}|[0-9a-f]{24}|[0-9a-f]{64})$/.test(hex)) return null;
  const own =
    hex.length === 16
      ? newest(archive, scope, "a.digest >= ? AND a.digest < ? AND a.content_id IS NULL", [hex, `${hex}g`])
      : null;
  return own ?? newest(archive, scope, "a.digest >= ? AND a.digest < ?", [hex, `${hex}g`]);
}

/** The latest binding of a name, else the newest artifact that was given it as it came in. */
function byName(archive: Archive, sessionPk: number, name: string): ArtifactDbRow | null {
  // A reference that begins so is a pointer, whatever somebody named.
  if (name.startsWith("art:")) return null;
  const bound = query(
    archive.sqlite,
    ARTIFACT_ROW,
    `${SELECT} WHERE a.session_pk = ? AND a.pointer = (SELECT pointer FROM artifact_names WHERE session_pk = ? AND name = ? ORDER BY pk DESC LIMIT 1)`,
  ).get(sessionPk, sessionPk, name);
  return bound ?? newest(archive, { sessionPk }, "a.name = ?", [name]);
}

/** The session by every name that a command takes: `my-run/NAME` too, where the session is `plimsoll:my-run`. */
function bySessionAndName(archive: Archive, text: string): ArtifactDbRow | null {
  const found = new Map<number, ArtifactDbRow>();
  let ambiguous: AppError | null = null;
  let hasSession = false;
  let at = text.indexOf("/", 1);
  for (let tried = 0; at >= 0 && tried < SLASHES; tried++, at = text.indexOf("/", at + 1)) {
    try {
      const session = findSession(archive, text.slice(0, at));
      hasSession = true;
      const row = byName(archive, session, text.slice(at + 1));
      if (row !== null) found.set(row.pk, row);
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A beginning that names no session may be part of a longer name; so may one that fits several.
      if (error.code === "invalid") ambiguous = error;
    }
  }
  if (!hasSession && ambiguous !== null) throw ambiguous;
  if (found.size > 1)
    fail(
      "invalid",
      `"${clipRef(text)}" names ${found.size} artifacts: ${[...found.values()].map((row) => row.pointer).join(", ")}. Give one of these pointers.`,
    );
  return found.values().next().value ?? null;
}
