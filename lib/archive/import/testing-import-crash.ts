// Run as a process of its own by crash.test.ts: imports a folder in many small batches, and is killed on the way.
import { LIMITS } from "#lib/kernel/limits.ts";
import { closeArchive, openArchive } from "../archive.ts";
import { testHost } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

/** Small batches, so that a kill falls between the commits of one file. */
export function useSmallBatches(): () => void {
  const before = { ...LIMITS };
  Object.assign(LIMITS, { batchBytes: 6000, rawBlockBytes: 3000, settledEvents: 10, settledCalls: 5 });
  return () => void Object.assign(LIMITS, before);
}

if (import.meta.main) {
  const [dir, logs] = process.argv.slice(2) as [string, string];
  useSmallBatches();
  const archive = await openArchive({ dir, host: testHost() });
  process.stdout.write("open\n");
  await importPaths(archive, [logs]);
  await closeArchive(archive);
  process.stdout.write("done\n");
}
