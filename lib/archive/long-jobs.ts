// Long maintenance, by name: in the server it runs in the thread that writes, as a job between imports; elsewhere where
// it is asked for. Each gives way to other writers, can be stopped, and says how far it is.
import type { CalibrateRequest } from "#lib/wire/calibration-schema.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import type { Archive } from "./base/archive-type.ts";
import type { WorkOptions } from "./base/work-options.ts";
import { collect, type GcInput } from "./artifacts/gc.ts";
import { calibrate } from "./load/calibration.ts";
import { check } from "./upkeep/check-archive.ts";
import { presetSavingsOf } from "./load/preset-savings.ts";
import { rebuild } from "./upkeep/rebuild-archive.ts";
import { fail } from "#lib/kernel/errors.ts";

const LONG_JOBS = {
  gc: (archive: Archive, input: GcInput, options: WorkOptions) => collect(archive, input, options),
  check: async (archive: Archive, _input: object, { onProgress }: WorkOptions): Promise<CheckAnswer> => {
    const { badSessions: _, ...answer } = await check(archive, onProgress);
    return answer;
  },
  rebuild: (archive: Archive, _input: object, { onProgress, signal }: WorkOptions) =>
    rebuild(archive, onProgress, signal),
  calibrate: (archive: Archive, input: CalibrateRequest, options: WorkOptions) => calibrate(archive, input, options),
  presets: (archive: Archive, _input: object, options: WorkOptions) => presetSavingsOf(archive, options),
} as const;

type LongJobName = keyof typeof LONG_JOBS;

/** Runs a work here: this thread writes. */
export async function runLongJob(
  archive: Archive,
  name: string,
  input: object,
  options: WorkOptions = {},
): Promise<unknown> {
  if (!Object.hasOwn(LONG_JOBS, name)) fail("unsupported", `No job named "${name}".`);
  return (
    LONG_JOBS[name as LongJobName] as (archive: Archive, input: object, options: WorkOptions) => Promise<unknown>
  )(archive, input, options);
}
