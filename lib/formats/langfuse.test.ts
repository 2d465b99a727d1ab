// Traces of Langfuse: messages once, results with their calls, one call for a generation that is told twice.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMATS } from "./index.ts";
import { langfuse } from "./langfuse.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures", "langfuse-synthetic-session.json"));
const read = (given: Buffer) =>
  langfuse.parse(
    { bytes: given, byteStart: 0, byteEnd: given.length, line: 1 },
    langfuse.start({ path: "/t.json", head: given, sidecars: new Map() }),
  );
const typesOf = (drafts: ReturnType<typeof read>) =>
  drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []));
const usageOf = (drafts: ReturnType<typeof read>) =>
  drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []));

const question = { role: "user", content: "How high is the tide?" };
const asking = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "c1", type: "function", function: { name: "tide", arguments: '{"port":"Emden"}' } }],
};
const observed = (n: number, type: string, more: object) => ({
  ...{ id: `o${n}`, traceId: "t1", type, name: `step ${n}`, startTime: `2026-05-01T08:00:0${n}.000Z` },
  ...more,
});
const counted = (input: number, output: number) => ({ usageDetails: { input, output, total: input + output } });
const [one, two] = [
  observed(1, "GENERATION", { model: "m1", input: [question], output: asking, ...counted(10, 2) }),
  observed(3, "GENERATION", {
    ...{ model: "m1", input: [question, asking, { role: "tide", content: "3 metres" }], ...counted(20, 4) },
    output: { role: "assistant", content: "Three metres." },
  }),
];
const ofTrace = (...observations: readonly object[]) =>
  read(Buffer.from(JSON.stringify({ trace: { id: "t1", name: "n" }, observations })));

test("observations in any order are one conversation, and a generation inside of another is one call", () => {
  const drafts = read(bytes);
  const bodies = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
  expect(bodies.map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
  expect(bodies[2]).toMatchObject({ toolCallId: "call_9", isError: true });
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []))).toMatchObject([
    { inputUncached: 12, output: 7 },
    { inputUncached: 30, cacheRead: 20, output: 9, reasoning: 4 },
  ]);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 1 });
});

test("a trace without observations of models is its input and output", () => {
  const trace = {
    id: "t",
    name: "n",
    timestamp: "2026-05-01T08:00:00Z",
    input: "Hello",
    output: { role: "assistant", content: "Hi" },
  };
  const drafts = read(Buffer.from(JSON.stringify({ trace, observations: [] })));
  expect(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body.type] : []))).toEqual(["user", "assistant"]);
});

test("a trace whose observations come first is known by them, also where what stands behind is not in the head", () => {
  const detect = (text: string, length = 65_536): string[] => {
    const head = Buffer.from(text).subarray(0, length);
    return FORMATS.filter((one) => one.detect({ path: "/t.json", head, sidecars: new Map() })).map(({ id }) => id);
  };
  const { trace, observations } = JSON.parse(bytes.toString()) as { trace: object; observations: object[] };
  for (const last of [{ trace }, trace])
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ observations, ...last }, null, indent);
      expect(detect(text)).toEqual(["langfuse"]);
      expect(detect(text, 700)).toEqual(["langfuse"]);
    }
  expect(detect(JSON.stringify({ observations: [{ id: 1, type: "bird" }] }, null, 2))).toEqual([]);
});

test("a session has the model of its latest call", () => {
  const models = read(bytes).flatMap((draft) => (draft.kind === "session" ? (draft.patch.model ?? []) : []));
  const called = read(bytes).flatMap((draft) => (draft.kind === "call" ? (draft.model ?? []) : []));
  expect(called.length).toBeGreaterThan(0);
  expect(models.at(-1)).toBe(called.at(-1));
});

