// Telemetry as sessions. Fixtures are synthetic, in the shape of what exporters sent.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { eventText } from "#lib/kernel/event.ts";
import { otlp } from "./otlp.ts";
import { reportedRequests, reportedTotals } from "./otlp/agent-report.ts";
import { idOf } from "./otlp/otlp-values.ts";
import { readOtlp } from "./otlp/otlp-lines.ts";

const linesOf = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, "fixtures", `otlp-synthetic-${name}.otlp.jsonl`), "utf8")
    .split("\n")
    .filter(Boolean);

function read(lines: readonly string[]) {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  const state = otlp.start({ path: "x.otlp.jsonl", head: bytes.subarray(0, 65_536), sidecars: new Map() });
  const drafts = otlp.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { state, drafts };
}

const told = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) =>
    draft.kind === "event"
      ? `${draft.lane && `${draft.lane}: `}${draft.body.type} ${eventText(draft.body)}`
      : draft.kind === "call"
        ? `${draft.lane && `${draft.lane}: `}call ${draft.model} ${draft.usage?.inputUncached}+${draft.usage?.cacheRead}+${draft.usage?.cacheWrite} ${draft.usage?.output}`
        : [],
  );

const SUB = "000000000000001e";

test("GenAI spans: what is new of each request, in its order; an agent that a tool started is a session of its own", () => {
  const { state, drafts } = read(linesOf("genai"));
  expect(state).toEqual({ id: "tides-1", format: "otlp" });
  expect(told(drafts)).toEqual([
    "system You know tides.",
    "user When is high tide in Emden?",
    "call m1 100+0+0 20",
    "assistant Let me look.",
    'tool_call {"port":"Emden"}',
    "tool_result 12:04 high",
    `${SUB}: system You know tides.`,
    `${SUB}: user High tide at Emden, from the table.`,
    `${SUB}: call m2 50+0+0 9`,
    `${SUB}: assistant 12:04 high, 18:20 low, and much more`,
    "call m1 40+100+0 8",
    "assistant At 12:04.",
  ]);
  expect(drafts).toContainEqual({ kind: "link", lane: "", toolCallId: "call_1", agentId: SUB });
  // The model was sent less than the tool returned: both are kept.
  const result = drafts.find((draft) => draft.kind === "event" && draft.body.type === "tool_result");
  expect(result).toMatchObject({ fullText: "12:04 high, 18:20 low, and much more", body: { saw: "preview" } });
});

test("OpenInference spans, with messages as flattened attributes", () => {
  const { state, drafts } = read(linesOf("openinference"));
  expect(state.id).toBe("harbour-7");
  expect(told(drafts)).toEqual([
    "system You keep the harbour book.",
    "user Who came in?",
    "call gpt-5.5 50+10+0 12",
    'tool_call {"day":2}',
    "tool_result Two cutters.",
    "call gpt-5.5 90+0+0 6",
    "assistant Two cutters came in.",
  ]);
});

test("an agent's own events tell its session while its file is not here, under the name of that file", () => {
  const { state, drafts } = read(linesOf("claude"));
  expect(state).toEqual({ id: "6d0c0000-0000-4000-8000-000000000001", format: "claude-code" });
  expect(told(drafts)).toEqual([
    "user Which tide?",
    "call claude-opus-5-5 12+0+15500 81",
    "meta ",
    "assistant Let me look.",
    'tool_call {"command":"cat tides"}',
    "tool_result ",
    "call claude-opus-5-5 7+15500+900 44",
    "meta ",
    "assistant Low.",
  ]);
});

/** Positions in the file follow the order in which records came; nothing else does. */
const unplaced = (drafts: readonly Draft[]) =>
  drafts.map((draft) => ({ ...draft, byteStart: undefined, byteEnd: undefined, line: undefined }));

test.each(["genai", "openinference", "claude"])(
  "%s: any order, any batches, records twice: the same session",
  (name) => {
    const lines = linesOf(name);
    const whole = unplaced(read(lines).drafts);
    const orders = fc.tuple(fc.shuffledSubarray(lines, { minLength: lines.length }), fc.subarray(lines));
    fc.assert(
      fc.property(orders, ([order, again]) => {
        expect(unplaced(read([...order, ...again]).drafts)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  },
);

test("spans whose parents never came, rings of parents and deep chains end", () => {
  const span = (i: number, parent: number): string => {
    const id = (n: number): string => (n + 1).toString(16).padStart(16, "0");
    const attributes = [
      { key: "gen_ai.operation.name", value: { stringValue: i % 2 === 0 ? "invoke_agent" : "execute_tool" } },
    ];
    const one = { traceId: "c".repeat(32), spanId: id(i), parentSpanId: id(parent), name: `s${i}`, attributes };
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [one] }] }] });
  };
  const many = 10_000;
  const count = (lines: readonly string[]): number => read(lines).drafts.filter(({ kind }) => kind === "event").length;
  expect(count(Array.from({ length: many }, (_, i) => span(i, i + many)))).toBe(many);
  expect(count(Array.from({ length: many }, (_, i) => span(i, (i + 1) % many)))).toBe(many);
  // Agents that call nothing themselves: of itself, and of each other.
  expect(count([span(0, 0)])).toBeGreaterThanOrEqual(0);
  expect(count([span(0, 2), span(2, 4), span(4, 0), span(1, 2)])).toBeGreaterThan(0);
});

test("an id that is neither hex nor base64 is none", () => {
  const id = "0102030405060708090a0b0c0d0e0f10";
  expect(idOf(id, 16)).toBe(id);
  for (const padding of ["==", "=", ""]) expect(idOf(`AQIDBAUGBwgJCgsMDQ4PEA${padding}`, 16)).toBe(id);
  for (const broken of ["AQIDB", "AQI=DBA=", "=", "", "0".repeat(32), 7, null])
    expect(idOf(broken, 16), String(broken)).toBeNull();
});

