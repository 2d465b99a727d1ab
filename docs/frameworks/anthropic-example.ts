// An agent on Anthropic's SDK with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/anthropic-example.ts
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { connectKit } from "#lib/client/index.ts";
import { recordingFetch, wrapTools } from "#lib/client/anthropic-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const listOrders = betaTool({
  name: "list_orders",
  description: "Lists all orders",
  inputSchema: { type: "object", properties: { year: { type: "number" } }, required: ["year"] },
  run: ({ year }) => JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 }))),
});

const { kit, recorder } = await connectKit({
  url: PLIMSOLL_URL!,
  token: PLIMSOLL_TOKEN!,
  session: { id: "anthropic" },
});
const client = new Anthropic({ baseURL: MODEL_URL!, apiKey: "none", fetch: recordingFetch(kit) });
const message = await client.beta.messages.toolRunner({
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  system: "You keep the harbour's books.",
  messages: [{ role: "user", content: "Which order of 2026 is the largest?" }],
  tools: wrapTools([listOrders], kit),
});
console.log(message.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
await recorder.close();
