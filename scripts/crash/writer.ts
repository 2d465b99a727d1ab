// The process that is killed: opens an archive, runs one scenario on it, and closes it. Between the two marks every system
// call is a point where it may end.
import fs, { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { NOW, testHost } from "#lib/archive/testing-archive.ts";
import { openJournal } from "./crash-journal.ts";
import { OFFSET, type Point } from "./points.ts";
import { SCENARIOS } from "./scenarios.ts";

const [dir, name, scratch] = process.argv.slice(2) as [string, string, string];
const scenario = SCENARIOS.find((one) => one.name === name)!;
const mark = openSync(join(scratch, "mark"), "w");

await warmUp();
writeSync(mark, "BEGIN");
if ("folder" in scenario) scenario.folder.run(dir);
else {
  // An hour after everything was stored: what had a minute is over.
  const archive = await openArchive({ dir, host: testHost(() => NOW + 3_600_000) });
  await scenario.run(archive, openJournal(join(dir, "..", "journal")));
  await closeArchive(archive);
}
writeSync(mark, "END");
closeSync(mark);

/**
 * strace counts the calls of each thread for itself and kills at the first thread that reaches a number. The one that is to
 * be killed makes so many calls of that kind beforehand that the other one never comes as far.
 */
async function warmUp(): Promise<void> {
  const [thread, call] = (process.env["CRASH_WARM"] ?? "").split(" ") as [Point["thread"] | "", string];
  if (thread === "") return;
  const folder = join(scratch, "warm");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "file");
  const file = openSync(path, "w");
  const quiet = (work: () => unknown): void => {
    try {
      work();
    } catch {
      // It is there already: the call was made, which is what counts.
    }
  };
  const inMain: Record<string, () => unknown> = {
    write: () => fs.writeSync(file, "x"),
    pwrite64: () => fs.writeSync(file, "x", 0),
    fsync: () => fs.fsyncSync(file),
    fdatasync: () => fs.fdatasyncSync(file),
    ftruncate: () => fs.ftruncateSync(file, 0),
    rename: () => fs.renameSync(path, path),
    mkdir: () => quiet(() => fs.mkdirSync(folder)),
    unlink: () => quiet(() => fs.unlinkSync(join(folder, "none"))),
    rmdir: () => quiet(() => fs.rmdirSync(join(folder, "none"))),
    fchmod: () => fs.fchmodSync(file, 0o600),
    chmod: () => fs.chmodSync(path, 0o600),
    utimensat: () => fs.futimesSync(file, 0, 0),
    openat: () => fs.closeSync(fs.openSync(path, "r")),
  };
  const inPool: Record<string, () => Promise<unknown>> = {
    write: () => promisify(fs.write)(file, "x"),
    pwrite64: () => promisify(fs.write)(file, "x", 0),
    fsync: () => promisify(fs.fsync)(file),
    ftruncate: () => promisify(fs.ftruncate)(file, 0),
    rename: () => promisify(fs.rename)(path, path),
    mkdir: () => promisify(fs.mkdir)(folder).catch(() => undefined),
    unlink: () => promisify(fs.unlink)(join(folder, "none")).catch(() => undefined),
    chmod: () => promisify(fs.chmod)(path, 0o600),
    fchmod: () => promisify(fs.fchmod)(file, 0o600),
    utimensat: () => promisify(fs.futimes)(file, 0, 0),
    openat: async () => fs.closeSync(await promisify(fs.open)(path, "r")),
  };
  const one = (thread === "main" ? inMain : inPool)[call];
  if (one === undefined) throw new Error(`A ${call} of the ${thread} thread cannot be counted up to.`);
  for (let i = 0; i < OFFSET; i++) await one();
}
