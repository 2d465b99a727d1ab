// Puts a part into a settings file of an agent, and takes it out again. What the file was before is kept beside the archive: as long
// as nobody else changed it, it becomes that to the byte, and a file that was not there is gone.
import { hash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { hasEdits, requireStrict, withEdits, withoutEdits, type SettingsEdit } from "./settings-edits.ts";

/** A part of a settings file: `name` tells it from other parts of ours in the same file. */
export type SettingsPart = {
  readonly file: string;
  readonly name: string;
  readonly edits: readonly SettingsEdit[];
  /** The agent ignores a file with comments. */
  readonly isStrict?: boolean;
};

export type SettingsChange = {
  readonly part: SettingsPart;
  readonly before: string | null;
  /** Null: the file goes. The same as before: nothing is to be done. */
  readonly after: string | null;
  readonly record: SettingsRecord | null;
};

const record = z.strictObject({
  file: z.string(),
  /** What the file was; null when it was not there. */
  before: z.string().nullable(),
  parts: z.array(z.strictObject({ name: z.string(), edits: z.array(z.custom<SettingsEdit>()) })),
  /** The topmost folder that was made for it. */
  madeFolder: z.string().nullable(),
});
type SettingsRecord = z.infer<typeof record>;

/** `installed`: as this Plimsoll writes it. `other`: an earlier one wrote it, or somebody changed it. */
export type PartState = "installed" | "other" | "absent";

export function stateOf(dir: string, part: SettingsPart): PartState {
  const text = readText(part.file);
  if (text === null) return "absent";
  if (hasEdits(text, part.edits, part.file)) return "installed";
  return readRecord(dir, part.file)?.parts.some(({ name }) => name === part.name) === true ? "other" : "absent";
}

/** What installing would make of the file: an earlier form of the part goes. */
export function planInstall(dir: string, part: SettingsPart): SettingsChange {
  const before = readText(part.file);
  if (part.isStrict === true && before !== null) requireStrict(before, part.file);
  if (before !== null && hasEdits(before, part.edits, part.file)) return { part, before, after: before, record: null };
  const removed = planRemoval(dir, part);
  const kept = removed.record ?? readRecord(dir, part.file);
  const isFirst = kept === null || kept.parts.length === 0;
  const own = { name: part.name, edits: [...part.edits] };
  return {
    part,
    before,
    after: withEdits(removed.after, part.edits, part.file),
    record: isFirst
      ? { file: part.file, before: removed.after, parts: [own], madeFolder: kept?.madeFolder ?? null }
      : { ...kept, parts: [...kept.parts, own] },
  };
}

/** What removing would make of the file. */
export function planRemoval(dir: string, part: SettingsPart): SettingsChange {
  const before = readText(part.file);
  const known = readRecord(dir, part.file);
  const own = known?.parts.find(({ name }) => name === part.name);
  const parts = known?.parts.filter((one) => one !== own) ?? [];
  const left = known === null ? null : { ...known, parts };
  if (before === null) return { part, before, after: null, record: left };
  const replay = (made: SettingsRecord["parts"]): string | null =>
    made.reduce<string | null>((text, { edits }) => withEdits(text, edits, part.file), known!.before);
  if (own !== undefined && replay(known!.parts) === before) return { part, before, after: replay(parts), record: left };
  return { part, before, after: withoutEdits(before, own?.edits ?? part.edits, part.file), record: left };
}

/** The change as a person reads it: a unified diff. */
export function diffOf({ part: { file }, before, after }: SettingsChange): string {
  const name = (text: string | null): string => (text === null ? "/dev/null" : file);
  return createTwoFilesPatch(name(before), name(after), before ?? "", after ?? "", "", "", { context: 3 })
    .split("\n")
    .filter((line) => !/^(=====|Index: )/.test(line))
    .join("\n");
}

/** Makes the change; the path of the backup, or null where there was nothing to back up. */
export function applyChange(
  dir: string,
  { part: { file }, before, after, record: next }: SettingsChange,
): string | null {
  if (before === after) return null;
  if (readText(file) !== before)
    fail("conflict", `${file} was changed meanwhile. Nothing was written; run the command again.`);
  const target = existsSync(file) ? realpathSync(file) : file;
  const mode = before === null ? 0o600 : statSync(target).mode & 0o777;
  if ((mode & 0o200) === 0) fail("unsupported", `${file} is read-only. Nothing was written; make it writable first.`);
  const backup = before === null ? null : saveBackup(dir, file, before);
  const made = mkdirSync(dirname(target), { recursive: true, mode: 0o700 }) ?? null;
  const madeFolder = next?.madeFolder ?? made;
  const known = readRecord(dir, file);
  const isMore = (next?.parts.length ?? 0) >= (known?.parts.length ?? 0);
  // What the file was is kept first: a kill between the two leaves a record of a part that is not there, which each plan sees.
  if (isMore) saveRecord(dir, file, next && { ...next, madeFolder });
  try {
    if (after === null) rmSync(target);
    else writeWhole(target, after, mode);
  } catch (error) {
    saveRecord(dir, file, known);
    throw error;
  }
  if (!isMore) saveRecord(dir, file, next && { ...next, madeFolder });
  if (after === null && madeFolder !== null) removeEmpty(dirname(target), madeFolder);
  return backup;
}

function readText(file: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code === "EACCES" || code === "EISDIR") return fail("unsupported", `${file} cannot be read (${code}).`, error);
    if (error instanceof TypeError) return fail("invalid", `${file} is not UTF-8. Nothing was changed.`, error);
    throw error;
  }
}

function writeWhole(file: string, text: string, mode: number): void {
  const draft = `${file}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, text, { mode, flag: "wx", flush: true });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EROFS" || code === "EPERM")
      fail("unsupported", `${file} cannot be written (${code}). Nothing was changed.`, error);
    throw error;
  }
}

const recordsFolder = (dir: string): string => join(dir, "hooks", "settings");
const recordFile = (dir: string, file: string): string =>
  join(recordsFolder(dir), `${hash("sha256", file, "hex").slice(0, 16)}.json`);

function readRecord(dir: string, file: string): SettingsRecord | null {
  const path = recordFile(dir, file);
  return existsSync(path) ? record.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
}

function saveRecord(dir: string, file: string, next: SettingsRecord | null): void {
  mkdirSync(recordsFolder(dir), { recursive: true, mode: 0o700 });
  if (next === null || next.parts.length === 0) rmSync(recordFile(dir, file), { force: true });
  else writeWhole(recordFile(dir, file), `${JSON.stringify(next)}\n`, 0o600);
}

function saveBackup(dir: string, file: string, text: string): string {
  const folder = join(dir, "hooks", "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const path = join(folder, `${stamp}-${basename(dirname(file)).replace(/^\./, "")}-${basename(file)}`);
  writeWhole(path, text, 0o600);
  return path;
}

/** Folders that were made for the file, while they are empty. */
function removeEmpty(folder: string, top: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody has put something there.
    return;
  }
  if (folder !== top) removeEmpty(dirname(folder), top);
}
