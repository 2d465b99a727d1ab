// Calibration as a page asks for it. 280 sessions of 350 MB take some seconds.
import { scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { CalibrateRequest } from "#lib/wire/calibration-schema.ts";
import type { CalibrationRun, CalibrationRunRequest } from "#lib/wire/calibration-run-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { longWork } from "../base/long-work.ts";
import { calibrate, requireLearning } from "./calibration.ts";

const work = longWork({
  name: "calibrate",
  failure: "The calibration failed",
  // Calls and not versions: a fit raises the version of every session.
  stateOf: ({ sqlite }) =>
    String(scalar(sqlite, "text", "SELECT count(*) || '.' || coalesce(sum(calls), 0) FROM sessions").get()),
  run: (archive, request: CalibrateRequest, options) => calibrate(archive, request, options),
});

/** The state now. The first that asks has the error measured: there is nothing to see before. */
export async function readCalibration(archive: Archive): Promise<CalibrationRun> {
  if (work.isNew(archive)) work.begin(archive, { do: "look" });
  return work.read(archive);
}

/** Begins or stops a work; answers with the state right after. */
export async function runCalibration(archive: Archive, { do: input }: CalibrationRunRequest): Promise<CalibrationRun> {
  if (input === "fit") requireLearning(archive);
  if (input === "cancel") work.cancel(archive);
  else if (!work.begin(archive, { do: input }))
    fail("conflict", "A calibration is running already. Wait for it, or cancel it first.");
  return work.read(archive);
}
