import { expect, test } from "vitest";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import { answer, calls, parse, text, used } from "./testing-claude.ts";

test("usage is disjoint: uncached, read, written, out", () => {
  const [call] = calls(parse(answer("a", 1, "1", text("x"), { usage: used(2, 38_089, 31_222, 859) })));
  expect(call?.usage).toEqual({
    ...NO_USAGE,
    inputUncached: 2,
    cacheRead: 38_089,
    cacheWrite: 31_222,
    output: 859,
  });
});

test("reasoning is a part of output, where an answer tells it apart", () => {
  const thought = (details: unknown) =>
    calls(parse(answer("a", 1, "1", text("x"), { usage: { ...used(2, 5, 40, 70), output_tokens_details: details } })));
  expect(thought({ thinking_tokens: 52 })[0]?.usage).toMatchObject({ output: 70, reasoning: 52 });
  expect(thought({ thinking_tokens: 71 })[0]?.usage, "a part is never more than the whole").toMatchObject({
    reasoning: 70,
  });
  expect(thought(null)[0]?.usage).toMatchObject({ output: 70, reasoning: 0 });
});

test("cache writes for one hour are told from those for five minutes, and web searches are counted", () => {
  const result = (more: object) =>
    calls(parse(answer("a", 1, "1", text("x"), { usage: { ...used(2, 5, 40, 7), ...more } })));
  const written = { cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 } };
  const searched = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } };
  expect(result({ ...written, ...searched })[0]?.usage).toMatchObject({
    cacheWrite: 40,
    cacheWrite1h: 30,
    webSearches: 3,
  });
  expect(result({ cache_creation: null, server_tool_use: [] })[0]?.usage).toMatchObject({
    cacheWrite1h: 0,
    webSearches: 0,
  });
  const more = { cache_creation: { ephemeral_1h_input_tokens: 41 } };
  expect(result(more)[0]?.usage, "a part is never more than the whole").toMatchObject({ cacheWrite1h: 40 });
  for (const total of [null, undefined])
    expect(
      result({ ...written, cache_creation_input_tokens: total })[0]?.usage,
      "a total that is missing is the sum of its parts",
    ).toMatchObject({ cacheWrite: 40, cacheWrite1h: 30 });
});

test("an answer without usage is a call whose tokens are not known", () => {
  const bare = (more: object = {}) => parse(answer("a", 1, "1", text("x"), { usage: null, ...more }));
  expect(calls(bare())).toEqual([expect.objectContaining({ key: "msg_1:req_1", model: "claude-opus-5", usage: null })]);
  expect(bare().filter(({ kind }) => kind === "event")).toEqual([expect.objectContaining({ callKey: "msg_1:req_1" })]);
  for (const usage of [{}, { input_tokens: null, output_tokens: null }, { service_tier: "standard" }])
    expect(calls(bare({ usage }))[0]?.usage).toBeNull();
  expect(calls(bare({ usage: { output_tokens: 3 } }))[0]?.usage).toEqual({ ...NO_USAGE, output: 3 });
});

test("what the client wrote in the model's place, and an error of the interface, are no calls", () => {
  expect(calls(parse(answer("a", 1, "1", text("x"), { usage: null, model: "<synthetic>" })))).toEqual([]);
  const failed = answer("a", 1, "1", text("x"), { usage: null, more: { isApiErrorMessage: true } });
  expect(calls(parse(failed))).toEqual([]);
});

test("an answer that the client wrote where none was requested is an answer, and no error", () => {
  const written = (words: string, more: Readonly<Record<string, unknown>> = {}) =>
    parse(answer("a", 1, "1", text(words), { model: "<synthetic>", more }));
  const typesOf = (drafts: ReturnType<typeof parse>) =>
    drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []));
  const none = "No response requested.";
  expect([written(none), written(none, { isApiErrorMessage: false })].map(typesOf)).toEqual([
    ["assistant"],
    ["assistant"],
  ]);
  expect([written(none), written(none, { isApiErrorMessage: false })].flatMap(calls)).toEqual([]);
  // Older versions had no sign of an error.
  expect(typesOf(written("API Error: 529"))).toEqual(["error"]);
  expect(typesOf(written(none, { isApiErrorMessage: true }))).toEqual(["error"]);
});
