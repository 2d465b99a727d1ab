import { attachDirectory, listAttached } from "#lib/archive/memory/attach-directory.ts";
import { route } from "#lib/http/route.ts";
import { attachRequest } from "#lib/wire/attached-schema.ts";

export const GET = route({ run: ({ slot }) => listAttached(slot.archive) });

export const POST = route({ body: attachRequest, run: ({ slot, body }) => attachDirectory(slot.archive, body.path) });
