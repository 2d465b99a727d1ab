import { route } from "#lib/http/route.ts";

export const POST = route({ run: ({ slot }) => slot.imports.loadDemo() });
