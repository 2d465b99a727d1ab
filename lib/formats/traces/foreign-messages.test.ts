// Messages of the frameworks whose traces Langfuse keeps: each test is one of them, written by hand (synthetic).
import { expect, test } from "vitest";
import { langfuse } from "../langfuse.ts";

type Event = { type: string; id?: string | null; name?: string; text?: string };

const observed = (id: string, type: string, second: number, more: object) => ({
  ...{ id, traceId: "t1", type, name: id, startTime: `2026-05-01T08:00:0${second}.000Z` },
  ...more,
});
const generation = (id: string, second: number, input: unknown, output: unknown, more: object = {}) =>
  observed(id, "GENERATION", second, {
    ...{ model: "m1", input: JSON.stringify(input), output: JSON.stringify(output) },
    usageDetails: { input: 10, output: 2, total: 12 },
    ...more,
  });
const attributes = (given: object) => ({ metadata: JSON.stringify({ attributes: given }) });

function eventsOf(...observations: readonly object[]): Event[] {
  const bytes = Buffer.from(JSON.stringify({ trace: { id: "t1", name: "n" }, observations }));
  const drafts = langfuse.parse(
    { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 },
    langfuse.start({ path: "/t.json", head: bytes, sidecars: new Map() }),
  );
  return drafts.flatMap((draft): Event[] => {
    if (draft.kind !== "event") return [];
    const { body } = draft;
    if (body.type === "tool_call") return [{ type: body.type, id: body.toolCallId, name: body.toolName }];
    if (body.type === "tool_result") return [{ type: body.type, id: body.toolCallId, text: body.text }];
    return [{ type: body.type, text: "text" in body ? body.text : "" }];
  });
}

const call = (id: string, name: string): Event => ({ type: "tool_call", id, name });
const result = (id: string, text: string): Event => ({ type: "tool_result", id, text });
const user = (text: string): Event => ({ type: "user", text });
const answer = (text: string): Event => ({ type: "assistant", text });
const system = (text: string): Event => ({ type: "system", text });
const tools = (text: string): Event => ({ type: "meta", text });

const question = { role: "user", content: "How high is the tide?" };

test("items of OpenAI's Responses are calls and results; the answer has the instructions and the tools", () => {
  const asking = { type: "function_call", id: "fc_1", call_id: "c1", name: "tide", arguments: '{"port":"Emden"}' };
  const definition = { type: "function", name: "tide", parameters: {} };
  const response = (output: readonly object[]) => ({
    ...{ id: "resp_1", object: "response", instructions: "Be brief.", tools: [definition], output },
  });
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Ask the tool." }] };
  const text = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Three metres." }] };
  const told = [question, thought, asking, { type: "function_call_output", call_id: "c1", output: "3 metres" }];
  expect(
    eventsOf(
      generation("g2", 3, told, response([text])),
      generation("g1", 1, [question], response([thought, asking])),
      observed("tide", "TOOL", 2, { input: '{"port":"Emden"}', output: "3 metres" }),
    ),
  ).toEqual([
    tools(JSON.stringify([definition])),
    system("Be brief."),
    user("How high is the tide?"),
    { type: "reasoning", text: "Ask the tool." },
    call("c1", "tide"),
    result("c1", "3 metres"),
    answer("Three metres."),
  ]);
});

test("Koog writes calls as the text of a tool's message, and results without an id", () => {
  const asking = (id: string, name: string) => ({
    role: "tool",
    content: JSON.stringify([{ id, type: "function", function: { name, arguments: "{}" } }]),
  });
  const span = (id: string, name: string, output: string) =>
    observed(`tool.${name}`, "SPAN", 2, {
      ...{ id: name, output },
      ...attributes({ "gen_ai.tool.name": name, "gen_ai.tool.call.id": id }),
    });
  const told = [question, asking("c1", "tide"), { role: "tool", content: "3 metres" }, asking("c2", "wind")];
  expect(
    eventsOf(
      generation("g1", 1, [question], [asking("c1", "tide"), asking("c2", "wind")]),
      span("c2", "wind", "4 knots"),
      span("c1", "tide", "3 metres"),
      generation("g2", 3, [...told, { role: "tool", content: "4 knots" }], [{ role: "assistant", content: "Done." }]),
    ),
  ).toEqual([
    user("How high is the tide?"),
    call("c1", "tide"),
    call("c2", "wind"),
    result("c2", "4 knots"),
    result("c1", "3 metres"),
    answer("Done."),
  ]);
});

