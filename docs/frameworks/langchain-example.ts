// An agent on LangChain with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/langchain-example.ts
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { plimsollMiddleware } from "#lib/client/langchain-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const listOrders = tool(
  ({ year }) => JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 }))),
  { name: "list_orders", description: "Lists all orders", schema: z.object({ year: z.number() }) },
);

const session = { id: "langchain" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: `${MODEL_URL}/v1` } }),
  systemPrompt: "You keep the harbour's books.",
  tools: [listOrders],
  middleware: [plimsollMiddleware(kit)],
});
const { messages } = await agent.invoke({ messages: "Which order of 2026 is the largest?" });
console.log(messages.at(-1)!.text);
await recorder.close();
