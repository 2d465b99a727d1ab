import { readRetention, saveRetention } from "#lib/archive/artifacts/retention.ts";
import { route } from "#lib/http/route.ts";
import { retentionSettings } from "#lib/wire/retention-schema.ts";

export const GET = route({ run: ({ slot }) => readRetention(slot.archive) });

export const PUT = route({
  body: retentionSettings,
  run: ({ slot, body }) => saveRetention(slot.archive, body),
});
