// MCP on standard input and output: one client, until it closes its end.
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { McpHost } from "./mcp-host.ts";
import { createMcpServer } from "./plimsoll-mcp.ts";

/** Serves until the client goes away. Nothing but frames may be written to standard output meanwhile. */
export function serveMcpStdio(host: McpHost, onError: (error: Error) => void): Promise<void> {
  const { stdin, stdout } = process;
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: 2 * LIMITS.toolRequestBytes });
  serveStdio(() => createMcpServer(host), { transport, onerror: onError });
  return new Promise((resolve) => stdin.once("close", () => resolve()));
}
