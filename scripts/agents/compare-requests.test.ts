// That the comparison looks at every request on the wire, and sees what is missing, too much, changed or not proved.
import { expect, test } from "vitest";
import type { Server } from "../bench/bench-server.ts";
import { compareRequests } from "./compare-requests.ts";
import type { Pair } from "./compare-run.ts";
import type { ShownSession } from "./run-sessions.ts";
import type { KeptRequest } from "./script-types.ts";

const body = (n: number): Record<string, unknown> => ({
  model: "m",
  messages: [{ role: "user", content: `ask ${n}` }],
});
const sent = (n: number, answered = true): KeptRequest =>
  ({ n, atMs: n * 10_000, api: "messages", lane: "main", body: body(n), answer: answered ? {} : null }) as KeptRequest;
const row = (requestId: string, n: number) => ({ requestId, ts: new Date(n * 10_000 - 20).toISOString() });

/** Two calls; the second request was cut off, as `cut`. */
const shownBody: Readonly<Record<string, number>> = { "call=1": 1, "request=cut": 2, "call=2": 3 };

async function compared({
  rows = [row("cut", 2)],
  change = {},
  isProven = true,
}: {
  readonly rows?: readonly object[];
  readonly change?: object;
  readonly isProven?: boolean | null;
}) {
  const server = {
    ask: async (_: string, path: string) => ({
      text: JSON.stringify({ why: null, body: { ...body(shownBody[path.split("?")[1]!]!), ...change }, isProven }),
    }),
  } as unknown as Server;
  const requests = [sent(1), sent(2, false), sent(3)];
  const pairs = [1, 3].map((n, i) => ({ request: sent(n), shown: { session: "s", call: i + 1 } })) as unknown as Pair[];
  const sessions = [{ summary: { id: "s" }, requests: rows }] as unknown as ShownSession[];
  const { checks, figures } = await compareRequests(
    server,
    { requests, scenario: { agent: "claude" } },
    pairs,
    sessions,
  );
  return { figures, problems: checks.flatMap(({ problems }) => problems) };
}

test("a request that was not answered is compared too, found by its time", async () => {
  expect(await compared({})).toEqual({ figures: { requests: 3, equal: 3 }, problems: [] });
});

test("one in no record, and a record of none, are seen", async () => {
  const nothing = "request 2 (main) the request: sent whole, shown nothing";
  expect(await compared({ rows: [] })).toEqual({ figures: { requests: 3, equal: 2 }, problems: [nothing] });
  const far = await compared({ rows: [row("late", 2.5)] });
  expect(far.problems).toEqual(["request late is shown and was never sent", nothing]);
  const twice = await compared({ rows: [row("cut", 2), row("again", 2)] });
  expect(twice).toEqual({
    figures: { requests: 3, equal: 3 },
    problems: ["request again is shown and was never sent"],
  });
});

test("other words, another parameter, and a request that the file does not prove are seen", async () => {
  const other = await compared({ change: { messages: [] } });
  expect(other.figures.equal).toBe(0);
  expect(other.problems).toHaveLength(3);
  expect((await compared({ change: { top_k: 1 } })).problems).toHaveLength(3);
  for (const isProven of [false, null])
    expect((await compared({ isProven })).problems[0]).toBe(
      `request 1 (main) the digest: sent whole, shown ${String(isProven)}`,
    );
});
