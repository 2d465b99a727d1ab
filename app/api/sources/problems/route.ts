import { listProblems } from "#lib/archive/sources/list-sources.ts";
import { problemsQuery } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ query: problemsQuery, run: ({ slot, query }) => listProblems(slot.archive, query) });
