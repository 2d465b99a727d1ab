import { readCalibration, runCalibration } from "#lib/archive/load/calibration-run.ts";
import { route } from "#lib/http/route.ts";
import { calibrationRunRequest } from "#lib/wire/calibration-run-schema.ts";

export const GET = route({ run: ({ slot }) => readCalibration(slot.archive) });

/** 202: it goes on after the answer. */
export const POST = route({
  body: calibrationRunRequest,
  status: 202,
  run: ({ slot, body }) => runCalibration(slot.archive, body),
});