test("a result whose role is its tool's name is of the call that is open", () => {
  const drafts = ofTrace(one, two);
  expect(typesOf(drafts)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
  expect(drafts).toContainEqual(
    expect.objectContaining({
      body: expect.objectContaining({ type: "tool_result", toolCallId: "c1", text: "3 metres" }) as unknown,
    }),
  );
});

test("an inner generation with its messages in one text has the tool calls of the one around it", () => {
  const around = (n: number, output: object) =>
    observed(n, "GENERATION", { model: "m1", input: { messages: ["role='user'"] }, output, ...counted(90, 90) });
  const inside = (n: number, input: string, output: string) =>
    observed(n, "GENERATION", {
      id: `i${n}`,
      parentObservationId: `o${n}`,
      model: "m1",
      input,
      output,
      ...counted(n, n),
    });
  const text = "developer: Be brief.\nuser: How high is the tide?";
  const drafts = ofTrace(
    around(1, { choices: [{ message: asking }] }),
    inside(1, text, "None"),
    observed(2, "SPAN", {
      ...{ name: "tide", input: '{"port":"Emden"}', output: "3 metres" },
      metadata: JSON.stringify({ attributes: { "openinference.span.kind": "TOOL" } }),
    }),
    around(3, { choices: [{ message: { role: "assistant", content: "Three metres." } }] }),
    inside(3, `${text}\nassistant: None\ntool: 3 metres`, "Three metres."),
  );
  expect(typesOf(drafts)).toEqual(["system", "user", "tool_call", "tool_result", "assistant"]);
  expect(usageOf(drafts)).toMatchObject([
    { inputUncached: 1, output: 1 },
    { inputUncached: 3, output: 3 },
  ]);
});

test("moments of a call that say nothing are no calls, and definitions of tools are no messages", () => {
  const moment = (n: number, type: string) => observed(n, type, { input: null, output: null, usageDetails: {} });
  const definition = {
    role: "tool",
    content: { type: "function", function: { name: "tide", parameters: { type: "object" } } },
  };
  const first = { ...one, input: [question, definition] };
  const tool = observed(2, "TOOL", { name: "tide", input: {}, output: "3 metres" });
  const drafts = ofTrace(first, moment(2, "TOOL"), tool, two, moment(4, "GENERATION"));
  expect(usageOf(drafts)).toHaveLength(2);
  expect(typesOf(drafts)).toEqual(["meta", "user", "tool_call", "tool_result", "assistant"]);
  // Where no generation says anything, each is a call.
  expect(usageOf(ofTrace(moment(1, "GENERATION"), moment(2, "GENERATION")))).toHaveLength(2);
});

test("lists, pages and lines of traces or observations are read, also in snake case", () => {
  const trace = { id: "t1", name: "n", timestamp: "2026-05-01T08:00:00Z", observations: [one, two] };
  const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join("\n");
  const snake = (value: object) =>
    Object.fromEntries(
      Object.entries(value).map(([key, given]) => [key.replace(/[A-Z]/g, (char) => `_${char.toLowerCase()}`), given]),
    );
  const files = [
    JSON.stringify([trace]),
    JSON.stringify({ data: [trace], meta: { page: 1 } }, null, 2),
    lines(trace),
    lines(one, two),
    JSON.stringify([one, two], null, 2),
    JSON.stringify({ data: [one, two], meta: { page: 1 } }),
    lines(snake(one), snake(two)),
    JSON.stringify({ ...trace, observations: [snake(one), snake(two)] }),
  ];
  for (const text of files) {
    const file = { path: "/t.json", head: Buffer.from(text), sidecars: new Map<string, string>() };
    expect(FORMATS.filter((format) => format.detect(file)).map(({ id }) => id)).toEqual(["langfuse"]);
    const drafts = read(Buffer.from(text));
    expect(typesOf(drafts)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
    expect(usageOf(drafts)).toMatchObject([
      { inputUncached: 10, output: 2 },
      { inputUncached: 20, output: 4 },
    ]);
  }
});

test("each trace of a list is a session, and a line that is cut off is said", () => {
  const trace = (id: string) => ({
    ...{ id, timestamp: "2026-05-01T08:00:00Z", observations: [{ ...one, traceId: id }] },
  });
  const text = `${JSON.stringify(trace("t1"))}\n${JSON.stringify(trace("t2")).slice(0, 90)}\n${JSON.stringify(trace("t3"))}\n`;
  const drafts = read(Buffer.from(text));
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.lane] : []))).toEqual(["", "t3"]);
  const start = text.indexOf("\n") + 1;
  expect(drafts.filter(({ kind }) => kind === "problem")).toMatchObject([{ byteStart: start }]);
  const range = drafts.findLast((draft) => draft.kind === "event")!;
  expect(JSON.parse(text.slice(range.byteStart, range.byteEnd))).toMatchObject({ id: "t3" });
});

test("a file without traces says so of all its bytes", () => {
  for (const text of [
    "[}\n  {",
    "[]",
    '{"data": []}',
    '[{"wind": 7}]',
    '{"trace": {"id": "t1"}, "observations": []}',
  ]) {
    const problems = read(Buffer.from(text));
    expect(problems, text).toMatchObject([{ kind: "problem", byteStart: 0, byteEnd: text.length }]);
  }
});

