import { expect, test } from "vitest";
import type { KeptRequest, Script } from "./script-types.ts";
import { startModel } from "./scripted-model.ts";

const SCRIPT: Script = {
  markers: { child: "CHILD" },
  asides: [{ words: "make a summary", step: { text: "A summary." } }],
  lanes: {
    main: [
      { thinking: "Hm.", text: "First.", tools: [{ name: "Bash", input: { command: "ls" }, writes: "a\n" }] },
      { status: 529 },
      { text: "Second." },
      { text: "Never.", delayMs: 60_000 },
    ],
    child: [{ text: "From the child." }],
  },
};

async function withModel(use: (url: string, kept: KeptRequest[]) => Promise<void>): Promise<void> {
  const kept: KeptRequest[] = [];
  const model = await startModel(SCRIPT, (request) => kept.push(request));
  try {
    await use(model.url, kept);
  } finally {
    await model.close();
  }
}

const post = (url: string, path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(url + path, { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) });

const requestBody = (content: string, more: object = {}) => ({
  model: "m",
  stream: true,
  tools: [{ name: "Bash" }],
  messages: [{ role: "user", content }],
  ...more,
});

/** The data of each event of a stream. */
const eventsOf = (text: string): { type: string }[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as { type: string });

test("it answers in the order of its script, and keeps each request as it came with what it charged", () =>
  withModel(async (url, kept) => {
    const events = eventsOf(await (await post(url, "/v1/messages?beta=true", requestBody("go"))).text());
    expect(events.at(0)).toMatchObject({ type: "message_start", message: { usage: { output_tokens: 1 } } });
    const deltas = events.filter(({ type }) => type === "content_block_delta");
    expect(deltas).toMatchObject([
      { delta: { thinking: "Hm." } },
      { delta: { type: "signature_delta" } },
      { delta: { text: "First." } },
      { delta: { partial_json: '{"command":"ls"}' } },
    ]);
    expect(events.at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "tool_use" } });
    expect((await post(url, "/v1/messages", requestBody("go"))).status).toBe(529);
    await (await post(url, "/v1/messages", requestBody("go"))).text();
    expect(kept.map(({ n, lane, answer }) => [n, lane, answer?.status])).toEqual([
      [1, "main", 200],
      [2, "main", 529],
      [3, "main", 200],
    ]);
    expect(kept[0]!.body).toEqual(requestBody("go"));
    const [{ answer }] = kept as [KeptRequest];
    expect(answer!.toolCalls[0]!.tool.writes).toBe("a\n");
    expect(answer!.usage).toMatchObject({ uncached: expect.any(Number), reasoning: 1, output: expect.any(Number) });
    expect(new Set(kept.map((one) => one.answer!.id)).size).toBe(3);
  }));

test("a lane has its own order; the agent's own prompts and those without tools take no turn", () =>
  withModel(async (url, kept) => {
    for (const body of [
      requestBody("CHILD, look"),
      requestBody("now make a summary"),
      requestBody("a title?", { tools: [] }),
      requestBody("go"),
    ])
      await (await post(url, "/v1/messages", { ...body, stream: false })).json();
    expect(kept.map(({ lane }) => lane)).toEqual(["child", "aside", "side", "main"]);
  }));

test("Responses are streamed with the items whole at their ends", () =>
  withModel(async (url, kept) => {
    const body = { model: "m", stream: true, tools: [{ name: "Bash" }], input: [{ role: "user", content: "go" }] };
    const events = eventsOf(await (await post(url, "/v1/responses", body)).text());
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done).toMatchObject([
      { item: { type: "reasoning" } },
      { item: { type: "message", content: [{ text: "First." }] } },
      { item: { type: "function_call", arguments: '{"command":"ls"}' } },
    ]);
    const { uncached, output } = kept[0]!.answer!.usage;
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { usage: { input_tokens: uncached, output_tokens: output, total_tokens: uncached + output } },
    });
    expect(kept[0]!.answer!.itemIds).toHaveLength(3);
  }));

test("a chat completion and Gemini's answer say the same", () =>
  withModel(async (url, kept) => {
    const chat = { model: "m", stream: true, tools: [{}], messages: [{ role: "user", content: "go" }] };
    const events = eventsOf((await (await post(url, "/v1/chat/completions", chat)).text()).replace("data: [DONE]", ""));
    expect(events[0]).toMatchObject({
      choices: [{ delta: { content: "First.", tool_calls: [{ function: { arguments: '{"command":"ls"}' } }] } }],
    });
    expect(events.at(-1)).toMatchObject({ usage: { prompt_tokens: kept[0]!.answer!.usage.uncached } });
    const path = "/v1beta/models/m:generateContent";
    const gemini = { tools: [{}], contents: [{ role: "user", parts: [{ text: "CHILD" }] }] };
    expect(await (await post(url, path, gemini)).json()).toMatchObject({
      candidates: [{ content: { parts: [{ text: "From the child." }] } }],
      usageMetadata: { promptTokenCount: expect.any(Number) },
    });
  }));

test("an agent that goes away before its answer is kept without one", () =>
  withModel(async (url, kept) => {
    for (let i = 0; i < 3; i++) await (await post(url, "/v1/messages", requestBody("go"))).text();
    const leave = new AbortController();
    const answer = post(url, "/v1/messages", requestBody("go"), leave.signal);
    setTimeout(() => leave.abort(), 100);
    await expect(answer).rejects.toThrow("abort");
    await expect.poll(() => kept.at(-1)).toMatchObject({ n: 4, answer: null });
  }));

test("what it does not know is refused, and charges nothing", () =>
  withModel(async (url, kept) => {
    expect((await post(url, "/v1/files", {})).status).toBe(404);
    expect(await (await post(url, "/v1/messages/count_tokens", { messages: [] })).json()).toMatchObject({
      input_tokens: 4,
    });
    expect(kept).toEqual([]);
  }));
