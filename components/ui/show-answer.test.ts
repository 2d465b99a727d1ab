// Real queries of the library, without a page.
import { QueryClient, QueryObserver, queryOptions } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { showAnswer } from "./show-answer.ts";

test.each(["read before", "never read"])("an older answer that comes later does not replace it: %s", async (state) => {
  const queries = new QueryClient();
  const asked: PromiseWithResolvers<string>[] = [];
  const query = queryOptions({
    queryKey: ["settings", "policy"],
    queryFn: () => {
      const held = Promise.withResolvers<string>();
      asked.push(held);
      return held.promise;
    },
  });
  if (state === "read before") queries.setQueryData(query.queryKey, "first");
  const observer = new QueryObserver(queries, query);
  const end = observer.subscribe(() => undefined);
  expect(asked).toHaveLength(1);
  await showAnswer(queries, query.queryKey, "saved");
  asked[0]!.resolve("older");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(observer.getCurrentResult()).toMatchObject({ data: "saved", status: "success", fetchStatus: "idle" });
  end();
  queries.clear();
});
