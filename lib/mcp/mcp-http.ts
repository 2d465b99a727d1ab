// MCP over HTTP: each request is a whole exchange, answered by a server of its own, so that two clients share nothing. What a
// client may do was decided by the gate in front.
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { McpHost } from "./mcp-host.ts";
import { createMcpServer } from "./plimsoll-mcp.ts";

export function createMcpHttp(onError: (error: Error) => void): Fetch {
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.["host"] as McpHost),
    { onerror: onError, maxRequestBodySize: LIMITS.toolRequestBytes },
  );
  return (request, host, clientId) =>
    handler.fetch(request, { authInfo: { token: "", clientId, scopes: [], extra: { host } } });
}

/** Answers one request for its client. */
export type Fetch = (request: Request, host: McpHost, clientId: string) => Promise<Response>;
