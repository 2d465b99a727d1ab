// A loop on OpenAI's Responses with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/openai-responses-example.ts
import OpenAI from "openai";
import { connectKit } from "#lib/client/index.ts";
import { answerCalls, recordingFetch, responsesTools } from "#lib/client/openai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const listOrders: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "list_orders",
  description: "Lists all orders",
  parameters: { type: "object", properties: { year: { type: "number" } } },
  strict: false,
};
const functions = {
  list_orders: ({ year }: { year: number }) =>
    Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 })),
};

const session = { id: "openai-responses" };
const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session });
const client = new OpenAI({ baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch: recordingFetch(kit) });
const instructions = "You keep the harbour's books.";
const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Which order of 2026 is the largest?" }];
for (;;) {
  const tools = [listOrders, ...responsesTools(kit)];
  const response = await client.responses.create({ model: "gpt-5", instructions, input, tools });
  const results = await answerCalls(response.output, functions, kit);
  input.push(...(response.output as OpenAI.Responses.ResponseInput), ...results);
  if (results.length > 0) continue;
  console.log(response.output_text);
  break;
}
await recorder.close();
