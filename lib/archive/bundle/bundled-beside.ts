// Rows that name files of a machine: what lay beside a session's file, how an earlier version of it is put together, and files in which
// the session went on. In another archive they name no file of its machine, and a command of theirs is never taken from a bundle.
import { createHash } from "node:crypto";
import { z } from "zod";
import { command, query, scalar, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { bundledPath, isBundled, pathBefore } from "../base/bundle-path.ts";
import { resumeCommands } from "../handover/plan-handover.ts";
import { shellCommands } from "../handover/shell-words.ts";
import { besideFilesOf } from "../import/beside-files.ts";

const FILE_TABLES = ["version_recipes", "beside_files", "continuations"] as const;
export type FileTable = (typeof FILE_TABLES)[number];
export type FileRow = { readonly table: FileTable; readonly row: Record<string, unknown> };

export const isFileTable = (name: unknown): name is FileTable => FILE_TABLES.includes(name as FileTable);

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const whole = z.number().int().nonnegative();
const path = z.string().min(1).max(4096);
/** It stands in a command. */
const newName = z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9_][\w.-]{0,199}$/);
const hex = z.string().regex(/^([0-9a-f]{2})*$/);

const ROWS = {
  version_recipes: z.strictObject({ size: whole, digest, records: z.string().regex(/^([0-9a-f]{32})*$/) }),
  beside_files: z.strictObject({ path, size: whole, mtime_ms: z.number(), digest, bytes: hex.nullable() }),
  continuations: z.strictObject({
    id: z.string().regex(/^con_[0-9a-f]{16}$/),
    origin: path,
    native_id: newName,
    path,
    size: whole,
    digest,
    mode: z.enum(["fork", "summary"]),
    at_seq: whole,
    tokens_now: whole,
    tokens_next: whole,
    written_at: whole,
    taken_back_at: whole.nullable(),
  }),
} as const;

/** Of a session that was read from a file. Where a file has several sessions, the first has what belongs to the file. */
export function* fileRows(archive: Archive, pk: number): Generator<FileRow> {
  const { sqlite } = archive;
  const session = select(sqlite, "sessions", ["source_pk", "native_id"], "WHERE pk = ?").get(pk)!;
  const source = session.source_pk!;
  const first = scalar(sqlite, "sessions.pk", "FROM sessions WHERE source_pk = ? ORDER BY lane LIMIT 1").get(source);
  if (first === pk) {
    const recipe = select(sqlite, "version_recipes", ["size", "digest", "records"], "WHERE source_pk = ?").get(source);
    if (recipe !== undefined)
      yield { table: "version_recipes", row: { ...recipe, records: recipe.records.toString("hex") } };
    for (const { path: own, sizeBytes, mtimeMs, digest: sha256, bytes } of besideFilesOf(archive, source))
      yield {
        table: "beside_files",
        row: {
          path: pathBefore(own),
          size: sizeBytes,
          mtime_ms: mtimeMs,
          digest: sha256,
          bytes: bytes?.toString("hex") ?? null,
        },
      };
  }
  // With the old session; where that one is not here, with the new one.
  const written = query(
    sqlite,
    { "*": "continuations.*" },
    `FROM continuations WHERE origin = @own
       OR (native_id = @own AND NOT EXISTS (SELECT 1 FROM sessions WHERE native_id = continuations.origin)) ORDER BY id`,
  );
  for (const { pk: _, resume: __, ...row } of written.all({ own: session.native_id }))
    yield { table: "continuations", row: { ...row, path: pathBefore(row.path) } };
}

/** Adds what is not here yet; whether there was anything. What is here of this machine stays as it is. */
export function mergeFileRow(archive: Archive, { table, row }: FileRow, pk: number): boolean {
  const { sqlite } = archive;
  const session = select(sqlite, "sessions", ["source_pk", "native_id", "cwd"], "WHERE pk = ?").get(pk)!;
  if (table === "continuations") return addContinuation(archive, parsed(table, row), session);
  const source = select(sqlite, "sources", ["pk", "path"], "WHERE pk = ?").get(session.source_pk);
  // A file of this machine has its own beside it.
  if (source === undefined || !isBundled(source.path)) return false;
  if (table === "version_recipes") {
    const recipe = parsed(table, row);
    return (
      command(
        sqlite,
        "INSERT OR IGNORE INTO version_recipes (source_pk, size, digest, records) VALUES (?, ?, ?, ?)",
      ).run(source.pk, recipe.size, recipe.digest, Buffer.from(recipe.records, "hex")).changes > 0
    );
  }
  return addBesideFile(archive, { row }, source);
}

/** Adds what lay beside a file that came in a bundle; false where it is here. */
export function addBesideFile(
  { sqlite }: Archive,
  { row }: Pick<FileRow, "row">,
  source: { readonly pk: number; readonly path: string },
): boolean {
  if (!isBundled(source.path)) return false;
  const beside = parsed("beside_files", row);
  const bytes = beside.bytes === null ? null : Buffer.from(beside.bytes, "hex");
  if (beside.path.split(/[\\/]/).includes("..")) refuse(`${beside.path} leads out of its folder`);
  if (bytes !== null && (bytes.length !== beside.size || sha256Of(bytes) !== beside.digest))
    refuse(`${beside.path} has other bytes than it says`);
  return (
    command(
      sqlite,
      `INSERT INTO beside_files (source_pk, path, size, mtime_ms, digest, bytes) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (source_pk, path) DO UPDATE SET size = excluded.size, mtime_ms = excluded.mtime_ms, digest = excluded.digest,
           bytes = excluded.bytes WHERE excluded.mtime_ms > mtime_ms`,
    ).run(source.pk, bundledPath(beside.path), beside.size, beside.mtime_ms, beside.digest, bytes).changes > 0
  );
}

type Continued = z.infer<(typeof ROWS)["continuations"]>;

function addContinuation(
  { sqlite }: Archive,
  row: Continued,
  { native_id: own, cwd }: { readonly native_id: string; readonly cwd: string | null },
): boolean {
  if (row.origin !== own && row.native_id !== own) refuse(`continuation ${row.id} is of another session`);
  const [format, id] = [row.native_id.slice(0, row.native_id.indexOf(":")), nameIn(row.native_id)];
  const { continuation } = FORMATS.find((one) => one.id === format) ?? {};
  const commands = continuation === undefined ? [] : resumeCommands(continuation, id, pathBefore(row.path), true);
  const values = { ...row, path: bundledPath(row.path), resume: shellCommands(commands, cwd) };
  return (
    command(
      sqlite,
      `INSERT OR IGNORE INTO continuations (id, origin, native_id, path, size, digest, mode, at_seq, tokens_now, tokens_next, resume,
         written_at, taken_back_at) VALUES (@id, @origin, @native_id, @path, @size, @digest, @mode, @at_seq, @tokens_now, @tokens_next,
         @resume, @written_at, @taken_back_at)`,
    ).run(values).changes > 0
  );
}

const nameIn = (nativeId: string): string => nativeId.slice(nativeId.indexOf(":") + 1);

function parsed<T extends FileTable>(table: T, row: Record<string, unknown>): z.infer<(typeof ROWS)[T]> {
  const result = ROWS[table].safeParse(row);
  if (result.success) return result.data as z.infer<(typeof ROWS)[T]>;
  const [issue] = result.error.issues;
  return refuse(`${table} at "${issue!.path.join(".")}": ${issue!.message}`);
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const refuse = (what: string): never =>
  fail("invalid", `The rows of the bundle are wrong: ${what}. Export the session again.`);
