// MCP (streamable HTTP) at /mcp: tools, resources and a prompt, as far as the caller's token goes.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession, sessionIdOf } from "#lib/archive/base/find-session.ts";
import { pinnedFor } from "#lib/archive/settings/access-token-rows.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { SHARED_SESSION, type McpHost } from "#lib/mcp/mcp-host.ts";
import type { Fetch } from "#lib/mcp/mcp-http.ts";
import { runTool, toolOf } from "#lib/tools/run-tool.ts";
import { toolQuery } from "#lib/wire/tools-schema.ts";
import { wholeBody } from "../body.ts";
import { post, type Call } from "../endpoint.ts";
import { covers, tokenIdOf, type Principal } from "../principal.ts";

export const mcpEndpoints = [
  post("/mcp", {
    // Each tool looks at the scope itself: most only read.
    scope: "read",
    bound: "query",
    query: toolQuery,
    bodyBytes: LIMITS.toolRequestBytes,
    async run(call) {
      const request = webRequest(call, await wholeBody(call.request));
      const answer = await (
        await mcpFetch()
      )(request, hostOf(call.archive, call.principal, call.query.session), call.principal.id);
      await send(answer, call.response);
    },
  }),
];

let fetching: Promise<Fetch> | null = null;

/** Loaded when the first client comes: a start of the server does not wait for the SDK (70 ms). */
const mcpFetch = (): Promise<Fetch> =>
  (fetching ??= import("#lib/mcp/mcp-http.ts").then(({ createMcpHttp }) =>
    createMcpHttp((error) => console.error(`MCP: ${error.message}`)),
  ));

/** `name`: the one session that the client is about. */
function hostOf(archive: Archive, principal: Principal, name?: string): McpHost {
  const session = name === undefined ? null : (sessionIdOf(archive, findSession(archive, name)) ?? null);
  const pinned = principal.kind === "token" ? pinnedFor(archive, tokenIdOf(principal)) : {};
  return {
    session,
    pinned,
    canWrite: covers(principal, "write"),
    use: (work) => work(archive),
    async callTool(name, input, signal) {
      // What is stored belongs to a session: to the client's own, or to the one that all unbound clients share.
      const own = session ?? (toolOf(name).writes ? (await createSession(archive, SHARED_SESSION)).id : undefined);
      return runTool(archive, name, input, { session: own, who: principal.id, signal }, pinned);
    },
  };
}

function webRequest({ request, signal }: Pick<Call, "request" | "signal">, bytes: Buffer): Request {
  const body = bytes.toString("utf8");
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return new Request(`http://${request.headers.host}${request.url}`, { method: "POST", headers, body, signal });
}

/** A client that goes away ends its answer. */
async function send(answer: Response, response: ServerResponse<IncomingMessage>): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  // The same object: TypeScript knows it by the browser's declaration, Node's function asks for its own.
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
}