test("a table of observations is what a list of them is, each with the bytes of its row", () => {
  const table = readFileSync(join(import.meta.dirname, "fixtures", "langfuse-synthetic-observations.csv"));
  expect(FORMATS.filter((one) => one.detect({ path: "x", head: table, sidecars: new Map() }))).toEqual([langfuse]);
  for (const bytes of [table, Buffer.from(`\uFEFF${table.toString().replaceAll("\n", "\r\n")}`)]) {
    const drafts = read(bytes);
    expect(typesOf(drafts)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
    expect(usageOf(drafts)).toMatchObject([
      { inputUncached: 10, output: 2 },
      { inputUncached: 20, output: 4 },
    ]);
    expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.75 });
    const result = drafts.find((draft) => draft.kind === "event" && draft.body.type === "tool_result");
    expect(result).toMatchObject({ body: { toolCallId: "call_c1", text: '3 metres, at "six"' } });
    expect(bytes.toString().slice(0, 400)).toContain("traceId");
    if (result?.kind === "event")
      expect(bytes.subarray(result.byteStart, result.byteEnd).toString()).toMatch(/^o2,t-csv/);
    expect(drafts.filter(({ kind }) => kind === "problem")).toEqual([]);
  }
});

test("a table that is cut within a row has the rows before it, and says so", () => {
  const table = readFileSync(join(import.meta.dirname, "fixtures", "langfuse-synthetic-observations.csv"));
  const drafts = read(table.subarray(0, table.lastIndexOf("Three metres")));
  expect(typesOf(drafts)).toEqual(["user", "tool_call", "tool_result"]);
  expect(drafts.filter(({ kind }) => kind === "problem")).toMatchObject([{ reason: "The last row is cut off." }]);
});

test("the first exports had generations alone, with their counts in columns", () => {
  const table = [
    "id,name,traceId,traceName,startTime,endTime,model,promptTokens,completionTokens,totalTokens,input,output",
    'g1,ask,t9,tides,2024-05-01T08:00:00.000Z,2024-05-01T08:00:01.000Z,gpt-4,12,3,15,"[{""role"":""user"",""content"":""Hi""}]",Hello',
    "",
  ].join("\n");
  const drafts = read(Buffer.from(table));
  expect(typesOf(drafts)).toEqual(["user", "assistant"]);
  expect(drafts.find(({ kind }) => kind === "call")).toMatchObject({
    ...{ model: "gpt-4", usage: { inputUncached: 12, output: 3 } },
  });
});

test("a table of traces has their inputs and outputs; another table is none", () => {
  const table =
    'id,timestamp,name,observationCount,input,output\nt1,2026-05-01T08:00:00.000Z,n,2,Hello,Hi\nt2,2026-05-01T09:00:00.000Z,n,1,"Hello,\nagain",Hi\n';
  expect(typesOf(read(Buffer.from(table)))).toEqual(["user", "assistant", "user", "assistant"]);
  for (const head of [
    "id,name,price\n1,a,2\n",
    "timestamp,input,output\n",
    "id;traceId;startTime;input\n",
    "A text.\n",
  ])
    expect(langfuse.detect({ path: "x.csv", head: Buffer.from(head), sidecars: new Map() })).toBe(false);
});

// Integrations take the cache out of the input, the reasoning out of the output, both, or neither: the total tells which.
test.each([
  [{ input: 1000, input_cached_tokens: 900, output: 50, output_reasoning_tokens: 30, total: 1980 }, [1000, 900, 80]],
  [{ input: 1000, input_cached_tokens: 900, output: 80, output_reasoning_tokens: 30, total: 1980 }, [1000, 900, 80]],
  [{ input: 1000, input_cached_tokens: 900, output: 50, output_reasoning_tokens: 30, total: 1080 }, [100, 900, 80]],
  [{ input: 1000, input_cached_tokens: 900, output: 80, output_reasoning_tokens: 30, total: 1080 }, [100, 900, 80]],
])("counts are parts of the total, whichever are taken out: %j", (usageDetails, expected) => {
  const [usage] = usageOf(ofTrace(observed(1, "GENERATION", { model: "m1", input: [question], usageDetails })));
  expect([usage!.inputUncached, usage!.cacheRead, usage!.output]).toEqual(expected);
  expect(usage!.reasoning).toBe(30);
});
