// One writer of ours to a memory folder at a time. The lock is a file in a folder of our own: nothing of ours is put
// where an agent looks. Its agent knows no lock; against it there are the stamps that are looked at before each write.
import { closeSync, linkSync, openSync, readFileSync, realpathSync, renameSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { freshName, makeFolder, sha256, unlinkIfThere } from "./files.ts";

export type Lock = { release(): void };

/** Where our own files about a memory folder lie: the same for every way to that folder. */
export const stateFolder = (state: string, directory: string): string =>
  join(state, sha256(realOf(directory)).slice(0, 16));

/** Beside `agents/`, where Autobyteus looks for no runs; a folder elsewhere has it beside itself. */
export function defaultState(directory: string): string {
  const above = dirname(resolve(directory));
  const isAgent = basename(above) === "agents";
  const isMember = basename(dirname(above)) === "agent_teams";
  const base = isAgent ? dirname(above) : isMember ? dirname(dirname(above)) : above;
  return join(base, ".artifacts", "memory");
}

export function takeLock(folder: string, directory: string): Lock {
  makeFolder(folder, 0o700);
  const path = join(folder, "lock");
  const mine = `${process.pid} ${startOf(process.pid) ?? ""} ${freshName()}`;
  for (let tries = 0; tries < 10; tries++) {
    if (create(path, mine)) return { release: () => release(path, mine) };
    const theirs = read(path);
    if (theirs === null) continue;
    const [pid = "", start = ""] = theirs.split(" ");
    if (isAlive(Number(pid), start))
      fail("conflict", `${directory} is being written to by process ${pid}. Wait until it is done.`);
    steal(path, theirs);
  }
  return fail("conflict", `The lock of ${directory} keeps changing owner. Try again.`);
}

/** File systems that know no hard links (FAT, some network disks) say one of these. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** With its text from the first moment on, where the file system can: without one it would be taken for a dead program's. */
function create(path: string, text: string): boolean {
  const draft = `${path}.${freshName()}`;
  writeNew(draft, text);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  } finally {
    unlinkIfThere(draft);
  }
  return writeNew(path, text);
}

/** False where there is a file. */
function writeNew(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  return true;
}

/** Takes the lock of a dead process out of the way. When somebody else was faster theirs is put back. */
function steal(path: string, theirs: string): void {
  const aside = `${path}.${freshName()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (read(aside) === theirs) unlinkIfThere(aside);
  else renameSync(aside, path);
}

const release = (path: string, mine: string): void => {
  if (read(path) === mine) unlinkIfThere(path);
};

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A number that a new process took over is told by when that process started, where the system says so. */
function isAlive(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(pid);
  return start === "" || now === null || now === start;
}

function startOf(pid: number): string | null {
  try {
    // The name of the program stands in parentheses and may hold anything; the start is the 20th field behind it.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function realOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(whole) === whole) throw error;
    return join(realOf(dirname(whole)), basename(whole));
  }
}