test("hostile values are data: huge, deep, lone surrogates, __proto__", () => {
  const deep = `${'{"arrayValue":{"values":['.repeat(500)}{"stringValue":"x"}${"]}}".repeat(500)}`;
  const attributes = `[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":${deep}},{"key":"__proto__","value":{"stringValue":"x"}},{"key":"gen_ai.prompt.__proto__.role","value":{"stringValue":"user"}},{"key":"gen_ai.prompt.0.content","value":{"stringValue":"\\ud800 half"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"999999999999999999999"}},{"key":7}, null]`;
  const line = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${"d".repeat(32)}","spanId":"${"d".repeat(16)}","attributes":${attributes}}]}]}, null, 7]}`;
  const { drafts } = read([line]);
  expect(drafts.some(({ kind }) => kind === "event")).toBe(true);
  expect(({} as Record<string, unknown>)["role"]).toBeUndefined();
});

test("requests once each, whatever came twice; totals of metrics by series", () => {
  const text = [...linesOf("claude"), ...linesOf("claude")].join("\n");
  const bytes = new TextEncoder().encode(text);
  const { records } = readOtlp({ bytes, byteStart: 0, byteEnd: bytes.length });
  expect(reportedRequests(records)).toMatchObject([
    { id: "req_1", usd: 0.121168, usage: { inputUncached: 12, cacheWrite: 15_500, cacheWrite1h: 14_000, output: 81 } },
    { id: "req_2", usd: 0.008508, usage: { inputUncached: 7, cacheRead: 15_500, cacheWrite: 900, output: 44 } },
  ]);
  const point = (value: number, type: string, start: number, end: number) => ({
    asDouble: value,
    startTimeUnixNano: `${start}000000`,
    timeUnixNano: `${end}000000`,
    attributes: [
      { key: "session.id", value: { stringValue: "s" } },
      { key: "model", value: { stringValue: "m" } },
      { key: "type", value: { stringValue: type } },
    ],
  });
  const sums = (aggregationTemporality: number, dataPoints: object[], agent = "claude_code"): Uint8Array => {
    const metrics = [{ name: `${agent}.token.usage`, sum: { aggregationTemporality, dataPoints } }];
    return new TextEncoder().encode(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }));
  };
  const totals = (data: Uint8Array) =>
    reportedTotals(readOtlp({ bytes: data, byteStart: 0, byteEnd: data.length }).records)?.usage["m"];
  // What was added is summed up, once; of a running sum the last holds.
  const points = [point(5, "input", 1, 2), point(7, "input", 2, 3), point(7, "input", 2, 3), point(1, "output", 1, 2)];
  expect(totals(sums(1, points))).toMatchObject({ inputUncached: 12, output: 1 });
  expect(totals(sums(2, [point(9, "cacheRead", 1, 9), point(5, "cacheRead", 1, 5)]))).toMatchObject({ cacheRead: 9 });
  // Gemini's and Qwen's input has what was cached in it; their output is without the thoughts.
  const inclusive = [
    point(20, "input", 1, 2),
    point(15, "cache", 1, 2),
    point(3, "output", 1, 2),
    point(2, "thought", 1, 2),
  ];
  for (const agent of ["gemini_cli", "qwen-code"])
    expect(totals(sums(1, inclusive, agent))).toMatchObject({
      inputUncached: 5,
      cacheRead: 15,
      output: 5,
      reasoning: 2,
    });
  // A name of each object is one of a model, and changes no object.
  for (const named of ["__proto__", "constructor"]) {
    const odd = new TextDecoder()
      .decode(sums(1, [point(5, "input", 1, 2)]))
      .replace('"stringValue":"m"', `"stringValue":"${named}"`);
    const bytes = new TextEncoder().encode(odd);
    const usage = reportedTotals(readOtlp({ bytes, byteStart: 0, byteEnd: bytes.length }).records)?.usage ?? {};
    expect([Object.keys(usage), Object.values(usage).map((one) => one.inputUncached)]).toEqual([[named], [5]]);
    expect("inputUncached" in {}).toBe(false);
  }
});

test("each agent's session has the model of its calls", () => {
  const models = read(linesOf("genai")).drafts.flatMap((draft) =>
    draft.kind === "session" && draft.patch.model !== undefined ? [[draft.lane, draft.patch.model]] : [],
  );
  expect(models).toEqual([
    ["", "m1"],
    [SUB, "m2"],
  ]);
});

test("OpenAI's tier is part of the model, under both names of the attribute", () => {
  const tiered = (name: string, tier: string) =>
    linesOf("genai").map((line) =>
      line.replaceAll('{"key":"gen_ai.response.model","value":{"stringValue":"m1"}}', () =>
        [
          ["gen_ai.response.model", "gpt-5"],
          [name, tier],
        ]
          .map(([key, stringValue]) => JSON.stringify({ key, value: { stringValue } }))
          .join(","),
      ),
    );
  const modelsOf = (lines: readonly string[]) =>
    read(lines).drafts.flatMap((draft) => (draft.kind === "call" && draft.lane === "" ? [draft.model] : []));
  for (const name of ["openai.response.service_tier", "gen_ai.openai.response.service_tier"]) {
    expect(new Set(modelsOf(tiered(name, "flex")))).toEqual(new Set(["gpt-5-flex"]));
    expect(new Set(modelsOf(tiered(name, "default")))).toEqual(new Set(["gpt-5"]));
  }
});
