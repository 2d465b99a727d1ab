// Sessions and artifacts as MCP resources. A list goes on where its cursor says: sessions first, then artifacts.
import { listRefs } from "#lib/archive/artifacts/list-refs.ts";
import { readBytes, readText } from "#lib/archive/artifacts/read-artifact.ts";
import { requireLive, resolveArtifact, scopeOf } from "#lib/archive/artifacts/resolve.ts";
import type { ArtifactDbRow } from "#lib/archive/base/artifact-row.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { isNameOf } from "#lib/archive/sessions/in-session.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { verdictMarkdown } from "#lib/wire/verdict-markdown.ts";

const PAGE = 50;
const TITLE_CHARS = 200;
const SESSIONS = "plimsoll://sessions/";
const ARTIFACTS = "plimsoll://artifacts/";

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${SESSIONS}{session}`,
    name: "session",
    title: "Session",
    description: "What filled the context of a session: verdict, facts, and its most expensive items",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: `${ARTIFACTS}{artifact}`,
    name: "artifact",
    title: "Artifact",
    description: `A stored output, whole, up to ${LIMITS.readWholeBytes} bytes; artifact_read reads parts of a larger one`,
  },
] as const;

type Listed = { uri: string; name: string; title: string; description: string; mimeType: string; size?: number };

export async function listResources(archive: Archive, session: string | null, cursor: string | undefined) {
  const from = positionOf(cursor);
  const resources: Listed[] = [];
  if (from.offset !== null) {
    const { rows, total } = await sessionsFrom(archive, session, from.offset);
    resources.push(...rows);
    const next = from.offset + rows.length;
    if (next < total && rows.length > 0) return { resources, nextCursor: `sessions:${next}` };
  }
  const scope = scopeOf(archive, session ?? undefined);
  const found = listRefs(archive, scope, { limit: PAGE, before: from.before });
  if (found === null) return fail("invalid", "This cursor is none that a list gave. Begin without one.");
  resources.push(...found.rows.map(artifactResource));
  const last = found.rows.at(-1);
  return found.left > 0 && last !== undefined ? { resources, nextCursor: `artifacts:${last.pointer}` } : { resources };
}

/** Where a list goes on. Without a cursor: at the first session. */
function positionOf(cursor: string | undefined): { offset: number | null; before: string | null } {
  if (cursor === undefined) return { offset: 0, before: null };
  const [, offset] = /^sessions:(\d{1,9})$/.exec(cursor) ?? [];
  if (offset !== undefined) return { offset: Number(offset), before: null };
  const [, before] = /^artifacts:(art:[0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (before !== undefined) return { offset: null, before };
  return fail("invalid", "This cursor is none that a list gave. Begin without one.");
}

async function sessionsFrom(archive: Archive, session: string | null, offset: number) {
  if (session !== null) {
    const { id, title, agent, startedAt } = await showSession(archive, session);
    const rows = offset === 0 ? [sessionResource({ id, title, agent, startedAt })] : [];
    return { rows, total: 1 };
  }
  const { sessions, total } = await listSessions(archive, sessionsQuery.parse({ sort: "active", limit: PAGE, offset }));
  return { rows: sessions.map(sessionResource), total };
}

type SessionFacts = { id: string; title: string; agent: string; startedAt: string | null };

const sessionResource = ({ id, title, agent, startedAt }: SessionFacts): Listed => ({
  uri: SESSIONS + id,
  name: id,
  title: clip(title),
  description: startedAt === null ? agent : `${agent}, ${startedAt}`,
  mimeType: "text/markdown",
});

const artifactResource = (row: ArtifactDbRow): Listed => ({
  uri: ARTIFACTS + row.pointer,
  name: row.pointer,
  title: clip(artifactTitle({ name: row.name, toolName: row.tool_name })),
  description: `Stored output of session ${row.session_id}`,
  mimeType: row.content_type,
  size: row.size,
});

const clip = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, TITLE_CHARS).toWellFormed();

export async function readResource(archive: Archive, session: string | null, uri: string) {
  if (uri.startsWith(SESSIONS)) return readSession(archive, session, uri);
  if (uri.startsWith(ARTIFACTS)) return readArtifact(archive, session, uri);
  return fail("not_found", `No resource "${uri.slice(0, 200)}". Its address begins with ${SESSIONS} or ${ARTIFACTS}.`);
}

async function readSession(archive: Archive, session: string | null, uri: string) {
  const name = decoded(uri.slice(SESSIONS.length));
  if (session !== null && !isNameOf(archive, session, name)) fail("not_found", "There is no such session here.");
  const ledger = await sessionLedger(archive, name, { counted: true });
  const text = verdictMarkdown(ledger, await showSession(archive, ledger.sessionId));
  return { contents: [{ uri, mimeType: "text/markdown", text }] };
}

async function readArtifact(archive: Archive, session: string | null, uri: string) {
  const ref = decoded(uri.slice(ARTIFACTS.length));
  const row = requireLive(archive, resolveArtifact(archive, ref, scopeOf(archive, session ?? undefined)), ref);
  if (row.size > LIMITS.readWholeBytes)
    fail(
      "invalid",
      `This artifact has ${row.size} bytes; a resource is read whole up to ${LIMITS.readWholeBytes}. The tool artifact_read reads parts of it.`,
    );
  const mimeType = row.content_type;
  try {
    const part = await readText(archive, row, {});
    if (part.kind === "text" && part.cut === null) return { contents: [{ uri, mimeType, text: part.text }] };
  } catch (error) {
    // Bytes that are no text are given as they are.
    if (!isAppError(error) || error.code !== "unsupported") throw error;
  }
  const { data } = await readBytes(archive, row, {}, LIMITS.readWholeBytes);
  return { contents: [{ uri, mimeType, blob: data.toString("base64") }] };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    return fail("invalid", "This address is not valid UTF-8.", error);
  }
}