test("results are of equal calls in the order of time, and a history that says nothing is no message", () => {
  const asking = (id: string, port: string) => ({
    ...{ role: "assistant", content: [{ type: "tool_use", id, name: "tide", input: { port } }] },
  });
  expect(
    eventsOf(
      generation("g3", 2, { content: "role" }, asking("c2", "Husum")),
      generation("g2", 1, { content: "role" }, asking("c1", "Emden")),
      observed("t2", "TOOL", 4, { name: "tide", output: "Husum: 2" }),
      generation("g1", 0, question, { role: "assistant", content: "I look." }),
      observed("t1", "TOOL", 3, { name: "tide", output: "Emden: 3" }),
    ),
  ).toEqual([
    user("How high is the tide?"),
    answer("I look."),
    call("c1", "tide"),
    call("c2", "tide"),
    result("c1", "Emden: 3"),
    result("c2", "Husum: 2"),
  ]);
});

test("Google's calls have no id: name and number are one, also where the id is the name", () => {
  const asking = { role: "model", parts: [{ function_call: { name: "tide", args: {} } }] };
  const told = { role: "user", parts: [{ function_response: { name: "tide", response: { metres: 3 } } }] };
  const hello = { role: "user", parts: [{ text: "Hello" }] };
  const config = { system_instruction: "Be brief.", tools: [{ function_declarations: [{ name: "tide" }] }] };
  const own = attributes({ "gen_ai.tool.name": "tide", "gen_ai.tool.call.id": "adk-1" });
  expect(
    eventsOf(
      generation(
        "g2",
        3,
        { config, contents: [hello, asking, told, asking, told] },
        { content: { role: "model", parts: [{ text: "Three." }] } },
      ),
      generation("g1", 1, { config, contents: [hello] }, { content: asking }),
      observed("execute_tool tide", "TOOL", 2, { input: "{}", output: "{}", ...own }),
    ),
  ).toEqual([
    tools(JSON.stringify(config.tools)),
    system("Be brief."),
    user("Hello"),
    call("tide-1", "tide"),
    result("tide-1", '{"metres":3}'),
    call("tide-2", "tide"),
    result("tide-2", '{"metres":3}'),
    answer("Three."),
  ]);

  const named = { role: "assistant", parts: [{ type: "tool_call", id: "tide", name: "tide", arguments: {} }] };
  const secret = { type: "Microsoft.Extensions.AI.TextReasoningContent", content: { text: "", protectedData: "x" } };
  const response = { role: "tool", parts: [{ type: "tool_call_response", id: "tide", response: "3" }] };
  const system_instructions = JSON.stringify([{ type: "text", content: "Be brief." }]);
  expect(
    eventsOf(
      generation("g1", 1, [question], [{ ...named, parts: [...named.parts, secret] }], {
        ...attributes({ "gen_ai.system_instructions": system_instructions, "gen_ai.tool.definitions": '[{"a":1}]' }),
      }),
      generation("g2", 2, [question, named, response, named, response], "Three."),
    ),
  ).toEqual([
    tools('[{"a":1}]'),
    system("Be brief."),
    user("How high is the tide?"),
    call("tide-1", "tide"),
    result("tide-1", "3"),
    call("tide-2", "tide"),
    result("tide-2", "3"),
    answer("Three."),
  ]);
});

