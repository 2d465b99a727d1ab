import { askJson } from "#lib/archive/artifacts/json-tree.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { jsonFindQuery } from "#lib/wire/json-tree-schema.ts";

export const GET = route({
  params: artifactParams,
  query: jsonFindQuery,
  run: ({ slot, params, query, signal }) => askJson(slot.archive, params.pointer, { what: "find", ...query }, signal),
});
