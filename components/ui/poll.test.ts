// What a page of a fleet's node asks for again: little, unless its session has moved on.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { followSessions } from "./poll.tsx";

test("the parts of a session are asked for again when its head has another version, and only then", async () => {
  const queries = new QueryClient();
  const asked = { summary: 0, load: 0 };
  let version = 1;
  const watch = (queryKey: string[], name: keyof typeof asked, answer: () => unknown) =>
    new QueryObserver(queries, {
      queryKey,
      queryFn: () => {
        asked[name]++;
        return answer();
      },
      staleTime: Number.POSITIVE_INFINITY,
    }).subscribe(() => undefined);
  const ends = [
    watch(["session", "s_1", "summary"], "summary", () => ({ version })),
    watch(["session", "s_1", "load"], "load", () => "load"),
  ];
  queries.setQueryData(["session", "s_2", "summary"], { version: 1 });
  await expect.poll(() => asked).toEqual({ summary: 1, load: 1 });
  followSessions(queries);
  await expect.poll(() => asked.summary).toBe(2);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked.load).toBe(1);
  version = 2;
  followSessions(queries);
  await expect.poll(() => asked.load).toBe(2);
  for (const end of ends) end();
  queries.clear();
});
