// What Anthropic bills beside an answer's own counts. Synthetic, with the numbers of its documentation and of reports about it.
import { expect, test } from "vitest";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { captured } from "../captured.ts";
import { streamJson } from "../stream-json.ts";
import { answer, calls, events, parse, text, type Rec } from "./testing-claude.ts";

const counts = (input: number, read: number, written: number, output: number, more: Rec = {}): Rec => ({
  ...{
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: output,
  },
  ...more,
});
const one = (type: string, ...[input, read, written, output, more]: Parameters<typeof counts>): Rec => ({
  type,
  ...counts(input, read, written, output, more),
});
/** Model, prompt in its three parts, output. */
const told = (drafts: readonly Draft[], lane = "") =>
  calls(drafts)
    .filter((call) => call.lane === lane)
    .map(({ model, usage }) => {
      const { inputUncached, cacheRead, cacheWrite, output } = usage ?? NO_USAGE;
      return [model, inputUncached, cacheRead, cacheWrite, output];
    });

const ADVISED = counts(2, 226_584, 7853, 491, {
  iterations: [
    one("message", 1, 109_696, 7192, 45),
    one("advisor_message", 159_419, 0, 0, 7805, { model: "claude-opus-4-7" }),
    one("message", 1, 116_888, 661, 446),
  ],
});

test("an advisor's tokens are those of a sub-agent, at its model, and each of the answer's prompts is one", () => {
  const o = { usage: ADVISED, model: "claude-sonnet-4-6" };
  const advised = {
    type: "advisor_tool_result",
    tool_use_id: "srv_1",
    content: { type: "advisor_result", text: "Wait." },
  };
  const drafts = parse(
    answer("a", 1, "1", text("Let me ask."), o),
    answer("b", 2, "1", { type: "server_tool_use", id: "srv_1", name: "advisor", input: {} }, o),
    answer("c", 3, "1", advised, o),
  );
  const unique = [...new Map(calls(drafts).map((call) => [call.key, call])).values()];
  expect(told(unique)).toEqual([
    ["claude-sonnet-4-6", 1, 109_696, 7192, 491],
    ["claude-sonnet-4-6", 1, 116_888, 661, 0],
  ]);
  expect(told(unique, "advisor")).toEqual([["claude-opus-4-7", 159_419, 0, 0, 7805]]);
  expect(events(drafts).map(({ lane, body }) => [lane, body.type])).toEqual([
    ["", "assistant"],
    ["", "tool_call"],
    ["", "tool_result"],
    ["advisor", "assistant"],
  ]);
  expect(events(drafts).at(-1)!.callKey).toBe("msg_1:req_1/1");
  expect(drafts).toContainEqual(
    expect.objectContaining({
      kind: "session",
      lane: "advisor",
      patch: expect.objectContaining({ relation: "subagent" }),
    }),
  );
});

test("top counts of the first prompt alone, as the documentation has them, yield the same calls", () => {
  const usage = counts(412, 0, 0, 531, {
    iterations: [one("message", 412, 0, 0, 89), one("message", 1348, 412, 0, 442)],
  });
  expect(told(parse(answer("a", 1, "1", text("x"), { usage })))).toEqual([
    ["claude-opus-5", 412, 0, 0, 531],
    ["claude-opus-5", 1348, 412, 0, 0],
  ]);
});

test("a compaction is a call ahead of the answer's, and its summary stands between them", () => {
  const usage = counts(23_000, 0, 0, 1000, {
    iterations: [one("compaction", 180_000, 0, 0, 3500), one("message", 23_000, 0, 0, 1000)],
  });
  const drafts = parse(answer("a", 1, "1", { type: "compaction", content: "So far." }, { usage }));
  expect(told(drafts)).toEqual([
    ["claude-opus-5", 180_000, 0, 0, 3500],
    ["claude-opus-5", 23_000, 0, 0, 1000],
  ]);
  expect(events(drafts).map(({ body, callKey }) => [body.type, callKey])).toEqual([
    ["meta", "msg_1:req_1/0"],
    ["compaction", null],
  ]);
});

test("a model that declined is billed for what it wrote, and not before it wrote anything", () => {
  const usage = (output: number) =>
    counts(2, 79_214, 0, 13_658, {
      iterations: [
        one("message", 2, 72_769, 10_421, output, { model: "claude-fable-5" }),
        one("fallback_message", 2, 79_214, 0, 13_658, { model: "claude-opus-4-8" }),
      ],
    });
  const answered = ["claude-opus-4-8", 2, 79_214, 0, 13_658];
  const of = (output: number) =>
    parse(answer("a", 1, "1", text("x"), { usage: usage(output), model: "claude-opus-4-8" }));
  expect(told(of(578))).toEqual([["claude-fable-5", 2, 72_769, 10_421, 578], answered]);
  expect(told(of(1))).toEqual([answered]);
});

test("one iteration, none, or fewer tokens than the answer says are the answer's counts and no more", () => {
  const of = (iterations: unknown) =>
    told(parse(answer("a", 1, "1", text("x"), { usage: counts(20, 900, 10, 50, { iterations }) })));
  const own = [["claude-opus-5", 20, 900, 10, 50]];
  expect(of([one("message", 20, 900, 10, 50)])).toEqual(own);
  expect(of([])).toEqual(own);
  expect(of(null)).toEqual(own);
  expect(of([one("message", 1, 400, 10, 20), one("message", 2, 450, 0, 20)])).toEqual(own);
});

test("a printed session and a recorded request have the same calls", () => {
  const usage = { ...ADVISED, inference_geo: "us" };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-6",
    stop_reason: "end_turn",
    usage,
  };
  const read = (format: typeof captured | typeof streamJson, lines: readonly unknown[]): Draft[] => {
    const bytes = lines.map((one) => new TextEncoder().encode(JSON.stringify(one)));
    const state = format.start({ path: "a", head: bytes[0]!, sidecars: new Map() }) as never;
    return bytes.flatMap((line, i) => format.parse({ bytes: line, byteStart: i, byteEnd: i + 1, line: i + 1 }, state));
  };
  const printed = read(streamJson, [
    { type: "system", subtype: "init", session_id: "s", model: "claude-sonnet-4-6", tools: [] },
    { type: "assistant", session_id: "s", message: { ...message, content: [text("Hm.")] } },
  ]);
  const recorded = read(captured, [
    { captured: 1, id: "c-1", at: 1000, agent: null, session: null },
    {
      ...{ exchange: 1, at: 2000, firstByteMs: 5, totalMs: 10, method: "POST", path: "/v1/messages", api: "messages" },
      ...{ turn: null, purpose: null, model: "claude-sonnet-4-6", headers: {}, request: null, parts: [], newParts: [] },
      ...{ messages: [{ role: "user", content: "Ask" }], notes: [] },
      answer: { status: 200, headers: {}, text: null, message: { ...message, content: [text("Hm.")] } },
    },
  ]);
  for (const drafts of [printed, recorded]) {
    expect(told(drafts)).toEqual([
      ["claude-sonnet-4-6-us", 1, 109_696, 7192, 491],
      ["claude-sonnet-4-6-us", 1, 116_888, 661, 0],
    ]);
    expect(told(drafts, "advisor")).toEqual([["claude-opus-4-7-us", 159_419, 0, 0, 7805]]);
  }
});