test("calls without an id are told apart by their arguments, also where only the last messages are sent", () => {
  const asking = (port: string) => ({ role: "model", parts: [{ function_call: { name: "tide", args: { port } } }] });
  const told = (metres: number) => ({
    role: "user",
    parts: [{ function_response: { name: "tide", response: { metres } } }],
  });
  const content = { role: "model", parts: [{ text: "Done." }] };
  expect(
    eventsOf(
      generation("g1", 1, { contents: [] }, { content: asking("Emden") }),
      generation("g2", 2, { contents: [asking("Emden"), told(3)] }, { content: asking("Husum") }),
      generation("g3", 3, { contents: [asking("Husum"), told(2)] }, { content: asking("Kiel") }),
      generation("g4", 4, { contents: [asking("Husum"), told(2), asking("Kiel"), told(1)] }, { content }),
    ),
  ).toEqual([
    call("tide-1", "tide"),
    result("tide-1", '{"metres":3}'),
    call("tide-2", "tide"),
    result("tide-2", '{"metres":2}'),
    call("tide-3", "tide"),
    result("tide-3", '{"metres":1}'),
    answer("Done."),
  ]);
});

test("equal calls without an id are each their own, also where only the last messages are sent", () => {
  const asking = (name: string) => ({ role: "model", parts: [{ function_call: { name, args: {} } }] });
  const told = (name: string, metres: number) => ({
    role: "user",
    parts: [{ function_response: { name, response: { metres } } }],
  });
  const content = { role: "model", parts: [{ text: "Done." }] };
  const [tide, wind] = [asking("tide"), asking("wind")];
  expect(
    eventsOf(
      generation("g1", 1, { contents: [] }, { content: tide }),
      generation("g2", 2, { contents: [tide, told("tide", 1)] }, { content: tide }),
      generation("g3", 3, { contents: [tide, told("tide", 2)] }, { content: wind }),
      generation("g4", 4, { contents: [tide, told("tide", 2), wind, told("wind", 3)] }, { content: tide }),
      generation("g5", 5, { contents: [wind, told("wind", 3), tide, told("tide", 4)] }, { content }),
    ),
  ).toEqual([
    call("tide-1", "tide"),
    result("tide-1", '{"metres":1}'),
    call("tide-2", "tide"),
    result("tide-2", '{"metres":2}'),
    call("wind-1", "wind"),
    result("wind-1", '{"metres":3}'),
    call("tide-3", "tide"),
    result("tide-3", '{"metres":4}'),
    answer("Done."),
  ]);
});

test("calls of the AI SDK stand alone in an answer, and its tools beside it", () => {
  const calls = [{ toolCallId: "c1", toolName: "tide", input: '{"port":"Emden"}' }];
  const beside = { metadata: JSON.stringify({ tools: ['{"name":"tide"}'] }) };
  expect(
    eventsOf(
      generation("g0", 0, { prompt: "How high?" }, calls),
      generation("g1", 1, [{ role: "user", content: [{ type: "text", text: "How high?" }] }], calls, {
        ...{ parentObservationId: "g0" },
        ...beside,
      }),
      observed("tide", "TOOL", 2, {
        parentObservationId: "g0",
        output: "3",
        ...attributes({ "ai.toolCall.id": "c1" }),
      }),
    ),
  ).toEqual([tools('[{"name":"tide"}]'), user("How high?"), call("c1", "tide"), result("c1", "3")]);
});

test("a conversation as one text, and a function that was called with it", () => {
  const talk = "system: Be brief.\nuser: How high?\nassistant: Where?\nuser: In Emden:\nat noon";
  expect(eventsOf(generation("g1", 1, null, "Three.", { input: talk }))).toEqual([
    system("Be brief."),
    user("How high?"),
    answer("Where?"),
    user("In Emden:\nat noon"),
    answer("Three."),
  ]);
  expect(eventsOf(generation("g1", 1, { args: ["How high?"] }, "Three."))).toEqual([
    user("How high?"),
    answer("Three."),
  ]);
  expect(eventsOf(generation("g1", 1, { args: [{ a: 1 }] }, "Three."))[0]).toEqual(user('{"args":[{"a":1}]}'));
});
