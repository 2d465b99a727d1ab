// The session that is carried on: its agent, its file, and what became of that file since it was read.
import { columns, query } from "#db/statement.ts";
import { stat } from "node:fs/promises";
import { FORMATS } from "#lib/formats/index.ts";
import type { Continuation } from "#lib/kernel/continuation.ts";
import { fail } from "#lib/kernel/errors.ts";
import { databaseOf } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import { headRecords } from "./kept-records.ts";

export type OriginSession = {
  readonly pk: number;
  readonly id: string;
  readonly format: string;
  readonly label: string;
  /** Without the format. */
  readonly nativeId: string;
  readonly title: string;
  readonly cwd: string | null;
  readonly version: string | null;
  readonly sourcePk: number;
  readonly path: string;
  readonly continuation: Continuation;
  /** Bytes of its file that were read. */
  readonly readBytes: number;
};

const ROW = {
  ...columns("sessions", "pk", "id", "format", "title", "cwd", "lane", "held", "earlier", "relation"),
  nativeId: "sessions.native_id",
  version: "sessions.agent_version",
  sourcePk: "sessions.source_pk",
  path: "sources.path?",
  offset: "sources.offset?",
} as const;

/** Fails with `unsupported` where the session cannot go on in a file, and says what else can be done. */
export function originSession(archive: Archive, pk: number): OriginSession {
  const row = query(
    archive.sqlite,
    ROW,
    `SELECT s.pk, s.id, s.format, s.title, s.cwd, s.lane, s.held, s.earlier, s.relation, s.native_id AS nativeId,
       s.agent_version AS version, s.source_pk AS sourcePk, f.path, f.offset
     FROM sessions s LEFT JOIN sources f ON f.pk = s.source_pk WHERE s.pk = ?`,
  ).get(pk)!;
  const format = FORMATS.find(({ id }) => id === row.format);
  const label = format?.label ?? row.format;
  const refuse = (why: string): never => fail("unsupported", `Session ${row.id} cannot be carried on: ${why}`);
  if (row.held === 1) refuse("Plimsoll holds it. Compact it: plimsoll compact.");
  if (row.relation === "subagent" || row.lane !== "")
    refuse("it is a sub-agent's, which its agent cannot resume. Carry on its parent.");
  if (row.earlier !== null) refuse("it is an earlier version of a file. Carry on the current one.");
  const { continuation } = format ?? {};
  if (continuation === undefined || row.sourcePk === null || row.path === null)
    return refuse(`${label} accepts no session file from outside. Use the summary as a first message.`);
  const why = continuation.refuses?.(row.path, headRecords(archive, row.sourcePk)) ?? null;
  if (why !== null) refuse(why);
  return {
    pk,
    id: row.id,
    format: row.format,
    label,
    nativeId: row.nativeId.slice(row.nativeId.indexOf(":") + 1),
    title: row.title,
    cwd: row.cwd,
    version: row.version,
    sourcePk: row.sourcePk,
    path: row.path,
    continuation,
    readBytes: row.offset ?? 0,
  };
}

/** What a person should know of the old file and the machine before the new one is written. */
export async function originWarnings(origin: OriginSession): Promise<string[]> {
  const { continuation, version, label, path, readBytes, cwd } = origin;
  const warnings: string[] = [];
  if (version === null)
    warnings.push(`The version of ${label} is unknown. Tried: ${continuation.versions.join(", ")}.`);
  else if (!continuation.versions.includes(version))
    warnings.push(`${label} ${version} is untried. Tried: ${continuation.versions.join(", ")}.`);
  const database = databaseOf(path);
  const file = await stat(database ?? path).catch(() => null);
  if (file === null && database !== null)
    warnings.push(`The database ${database} is gone. The rows that Plimsoll stored are used.`);
  else if (file === null) warnings.push("The old file is gone. The bytes that Plimsoll stored are used.");
  else if (database === null && file.size > readBytes)
    warnings.push(`The old file has ${file.size - readBytes} bytes that were not read yet. They are not carried on.`);
  else if (database === null && file.size < readBytes)
    warnings.push("The old file was cut or replaced. The bytes that Plimsoll stored are used.");
  return [...warnings, ...(await folderWarnings(cwd))];
}

async function folderWarnings(cwd: string | null): Promise<string[]> {
  const isHere = (): Promise<boolean> =>
    stat(cwd!).then(
      (one) => one.isDirectory(),
      () => false,
    );
  return cwd === null || (await isHere())
    ? []
    : [`The session's folder ${cwd} is not on this machine. The agent may not find its project.`];
}
