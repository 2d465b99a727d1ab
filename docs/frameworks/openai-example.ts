// A tool runner on OpenAI's SDK with Plimsoll. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… MODEL_URL=… node docs/frameworks/openai-example.ts
import OpenAI from "openai";
import { connectKit } from "#lib/client/index.ts";
import { recordingFetch, wrapTools } from "#lib/client/openai-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN, MODEL_URL } = process.env as Record<string, string>;
const listOrders = {
  type: "function" as const,
  function: {
    name: "list_orders",
    description: "Lists all orders",
    parameters: { type: "object" as const, properties: { year: { type: "number" as const } } },
    parse: JSON.parse,
    function: ({ year }: { year: number }) =>
      Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 })),
  },
};

const { kit, recorder } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session: { id: "openai" } });
const client = new OpenAI({ baseURL: `${MODEL_URL}/v1`, apiKey: "none", fetch: recordingFetch(kit) });
const runner = client.chat.completions.runTools({
  model: "gpt-5",
  messages: [
    { role: "system", content: "You keep the harbour's books." },
    { role: "user", content: "Which order of 2026 is the largest?" },
  ],
  tools: wrapTools([listOrders], kit),
});
console.log(await runner.finalContent());
await recorder.close();
