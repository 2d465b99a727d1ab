import fc from "fast-check";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { TURN, at, bodies, calls, client, counted, events, parse, patches, sum, tokens } from "./testing-codex.ts";

const started = client({ type: "task_started", turn_id: TURN, model_context_window: 1000 });

test("a total that falls is a new start, not a gap", () => {
  const drafts = parse(
    started,
    counted(tokens(900, 0, 90), tokens(900, 0, 90)),
    counted(tokens(50, 0, 5), tokens(50, 0, 5)),
  );
  expect(calls(drafts)).toHaveLength(2);
  expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
  expect(patches(drafts)["quality"]).toMatch(/restart midway/);
});

test("a total that begins anew with a larger call is a new start, and loses nothing", () => {
  const drafts = parse(
    started,
    counted(tokens(50, 0, 5), tokens(50, 0, 5)),
    counted(tokens(900, 0, 90), tokens(900, 0, 90)),
  );
  expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([5, 90]);
  expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
  expect(patches(drafts)["quality"]).toMatch(/restart midway/);
});

test("a fork whose first total is its parent's has no gap", () => {
  const drafts = parse(
    at({ id: "b", forked_from_id: "a" }, "session_meta"),
    started,
    counted(tokens(900, 0, 90), tokens(50, 0, 5)),
  );
  expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
  expect(patches(drafts)).toMatchObject({ relation: "fork", parent: "a" });
});

test("a response that costs the same as the one before is told by what the model said between", () => {
  const usage = { type: "function_call", name: "ls", call_id: "c", arguments: "{}" };
  const response = at({ response_id: "r", usage: tokens(50, 0, 5) }, "token_usage_record");
  const first = [started, counted(tokens(50, 0, 5), tokens(50, 0, 5))];
  expect(calls(parse(...first, response))).toHaveLength(1);
  expect(calls(parse(...first, at(usage), response))).toHaveLength(2);
});

test("the keys of a turn do not depend on the turns before it", () => {
  const call = at({ type: "reasoning", summary: [] });
  const turn = (id: string) => [client({ type: "task_started", turn_id: id }), call, call];
  const after = [...turn(TURN), counted(tokens(9, 0, 1), tokens(9, 0, 1)), call];
  const keysOf = (drafts: Draft[]) => events(drafts).map((draft) => [draft.recordKey, draft.callKey]);
  const before = [
    ...turn(TURN.replace("1", "2")),
    counted(tokens(7, 0, 1), tokens(7, 0, 1)),
    ...turn(TURN.replace("1", "3")),
  ];
  expect(keysOf(parse(...before, ...after)).slice(before.length)).toEqual(keysOf(parse(...after)));
});

test("an aborted call's events are no part of the next call, where turns have no ids", () => {
  const call = at({ type: "reasoning", summary: [] });
  const drafts = parse(
    call,
    client({ type: "turn_aborted", reason: "interrupted" }),
    call,
    counted(tokens(9, 0, 1), tokens(9, 0, 1)),
  );
  const key = calls(drafts)[0]?.key;
  expect(
    bodies(drafts).flatMap((body, at) => (body.type === "reasoning" ? [events(drafts)[at]!.callKey === key] : [])),
  ).toEqual([false, true]);
});

test("calls and lost together are the last total, whatever the records say of single calls", () => {
  const one = fc.record({
    input: fc.nat(5000),
    cached: fc.nat(5000),
    output: fc.nat(500),
    lastInput: fc.nat(5000),
    lastCached: fc.nat(5000),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 20 }), (steps) => {
      let total = tokens(0, 0, 0);
      const records = steps.map(({ input, cached, output, lastInput, lastCached }) => {
        const grown = Math.min(cached, input);
        total = tokens(total.input_tokens + input, total.cached_input_tokens + grown, total.output_tokens + output);
        return counted(total, tokens(lastInput, Math.min(lastCached, lastInput), output));
      });
      const drafts = parse(at({ id: TURN }, "session_meta"), started, ...records);
      if (calls(drafts).length > 0 || drafts.some((draft) => draft.kind === "lost")) expect(sum(drafts)).toEqual(total);
      for (const call of calls(drafts)) expect(Math.min(...Object.values(call.usage!))).toBeGreaterThanOrEqual(0);
    }),
  );
});

test("totals of a file whose first line is gone are of what was before it too: they name no gap", () => {
  const records = [counted(tokens(900, 400, 90), tokens(50, 10, 5)), counted(tokens(990, 440, 99), tokens(60, 20, 7))];
  const sums = (drafts: Draft[]) => {
    const { input_tokens, cached_input_tokens, output_tokens } = sum(drafts);
    return [input_tokens, cached_input_tokens, output_tokens];
  };
  expect(sums(parse(at({ id: TURN }, "session_meta"), started, ...records))).toEqual([990, 440, 99]);
  expect(sums(parse(started, ...records))).toEqual([140, 50, 14]);
});

