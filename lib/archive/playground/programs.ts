// Programs and patterns that a person keeps under a name, or because an address is too short for them.
import { columns, query, type RowOf } from "#db/statement.ts";
import { hash, randomBytes } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import type { SavedProgram, SaveProgram } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { deleteProgramWrite, saveProgramWrite } from "./program-rows.ts";

const PROGRAM_ROW = columns("playground_programs", "id", "kind", "name", "program", "options", "fits", "created_at");
type ProgramRow = RowOf<typeof PROGRAM_ROW>;

/** Those with a name, by name. One without is found by its id alone: an address names it. */
export async function listPrograms(archive: Archive): Promise<{ programs: SavedProgram[] }> {
  const rows = query(
    archive.sqlite,
    PROGRAM_ROW,
    "FROM playground_programs WHERE name IS NOT NULL ORDER BY name COLLATE NOCASE, kind",
  ).all();
  return { programs: rows.map(shown) };
}

export async function readProgram(archive: Archive, id: string): Promise<SavedProgram> {
  return shown(rowOf(archive, id));
}

/** The id of one without a name comes from what it says: the same again is the same row. */
export async function saveProgram(archive: Archive, program: SaveProgram): Promise<SavedProgram> {
  const { kind, name, options } = program;
  if ((kind === "grep") !== Array.isArray(options))
    fail("invalid", "jq options must be fields; grep options must be a list of words.");
  const made = hash("sha256", JSON.stringify([kind, program.program, options]), "hex").slice(0, 16);
  const input = { ...program, id: `prg_${name === null ? made : randomBytes(8).toString("hex")}` };
  const { id } = await write(archive, saveProgramWrite, input);
  return readProgram(archive, id);
}

export async function deleteProgram(archive: Archive, id: string): Promise<{ deleted: boolean }> {
  rowOf(archive, id);
  return write(archive, deleteProgramWrite, { id });
}

function rowOf(archive: Archive, id: string): ProgramRow {
  const row = query(archive.sqlite, PROGRAM_ROW, "FROM playground_programs WHERE id = ?").get(id);
  return (
    row ?? fail("not_found", `There is no program ${id} in this archive. It may have been deleted. Save it again.`)
  );
}

const shown = ({ options, created_at, ...row }: ProgramRow): SavedProgram => ({
  ...row,
  options: JSON.parse(options) as SavedProgram["options"],
  createdAt: iso(created_at) ?? "",
});
