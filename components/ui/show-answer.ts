// A change's answer is the newest that is known: what was asked before it, and is still on its way, is not shown over it.
import type { DataTag, QueryClient, QueryKey } from "@tanstack/react-query";

/** Shows what a change answered in the query that it changes. */
export async function showAnswer<T>(
  queries: QueryClient,
  queryKey: DataTag<QueryKey, T, Error>,
  answer: NoInfer<T>,
): Promise<void> {
  await queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData<T>(queryKey, () => answer);
}
