// An agent on OpenAI's Agents SDK with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/openai-agents-example.ts
import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { recordingFetch, wrapAgentTools } from "#lib/client/openai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
// The SDK's own tracing would send to OpenAI.
setTracingDisabled(true);
const listOrders = tool({
  name: "list_orders",
  description: "Lists all orders",
  parameters: z.object({ year: z.number() }),
  execute: ({ year }) =>
    JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 }))),
});

const session = { id: "openai-agents" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const client = new OpenAI({ baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch: recordingFetch(kit) });
const agent = new Agent({
  name: "Bookkeeper",
  instructions: "You keep the harbour's books.",
  model: new OpenAIResponsesModel(client, "gpt-5"),
  tools: wrapAgentTools([listOrders], kit),
});
const result = await run(agent, "Which order of 2026 is the largest?");
console.log(result.finalOutput);
await recorder.close();
