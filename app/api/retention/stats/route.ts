import { readStats } from "#lib/archive/artifacts/stats.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ run: ({ slot }) => readStats(slot.archive) });
