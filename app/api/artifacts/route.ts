import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { route } from "#lib/http/route.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";

export const GET = route({ query: artifactsQuery, run: ({ slot, query }) => listArtifacts(slot.archive, query) });