test("a call of a turn that begins before the file has no name of that turn: which of its calls it is stands elsewhere", () => {
  const spoken = at({ type: "reasoning", summary: [] });
  const again = at({ turn_id: TURN, model: "gpt-5" }, "turn_context");
  const next = client({ type: "task_started", turn_id: TURN.replace("1", "2") });
  const one = (n: number) => counted(tokens(50 * n, 0, 5 * n), tokens(50, 0, 5));
  const keys = (...records: unknown[]) => calls(parse(...records)).map(({ key }) => key);
  const whole = keys(
    at({ id: TURN }, "session_meta"),
    started,
    spoken,
    one(1),
    again,
    spoken,
    one(2),
    next,
    spoken,
    one(3),
  );
  const part = keys(again, spoken, one(2), next, spoken, one(3));
  expect(whole).toEqual([`g:${TURN}:1`, `g:${TURN}:2`, expect.stringMatching(/^g:.*:1$/)]);
  expect(part).toEqual([expect.stringMatching(/^n:/), whole[2]]);
});

test("a count without totals is a call, told once, and what comes behind it has no gap", () => {
  const spoken = at({ type: "reasoning", summary: [] });
  const one = counted(undefined, tokens(50, 10, 5));
  const drafts = parse(
    started,
    one,
    one,
    spoken,
    counted(null, tokens(50, 10, 5)),
    spoken,
    counted(tokens(190, 40, 22), tokens(90, 20, 12)),
  );
  expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([5, 5, 12]);
  expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
  expect(sum(drafts)).toEqual(tokens(190, 40, 22));
});

test("a count without its last call is a call of what the totals grew by", () => {
  const drafts = parse(started, counted(tokens(50, 10, 5), undefined), counted(tokens(190, 40, 22), null));
  expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([5, 17]);
  expect(sum(drafts)).toEqual(tokens(190, 40, 22));
});

test("a response that a count without totals tells again is one call", () => {
  const response = at({ response_id: "r", usage: tokens(50, 0, 5) }, "token_usage_record");
  const again = counted(undefined, tokens(50, 0, 5));
  expect(calls(parse(started, response, again, again))).toHaveLength(1);
});

const own = at({ id: TURN }, "session_meta");
const response = (id: string, usage: unknown) => at({ response_id: id, usage }, "token_usage_record");

test("a response that the totals leave out, as that of a compaction, is a call, and takes nothing from the others", () => {
  const [first, compaction, next] = [tokens(1000, 200, 50), tokens(5000, 900, 700), tokens(300, 0, 40)];
  const both = tokens(1300, 200, 90);
  const left = { ...tokens(0, 0, 0), total_tokens: 333 };
  const drafts = parse(
    own,
    started,
    response("a", first),
    counted(first, first),
    response("b", compaction),
    at({ message: "", replacement_history: [], compaction_response_id: "b" }, "compacted"),
    counted(first, left),
    response("c", next),
    counted(both, next),
  );
  expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([50, 700, 40]);
  expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
});

test("a response beside a call, in the background, is a call: the count behind tells the other", () => {
  const [aside, main] = [tokens(30, 0, 4), tokens(900, 300, 60)];
  for (const records of [
    [response("a", aside), response("b", main)],
    [response("b", main), response("a", aside)],
  ]) {
    const drafts = parse(own, started, ...records, counted(main, main), counted(main, main));
    expect(calls(drafts)).toHaveLength(2);
    expect(drafts.filter((draft) => draft.kind === "lost")).toEqual([]);
  }
});

test("responses that are counted one behind the other are no calls again", () => {
  const [one, two] = [tokens(30, 0, 4), tokens(900, 300, 60)];
  const both = tokens(930, 300, 64);
  const drafts = parse(started, response("a", one), response("b", two), counted(one, one), counted(both, two));
  expect(calls(drafts)).toHaveLength(2);
  expect(sum(drafts)).toEqual(both);
});

test("a response that is told twice is one call", () => {
  const spoken = at({ type: "reasoning", summary: [] });
  const one = response("a", tokens(50, 0, 5));
  expect(calls(parse(started, spoken, one, spoken, one, spoken, response("b", tokens(50, 0, 5))))).toHaveLength(2);
});

test("what the totals name beyond the responses that are told is lost", () => {
  const drafts = parse(own, started, response("a", tokens(50, 0, 5)), counted(tokens(90, 0, 9), tokens(50, 0, 5)));
  expect(calls(drafts)).toHaveLength(1);
  expect(sum(drafts)).toEqual(tokens(90, 0, 9));
});

test("what was asked for sooner has its own price: the tier holds until it is set again, also of a copied history", () => {
  const context = at({ turn_id: TURN, model: "gpt-5.6-sol" }, "turn_context");
  const set = (tier: string | null) =>
    client({ type: "thread_settings_applied", thread_settings: { model: "gpt-5.6-sol", service_tier: tier } });
  const count = (n: number) => counted(tokens(n * 10, 0, n), tokens(10, 0, 1));
  const lines = [
    context,
    count(1),
    set("priority"),
    count(2),
    count(3),
    set("default"),
    count(4),
    set("fast"),
    count(5),
  ];
  const models = calls(parse(started, ...lines, set("flex"), count(6), set(null), count(7))).map(({ model }) => model);
  const [own, soon, later] = ["gpt-5.6-sol", "gpt-5.6-sol-priority", "gpt-5.6-sol-flex"];
  expect(models).toEqual([own, soon, soon, own, soon, later, own]);
  expect(patches(parse(started, ...lines))["model"]).toBe(own);
  const told = (tier: string) => at({ turn_id: TURN, model: own, service_tier: tier }, "turn_context");
  expect(calls(parse(started, told("priority"), count(1))).map(({ model }) => model)).toEqual([soon]);
  expect(calls(parse(started, told("ultrafast"), count(1))).map(({ model }) => model)).toEqual([`${own}-ultrafast`]);
});
