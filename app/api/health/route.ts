import { route } from "#lib/http/route.ts";

export const GET = route({ run: async () => ({ ok: true }) });
