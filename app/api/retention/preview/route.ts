import { previewRetention } from "#lib/archive/artifacts/retention.ts";
import { route } from "#lib/http/route.ts";
import { retentionSettings } from "#lib/wire/retention-schema.ts";

export const POST = route({
  body: retentionSettings,
  run: ({ slot, body }) => previewRetention(slot.archive, body),
});
