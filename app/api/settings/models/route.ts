import { readModels, saveModels } from "#lib/archive/settings/model-settings.ts";
import { route } from "#lib/http/route.ts";
import { modelsRequest } from "#lib/wire/settings-schema.ts";

export const GET = route({ run: ({ slot }) => readModels(slot.archive) });

/** Open pages hear of it when the figures have followed. */
export const PUT = route({
  body: modelsRequest,
  run: ({ slot, body }) => saveModels(slot.archive, body.overrides, () => slot.changes.publish({ type: "sessions" })),
});
