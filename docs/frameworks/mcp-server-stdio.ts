// An MCP server with Plimsoll, on standard input and output. Run: PLIMSOLL_URL=… PLIMSOLL_TOKEN=… node docs/frameworks/mcp-server-stdio.ts
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { connectKit } from "#lib/client/index.ts";
import { wrapServer } from "#lib/client/mcp-entry.ts";

const { PLIMSOLL_URL, PLIMSOLL_TOKEN } = process.env as Record<string, string>;
const { kit } = await connectKit({ url: PLIMSOLL_URL!, token: PLIMSOLL_TOKEN!, session: { id: "mcp-server" } });
const server = wrapServer(new McpServer({ name: "harbour", version: "1.0.0" }), kit);

const inputSchema = z.object({ year: z.number() });
server.registerTool("list_orders", { description: "Lists all orders", inputSchema }, async ({ year }) => {
  const orders = Array.from({ length: 2000 }, (_, id) => ({ id, year, total: (id * 37) % 500 }));
  return { content: [{ type: "text", text: JSON.stringify(orders) }] };
});
await server.connect(new StdioServerTransport());
