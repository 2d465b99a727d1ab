// A graph on LangGraph with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/langgraph-example.ts
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { recordingFetch, wrapTools } from "#lib/client/langchain-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const listOrders = tool(
  ({ year }) => JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 }))),
  { name: "list_orders", description: "Lists all orders", schema: z.object({ year: z.number() }) },
);

const session = { id: "langgraph" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const tools = wrapTools([listOrders], kit);
const configuration = { baseURL: `${MODEL_URL}/v1`, fetch: recordingFetch(kit) };
const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration }).bindTools(tools);
const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode("tools", new ToolNode(tools))
  .addEdge("__start__", "agent")
  .addConditionalEdges("agent", toolsCondition)
  .addEdge("tools", "agent")
  .compile();
const question = [
  new SystemMessage("You keep the harbour's books."),
  new HumanMessage("Which order of 2026 is the largest?"),
];
const { messages } = await graph.invoke({ messages: question });
console.log(messages.at(-1)!.text);
await recorder.close();
