// How many rows the database expects of a question, by its statistics.
import type { Fleet, Fragment } from "../open-fleet.ts";

type Plan = { readonly "QUERY PLAN": readonly { readonly Plan: { readonly "Plan Rows": number } }[] };

/** Nothing is read for it. */
export async function expectedRows({ sql }: Pick<Fleet, "sql">, of: Fragment): Promise<number> {
  const [row] = await sql<Plan[]>`EXPLAIN (FORMAT JSON) SELECT 1 FROM ${of}`;
  return row!["QUERY PLAN"][0]!.Plan["Plan Rows"];
}
