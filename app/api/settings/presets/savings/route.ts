import { readPresetSavings, runPresetSavings } from "#lib/archive/load/preset-savings-run.ts";
import { route } from "#lib/http/route.ts";
import { presetSavingsRequest } from "#lib/wire/preset-savings-schema.ts";

export const GET = route({ run: ({ slot }) => readPresetSavings(slot.archive) });

/** 202: it goes on after the answer. */
export const POST = route({
  body: presetSavingsRequest,
  status: 202,
  run: ({ slot, body }) => runPresetSavings(slot.archive, body),
});
