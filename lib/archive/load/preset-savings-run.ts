// The savings of the presets as a page asks for them: nobody waits in a request while 280 sessions are replayed.
import { scalar } from "#db/statement.ts";
import type { PresetSavingsRequest, PresetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { longWork } from "../base/long-work.ts";
import { presetSavingsOf } from "./preset-savings.ts";

const work = longWork({
  name: "presets",
  failure: "Comparing the presets failed",
  stateOf: ({ sqlite }) =>
    String(
      scalar(
        sqlite,
        "text",
        "SELECT count(*) || '.' || coalesce(sum(version), 0) FROM sessions WHERE held = 0 AND calls > 0",
      ).get(),
    ),
  run: (archive, _input: object, options) => presetSavingsOf(archive, options),
});

/** The state now. The first that asks begins the work: there is nothing to see before. */
export async function readPresetSavings(archive: Archive): Promise<PresetSavingsRun> {
  if (work.isNew(archive)) work.begin(archive, {});
  return shown(archive);
}

/** Begins the work, or stops it; who begins what runs already waits with the others. */
export async function runPresetSavings(
  archive: Archive,
  { do: input }: PresetSavingsRequest,
): Promise<PresetSavingsRun> {
  if (input === "cancel") work.cancel(archive);
  else work.begin(archive, {});
  return shown(archive);
}

function shown(archive: Archive): PresetSavingsRun {
  const { madeAt: _, ...state } = work.read(archive);
  return state;
}
