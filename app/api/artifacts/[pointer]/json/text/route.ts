import { askJson } from "#lib/archive/artifacts/json-tree.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { jsonTextQuery } from "#lib/wire/json-tree-schema.ts";

export const GET = route({
  params: artifactParams,
  query: jsonTextQuery,
  run: ({ slot, params, query, signal }) => askJson(slot.archive, params.pointer, { what: "text", ...query }, signal),
});
