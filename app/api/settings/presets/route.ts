import { triedPresets } from "#lib/archive/offload-policy.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ run: ({ slot }) => triedPresets(slot.archive) });
