// Long maintenance, by name: in the server it runs in the thread that writes, as a job between imports; elsewhere where
// it is asked for. Each gives way to other writers, can be stopped, and says how far it is.
import type { GcAnswer } from "#lib/wire/retention-schema.ts";
import type { CalibrateRequest, CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import type { CheckAnswer } from "#lib/wire/check-schema.ts";
import type { PresetSavings } from "#lib/wire/preset-savings-schema.ts";
import type { Archive } from "./base/archive-type.ts";
import { collect, type GcWish, type Told } from "./artifacts/gc.ts";
import { calibrate } from "./load/calibration.ts";
import { check } from "./upkeep/check-archive.ts";
import { presetSavingsOf } from "./load/preset-savings.ts";
import { rebuild } from "./upkeep/rebuild-archive.ts";
import { fail } from "#lib/kernel/errors.ts";

const LONG_JOBS = {
  gc: (archive: Archive, wish: GcWish, told: Told): Promise<GcAnswer> => collect(archive, wish, told),
  check: async (archive: Archive, _wish: object, { onProgress }: Told): Promise<CheckAnswer> => {
    const { badSessions: _, ...answer } = await check(archive, onProgress);
    return answer;
  },
  rebuild: (archive: Archive, _wish: object, { onProgress, signal }: Told): Promise<CheckAnswer> =>
    rebuild(archive, onProgress, signal),
  calibrate: (archive: Archive, wish: CalibrateRequest, { onProgress, signal }: Told): Promise<CalibrationAnswer> =>
    calibrate(archive, wish, {
      signal,
      onProgress: (done, total) => onProgress?.(`${done} of ${total} sessions looked at`),
    }),
  presets: (archive: Archive, _wish: object, { onProgress, signal }: Told): Promise<PresetSavings> =>
    presetSavingsOf(archive, {
      signal,
      onProgress: (done, total) => onProgress?.(`${done} of ${total} sessions replayed`),
    }),
} as const;

type LongJobName = keyof typeof LONG_JOBS;

/** Runs a work here: this thread writes. */
export async function runLongJob(archive: Archive, name: string, wish: object, told: Told = {}): Promise<unknown> {
  if (!Object.hasOwn(LONG_JOBS, name)) fail("unsupported", `There is no work named "${name}".`);
  return (LONG_JOBS[name as LongJobName] as (archive: Archive, wish: object, told: Told) => Promise<unknown>)(
    archive,
    wish,
    told,
  );
}
