// Plimsoll as an MCP server, on the official SDK: tools, artifacts and sessions as resources, one prompt. One server is made
// for each request over HTTP, and one for each connection on standard input; nothing is kept between two of them.
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { isAppError } from "#lib/kernel/errors.ts";
import { VERSION } from "#lib/kernel/version.ts";
import { describeTools } from "#lib/tools/run-tool.ts";
import type { ToolDescription } from "#lib/wire/tools-schema.ts";
import type { McpHost } from "./mcp-host.ts";
import { getPrompt, PROMPTS } from "./mcp-prompts.ts";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./mcp-resources.ts";

const INSTRUCTIONS =
  "Plimsoll keeps recorded agent sessions and large tool outputs. An envelope with an artifact_id stands for a stored output: " +
  "artifact_grep, artifact_jq and artifact_read read parts of it. why_full says what filled the context of a session; " +
  "search_sessions lists sessions.";

/** A call that takes longer is told of once a second, where its client wants to know (milliseconds). */
const PROGRESS_MS = 1000;

export function createMcpServer(host: McpHost): Server {
  const server = new Server(
    { name: "plimsoll", title: "Plimsoll", version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolsOf(host).map(asMcpTool) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = toolsOf(host).find(({ name }) => name === params.name);
    if (tool === undefined) throw invalid(`There is no tool "${params.name.slice(0, 80)}" here.`);
    const { text, isError, structured } = await reporting(context, tool.title, () =>
      answering(() => host.callTool(tool.name, params.arguments ?? {}, context.mcpReq.signal)),
    );
    const result = {
      content: [{ type: "text" as const, text }],
      isError,
      ...(structured !== undefined && { structuredContent: structured }),
    };
    return server.projectCallToolResult(result, tool.outputSchema ?? undefined);
  });
  server.setRequestHandler("resources/list", ({ params }) =>
    answering(() => host.use((archive) => listResources(archive, host.session, params?.cursor))),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
  server.setRequestHandler("resources/read", ({ params }) =>
    answering(() => host.use((archive) => readResource(archive, host.session, params.uri))),
  );
  server.setRequestHandler("prompts/list", () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    answering(() => getPrompt(host, params.name, params.arguments ?? {}, context.mcpReq.signal)),
  );
  return server;
}

/** Other names of a tool are for hosts that know those designs: here each would cost every context its schema again. */
const toolsOf = ({ pinned, canWrite }: McpHost): ToolDescription[] =>
  describeTools(pinned).filter(({ aliasOf, writes }) => aliasOf === null && (canWrite || !writes));

function asMcpTool({ name, title, description, writes, inputSchema, outputSchema }: ToolDescription) {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    ...(outputSchema !== null && { outputSchema: { ...outputSchema, type: "object" as const } }),
    annotations: {
      title,
      readOnlyHint: !writes,
      destructiveHint: false,
      idempotentHint: !writes,
      openWorldHint: false,
    },
  };
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** What was asked wrongly is the client's to mend; all else is ours. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error)) throw invalid(error.message);
    throw error;
  }
}

/** Seconds that a call takes, once a second, to a client that gave a token for them. */
async function reporting<T>({ mcpReq }: ServerContext, title: string, work: () => Promise<T>): Promise<T> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    const params = { progressToken: token, progress: ++progress, message: `${title}: ${progress} s` };
    // A client that went away needs no progress.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
