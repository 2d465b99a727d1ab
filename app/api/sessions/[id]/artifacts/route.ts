import { deleteSessionArtifacts } from "#lib/archive/artifacts/end-session.ts";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";

export const GET = route({
  params: sessionParams,
  query: artifactsQuery,
  run: ({ slot, params, query }) => listArtifacts(slot.archive, { ...query, session: params.id }),
});

export const DELETE = route({
  params: sessionParams,
  run: ({ slot, params }) => deleteSessionArtifacts(slot.archive, params.id),
});
