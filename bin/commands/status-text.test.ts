import { expect, test } from "vitest";
import { sessionStatus, type SessionStatus } from "#lib/wire/status-schema.ts";
import { statusIn, withAgent } from "./agent-status.ts";
import { WrongWords } from "./args.ts";
import { statusText } from "./status-text.ts";

const NOW = Date.parse("2026-01-02T10:00:00Z");
const STATUS: SessionStatus = {
  id: "s_0000000000000001",
  title: "Mend\u001b[31m the gauge",
  model: "claude-opus-5",
  load: { tokens: 124_000, origin: "reported", line: 200_000, share: 0.62, call: 12 },
  growth: { tokensPerCall: 4000, calls: 10 },
  callsLeft: 19,
  fastest: { label: "Bash", tokens: 31_000, calls: 10, call: 12 },
  cost: { usd: 1.24, isLeast: false },
  day: { usd: 5.6, isLeast: true },
  cache: { expiresAt: "2026-01-02T10:03:20Z" },
  budget: null,
  warnAt: null,
};
const plain = (status: SessionStatus, format?: string): string =>
  statusText(status, { now: NOW, hasColour: false, format });

test("a status in one line, and only what is known of it", () => {
  expect(plain(STATUS)).toBe(
    "██████▎░░░ 62 % 124.0k of 200.0k | Bash +31.0k in 10 calls | $1.24, ≥ $5.60 today | cache 4 min",
  );
  const nothing: SessionStatus = {
    ...STATUS,
    load: { ...STATUS.load, tokens: null, share: null },
    fastest: null,
    cost: { usd: null, isLeast: false },
    cache: null,
  };
  expect(plain(nothing)).toBe("≥ $5.60 today");
  expect(plain({ ...STATUS, cache: { expiresAt: "2026-01-02T09:59:00Z" } }, "{cache}")).toBe("cache expired");
});

test("a budget that is near its end stands in the line", () => {
  const budget = { period: "day", project: null, limitUsd: 6, since: "2026-01-02", usd: 5.6, isPartial: true } as const;
  const status = { ...STATUS, budget: { ...budget, share: 5.6 / 6, state: "near" as const } };
  expect(plain(status)).toContain("≥ $5.60 today | budget ≥ $5.60 of $6.00 today, 93 % | cache 4 min");
  expect(plain(status, "{budget}")).toBe("budget ≥ $5.60 of $6.00 today, 93 %");
  expect(plain(STATUS, "{budget}")).toBe("");
});

test("a format of one's own; text of a session does not reach the terminal as an order", () => {
  expect(plain(STATUS, "[{share}] {calls} | {title}")).toBe("[62 %] 19 calls left | Mend<U+001B>[31m the gauge");
  expect(() => plain(STATUS, "{load} {wrong}")).toThrow(WrongWords);
  expect(() => plain(STATUS, "{constructor}")).toThrow("--format knows no {constructor}.");
});

test("colours follow the load; over the share that a person chose it warns", () => {
  const painted = (share: number, warnAt: number | null): string =>
    statusText(
      { ...STATUS, warnAt, load: { ...STATUS.load, share } },
      { now: NOW, hasColour: true, format: "{share}" },
    );
  expect([painted(0.3, null), painted(0.6, null), painted(0.9, null)].map((text) => text.slice(0, 5))).toEqual([
    "\x1b[32m",
    "\x1b[33m",
    "\x1b[31m",
  ]);
  expect(painted(0.49, 0.5)).not.toContain("!");
  expect(painted(0.5, 0.5)).toBe("\x1b[31m!\x1b[0m \x1b[31m50 %\x1b[0m");
});

test("what the agent says of itself is newer than its file; nonsense is as if it had not been said", () => {
  const said = {
    session_id: "abc",
    model: { id: "claude-opus-5" },
    context_window: {
      current_usage: { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 129_790 },
      context_window_size: 1_000_000,
    },
    cost: { total_cost_usd: 2 },
    prompt_cache: { expires_at: NOW / 1000 + 60 },
  };
  const both = withAgent(STATUS, statusIn(said))!;
  expect(both.load).toEqual({ ...STATUS.load, tokens: 130_000, share: 0.65 });
  expect([both.cost.usd, both.cache]).toEqual([1.24, { expiresAt: "2026-01-02T10:01:00.000Z" }]);
  const alone = withAgent(null, statusIn(said))!;
  expect(sessionStatus.parse(alone)).toMatchObject({ id: "abc", cost: { usd: 2 }, load: { line: 1_000_000 } });
  for (const nonsense of [null, 7, "x", [], { context_window: 3, cost: { total_cost_usd: "1" }, prompt_cache: null }])
    expect(withAgent(STATUS, statusIn(nonsense))).toEqual(STATUS);
});
