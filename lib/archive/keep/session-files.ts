// The files of a session as its agent had them: its own, those of its sub-agents, what lay beside them, and outputs that the
// agent had put into files. Each says where it was, and how its bytes are read; what cannot be given says why.
import { columns, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { eventNumber } from "#lib/sources/event-folder.ts";
import { isSplitSession } from "#lib/sources/split-session.ts";
import { databaseOf } from "#lib/sources/sqlite.ts";
import type { RestoreFile } from "#lib/wire/restore-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { checkedPieces, requireSameBytes } from "../base/unchanged-rows.ts";
import { besideFilesOf, type BesideFile } from "../import/beside-files.ts";
import { heldBytes, rawRun } from "./held-bytes.ts";
import { openRecipe } from "../import/version-recipe.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type KeptFile = {
  /** Where the agent had it. */
  readonly path: string;
  readonly role: RestoreFile["role"];
  readonly sizeBytes: number;
  readonly mtimeMs: number | null;
  /** The digest that its bytes must have, where one was noted. */
  readonly digest: string | null;
  bytes(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};

export type SessionFiles = {
  readonly session: {
    readonly id: string;
    readonly nativeId: string;
    readonly title: string;
    readonly cwd: string | null;
  };
  readonly format: string;
  readonly agentVersion: string | null;
  readonly version: number | null;
  /** The session's own file comes first. */
  readonly files: readonly KeptFile[];
  readonly missing: { path: string; reason: string }[];
};

const SOURCE = {
  ...columns("sources", "pk", "path", "format", "size", "mtime_ms", "earlier", "earlier_of", "is_part", "stopped"),
  status: "sources.status",
} as const satisfies Columns;
type Source = RowOf<typeof SOURCE>;

/** Formats whose files are Plimsoll's own: no agent had them. */
const OWN = new Set(["captured", "otlp"]);

export async function sessionFiles(archive: Archive, sessionPk: number, version?: number): Promise<SessionFiles> {
  const session = query(
    archive.sqlite,
    {
      ...columns("sessions", "pk", "id", "title", "cwd", "format"),
      nativeId: "sessions.native_id",
      sourcePk: "sessions.source_pk",
      agentVersion: "sessions.agent_version",
    },
    "SELECT pk, id, title, cwd, format, native_id AS nativeId, source_pk AS sourcePk, agent_version AS agentVersion FROM sessions WHERE pk = ?",
  ).get(sessionPk)!;
  if (session.sourcePk === null || OWN.has(session.format))
    fail("unsupported", `Session ${session.id} has no file of an agent. plimsoll export writes it as one file.`);
  const format = FORMATS.find(({ id }) => id === session.format);
  const own = sourceOf(archive, session.sourcePk);
  // A format with a database may have files too, of other releases.
  if (databaseOf(own.path) !== null)
    fail(
      "unsupported",
      `Session ${session.id} is in a database of ${format?.label ?? "its agent"}, which Plimsoll never writes. Write it as one file: plimsoll export.`,
    );
  if (isSplitSession(own.path) || eventNumber(own.path) !== null)
    fail(
      "unsupported",
      `Session ${session.id} was read from a file for each message or event. Write it as one file: plimsoll export.`,
    );
  const source = version === undefined || own.earlier === version ? own : versionOf(archive, own, version);
  const missing: { path: string; reason: string }[] = [];
  const files = [
    await ownFile(archive, source, "session", missing),
    // An earlier version is one file: sub-agents and outputs are those of the session that the file holds now.
    ...(source.earlier === null ? await others(archive, source, missing) : []),
  ];
  const at = session.nativeId.indexOf(":");
  return {
    session: { ...session, nativeId: session.nativeId.slice(at + 1) },
    format: session.format,
    agentVersion: session.agentVersion,
    version: source.earlier,
    files,
    missing,
  };
}

function sourceOf(archive: Archive, pk: number): Source {
  return query(archive.sqlite, SOURCE, `${SELECT} WHERE pk = ?`).get(pk)!;
}

const SELECT = "SELECT pk, path, format, size, mtime_ms, earlier, earlier_of, is_part, stopped, status FROM sources";

function versionOf(archive: Archive, source: Source, version: number): Source {
  const found = query(archive.sqlite, SOURCE, `${SELECT} WHERE earlier = ? AND earlier_of = ?`).get(
    version,
    source.earlier_of ?? source.pk,
  );
  if (found !== undefined) return found;
  const known = scalar(archive.sqlite, "sources.earlier!", "FROM sources WHERE earlier_of = ? ORDER BY earlier").all(
    source.earlier_of ?? source.pk,
  );
  const others = known.length === 0 ? "It has no earlier version." : `Its earlier versions: ${known.join(", ")}.`;
  return fail("not_found", `This session's file has no version ${version}. ${others}`);
}

/** The path of the file of which a source is a version, as the agent writes it. */
function agentPath(archive: Archive, source: Source): string {
  const path = source.earlier_of === null ? source.path : sourceOf(archive, source.earlier_of).path;
  return path.replace(/\.jsonl\.zst$/, ".jsonl");
}

type Missing = { path: string; reason: string }[];

async function ownFile(archive: Archive, source: Source, role: KeptFile["role"], missing: Missing): Promise<KeptFile> {
  const path = agentPath(archive, source);
  if (source.is_part === 1) {
    const recipe = await openRecipe(archive, source.pk);
    if (recipe === null)
      fail(
        "unsupported",
        `Version ${source.earlier} cannot be restored whole: only its lost records are kept. plimsoll export writes them.`,
      );
    return { path, role, mtimeMs: source.mtime_ms, ...recipe };
  }
  const sizeBytes = heldBytes(archive, source.pk);
  if (sizeBytes === 0) fail("not_found", `Nothing was read from ${path}. Its bytes are not in this archive.`);
  const isPacked = source.path.endsWith(".zst");
  if (isPacked)
    missing.push({ path: source.path, reason: "Its content is given back uncompressed; the agent reads both." });
  else if (source.earlier === null && source.size > sizeBytes)
    missing.push({
      path,
      reason: `Its last ${exactly(source.size - sizeBytes)} bytes were not read. ${source.stopped ?? "The last line was not finished."}`,
    });
  const requireSame = requireSameBytes(archive, source.pk, sizeBytes);
  return {
    path,
    role,
    sizeBytes,
    mtimeMs: source.mtime_ms > 0 ? source.mtime_ms : null,
    digest: null,
    bytes: () => checkedPieces(rawRun(archive, source.pk, sizeBytes), requireSame),
  };
}

const FAMILY = `WITH RECURSIVE family(pk) AS (
    SELECT pk FROM sessions WHERE source_pk = @pk
    UNION SELECT s.pk FROM sessions s JOIN family f ON s.parent_pk = f.pk
      WHERE s.relation = 'subagent' AND s.earlier IS NULL AND s.format = @format)
  SELECT DISTINCT f.pk, f.path, f.format, f.size, f.mtime_ms, f.earlier, f.earlier_of, f.is_part, f.stopped, f.status
    FROM family JOIN sessions s ON s.pk = family.pk JOIN sources f ON f.pk = s.source_pk WHERE f.pk <> @pk ORDER BY f.path`;

/** Sub-agents' files, what lies beside all of them, and outputs in files. */
async function others(archive: Archive, source: Source, missing: Missing): Promise<KeptFile[]> {
  const agents = query(archive.sqlite, SOURCE, FAMILY).all({ pk: source.pk, format: source.format });
  const files = await Promise.all(agents.map((agent) => ownFile(archive, agent, "sub-agent", missing)));
  const paths = new Set<string>();
  for (const { pk, path } of [source, ...agents]) {
    for (const beside of besideFilesOf(archive, pk)) {
      if (paths.has(beside.path)) continue;
      paths.add(beside.path);
      const file = besideFile(archive, beside);
      if (file === null) missing.push({ path: beside.path, reason: "Its artifact was deleted from this archive." });
      else files.push(file);
    }
    for (const one of unfound(archive, pk, path, source.format)) {
      if (paths.has(one.path)) continue;
      paths.add(one.path);
      if ("reason" in one) missing.push(one);
      else files.push(one);
    }
  }
  return files;
}

function besideFile(archive: Archive, beside: BesideFile): KeptFile | null {
  const { path, sizeBytes, mtimeMs, digest } = beside;
  const held = beside.bytes;
  if (held !== null) return { path, role: "note", sizeBytes, mtimeMs, digest, bytes: () => [held] };
  if (!hasBlob(archive, digest)) return null;
  return { path, role: "output", sizeBytes, mtimeMs, digest, bytes: () => blobBytes(archive, digest) };
}

const hasBlob = (archive: Archive, digest: string): boolean =>
  scalar(archive.sqlite, "integer", "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL").get(digest) !==
  undefined;

const blobBytes = (archive: Archive, digest: string): AsyncIterable<Uint8Array> => archive.blobs.read(digest);

/**
 * Outputs that the transcript says are in files, of readings that did not note which file: given where the kept bytes are as
 * many as the agent said and the agent's own folder holds such files.
 */
function unfound(
  archive: Archive,
  sourcePk: number,
  path: string,
  format: string | null,
): (KeptFile | { path: string; reason: string })[] {
  const rows = query(
    archive.sqlite,
    { stored: "text?", storedBytes: "integer?", digest: "artifacts.digest?", size: "artifacts.size?" },
    `SELECT e.body ->> '$.storedPath' AS stored, e.body ->> '$.storedBytes' AS storedBytes, a.digest, a.size
       FROM sessions s JOIN events e ON e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295
       LEFT JOIN artifacts a ON a.session_pk = s.pk AND a.seq = e.id - s.pk * 4294967296 AND a.offloaded_by = 'agent'
     WHERE s.source_pk = ? AND e.type = 'tool_result' AND instr(e.body, '"storedPath"') > 0`,
  ).all(sourcePk);
  const noted = new Set(besideFilesOf(archive, sourcePk).map(({ path: one }) => lastName(one)));
  const known = FORMATS.find(({ id }) => id === format);
  return rows.flatMap(({ stored, storedBytes, digest, size }): (KeptFile | { path: string; reason: string })[] => {
    if (stored === null || noted.has(lastName(stored))) return [];
    // The transcript's words choose among the agent's own folders, and name no other.
    const [first, ...own] = known?.fullOutputPaths?.(path, stored) ?? [];
    const isOwn = first !== undefined && (own.includes(first) || known?.fullOutputFolder?.(first) != null);
    const location = isOwn ? first : own[0];
    if (location === undefined || digest === null || size === null || size !== storedBytes || !hasBlob(archive, digest))
      return [{ path: location ?? stored, reason: "It was deleted before Plimsoll could read it." }];
    const bytes = (): AsyncIterable<Uint8Array> => blobBytes(archive, digest);
    return [{ path: location, role: "output", sizeBytes: size, mtimeMs: null, digest, bytes }];
  });
}

const lastName = (path: string): string => path.split(/[\\/]/).at(-1)!;
