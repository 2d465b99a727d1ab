import { triedPresets } from "#lib/archive/load/tried-presets.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ run: ({ slot }) => triedPresets(slot.archive) });
