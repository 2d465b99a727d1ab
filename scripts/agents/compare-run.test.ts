// That the comparison sees what it is there to see: on a made-up run, each fault alone.
import { expect, test } from "vitest";
import { compareRun, pairsOf } from "./compare-run.ts";
import { excuseOf, mended } from "./left-differences.ts";
import type { Run } from "./run-agent.ts";
import type { ShownSession } from "./run-sessions.ts";
import type { KeptRequest } from "./script-types.ts";

const USAGE = { uncached: 10, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 5, output: 7, reasoning: 0 };
const WROTE = "row\n".repeat(2000);
const tool = { id: "toolu_1", tool: { name: "Bash", input: { command: "rows" }, writes: WROTE } };

const request = (n: number, more: Partial<KeptRequest> = {}): KeptRequest => ({
  n,
  atMs: n,
  api: "messages",
  lane: "main",
  body: { model: "claude-opus-5-5", messages: ["seen"] },
  sha256: "",
  answer: { status: 200, id: `msg_${n}`, itemIds: [`msg_${n}`], usage: USAGE, toolCalls: n === 1 ? [tool] : [] },
  ...more,
});

const run = (requests: KeptRequest[]): Run =>
  ({
    scenario: { name: "hello", calls: 2, sends: ["seen"] },
    paths: { home: "/nowhere" },
    ended: [{ isOverTime: false, waitedFor: null }],
    requests,
  }) as unknown as Run;

const call = (n: number, more: object = {}) => ({
  call: n,
  seq: n,
  inherited: false,
  uncached: 10,
  cacheRead: 100,
  cacheWrite: 25,
  cacheWrite1h: 5,
  output: 7,
  raw: `{"message":{"id":"msg_${n}"}}`,
  ...more,
});

/** $4, $0.20, $5, $8 and $20 a million: two calls of 0.00034 each. */
const session = (calls: object[], more: { usd?: number; own?: number; output?: string } = {}): ShownSession =>
  ({
    summary: {
      modelCalls: { own: more.own ?? calls.length },
      cost: { usd: more.usd ?? 0.00068 },
      source: { path: "/x" },
    },
    calls,
    events: [{ type: "tool_result", toolCallId: "toolu_1", stored: { pointer: "art:1" }, body: {} }],
    outputs: new Map([["art:1", more.output ?? WROTE]]),
  }) as unknown as ShownSession;

const LIVE = { latencies: { first: [5], later: [9] }, sessions: ["s"], unread: [] };

/** The problems of a comparison by the check's name; that of the files aside, which are not there. */
const problems = (requests: KeptRequest[], shown: ShownSession, live = LIVE): object =>
  Object.fromEntries(
    compareRun(run(requests), [shown], live)
      .filter(({ name, problems: all }) => all.length > 0 && name !== "sessions")
      .map(({ name, problems: all }) => [name, all.join("; ")]),
  );

test("a run that is shown as it was has no problem", () => {
  expect(problems([request(1), request(2)], session([call(1), call(2)]))).toEqual({});
});

test("a call that is not shown, is shown twice, or has other numbers is seen", () => {
  const two = [request(1), request(2)];
  expect(problems(two, session([call(1)]))).toEqual({ calls: "answered requests that no call shows: 2 (main)" });
  expect(problems(two, session([call(1), call(2), call(2)]))).toEqual({ calls: "3 calls are shown for 2 answers" });
  expect(problems(two, session([call(1), call(2, { cacheRead: 99 })]))).toEqual({
    usage: "request 2: cacheRead charged 100, shown 99",
  });
  // What was copied from another session is counted there.
  expect(pairsOf(run(two), [session([call(1), call(2, { inherited: true })])])[1]!.shown).toBeNull();
});

test("a hundredth of a cent is seen", () => {
  expect(problems([request(1), request(2)], session([call(1), call(2)], { usd: 0.00048 }))).toEqual({
    spend: "differs by $0.0002",
  });
});

test("an output is whole with a heading, as JSON, without its last line break; not with one byte less", () => {
  const shown = (output: string): object => problems([request(1), request(2)], session([call(1), call(2)], { output }));
  const body = WROTE.slice(0, -1);
  for (const output of [body, `Exit code 0\n${WROTE}`, JSON.stringify([{ type: "text", text: body }], null, 2)])
    expect(shown(output)).toEqual({});
  expect(shown(body.slice(1))).toEqual({
    outputs: 'Bash {"command":"rows"} wrote 8000 bytes, 7998 bytes are shown',
  });
});

test("lines that never came, and a script that did not run as it was meant, are seen", () => {
  const shown = session([call(1)], { usd: 0.00034 });
  expect(problems([request(1)], shown, { ...LIVE, unread: ["/a.jsonl"] as never[] })).toEqual({
    ran: "1 requests were sent, 2 were meant",
    live: "lines that never came: /a.jsonl",
  });
});

test("only the very difference that was left is excused, and one that is gone is told", () => {
  const known = "request 1 (main) safeguards: sent [1], shown nothing";
  const compared = (...problems: string[]) => ({
    name: "plan-mode",
    checks: [{ name: "parameters", saw: "", problems }],
  });
  const excused = (...problems: string[]): string | null =>
    excuseOf(compared() as never, { name: "parameters", saw: "", problems });
  expect(excused(known, known)).toBe("the file's `params` have no `safeguards`");
  expect(excused("request 1 (main) thinking: sent [1], shown nothing")).toBeNull();
  expect(excused(known, "request 1 (main) thinking: sent [1], shown nothing")).toBeNull();
  expect(mended([compared(known) as never])).toEqual([]);
  expect(mended([compared() as never])).toHaveLength(1);
});
