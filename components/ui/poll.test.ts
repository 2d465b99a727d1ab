// What a page of a fleet's node asks for again: little, unless its session has moved on.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { followSessions, isWhole } from "./poll.tsx";

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

test("where a part was answered from what is packed its head is asked for at once, until it says so", async () => {
  const queries = new QueryClient();
  const queryKey = ["session", "s_1", "summary"];
  let asked = 0;
  queries.setQueryData(queryKey, { version: 1 });
  const end = new QueryObserver(queries, {
    queryKey,
    queryFn: () => ({ version: 1, takeover: { node: "127.0.0.1:4571", inMs: ++asked } }),
    staleTime: Number.POSITIVE_INFINITY,
  }).subscribe(() => undefined);
  followSessions(queries, isWhole);
  // Two parts at once.
  followSessions(queries, isWhole);
  await expect.poll(() => queries.getQueryData(queryKey)).toMatchObject({ takeover: { inMs: 1 } });
  followSessions(queries, isWhole);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked).toBe(1);
  end();
  queries.clear();
});
