/** `plimsoll/langchain`: LangChain and LangGraph. Middleware of `createAgent`, tools of graphs. docs/frameworks/langchain.md has examples. */
import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { tool, type StructuredToolInterface } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";
import type { ArtifactKit } from "./artifact-kit.ts";
import type { SentMessage } from "./conversation.ts";
import { readToolsOf } from "./framework-tools.ts";

export { memoryFetch } from "./history/memory-fetch.ts";
export { memoryMiddleware } from "./history/langchain-memory-middleware.ts";
export type { CompactionReport, MemoryOptions } from "./history/history-memory.ts";
export { recordingFetch } from "./recording-fetch.ts";

/** `createAgent({ middleware: [plimsollMiddleware(kit)] })`: offloads outputs, adds the tools that read them back, and records. */
export function plimsollMiddleware(kit: ArtifactKit): AgentMiddleware {
  const middleware: Pick<AgentMiddleware, "name" | "tools" | "wrapToolCall" | "wrapModelCall"> = {
    name: "plimsoll",
    tools: artifactTools(kit),
    async wrapToolCall(request, handler) {
      const { name, id, args } = request.toolCall;
      return offloadMessage(await handler(request), { toolName: name, toolCallId: id, input: args }, kit);
    },
    async wrapModelCall(request, handler) {
      const answer = await handler(request);
      if (kit.conversation === null) return answer;
      const system: SentMessage[] = request.systemPrompt ? [{ role: "system", text: request.systemPrompt }] : [];
      kit.conversation.sent([...system, ...request.messages.map(sentOf)]);
      if ("usage_metadata" in answer) recordAnswer(answer as AIMessage, kit);
      return answer;
    },
  };
  return middleware as AgentMiddleware;
}

/** Tools of a graph's `ToolNode` with their outputs offloaded, and the tools that read artifacts back. */
export function wrapTools(tools: readonly StructuredToolInterface[], kit: ArtifactKit): StructuredToolInterface[] {
  return [...tools.map((one) => wrapTool(one, kit)), ...artifactTools(kit)];
}

/** The tools that read artifacts back, as LangChain's own. */
export const artifactTools = (kit: ArtifactKit): StructuredToolInterface[] =>
  readToolsOf(kit).map(({ name, description, schema, run }) =>
    tool((input: unknown) => run(input), { name, description, schema: schema as never }),
  );

/** The tool itself, with another `invoke`: what else asks for it finds it as it is. */
function wrapTool(of: StructuredToolInterface, kit: ArtifactKit): StructuredToolInterface {
  const invoke: StructuredToolInterface["invoke"] = async (given, config) => {
    const output: unknown = await of.invoke(given, config);
    const { id, args = given } = (typeof given === "object" ? given : {}) as { id?: string; args?: unknown };
    return offloadMessage(output, { toolName: of.name, toolCallId: id, input: args }, kit);
  };
  return Object.create(of, { invoke: { value: invoke } }) as StructuredToolInterface;
}

type OfCall = { readonly toolName: string; readonly toolCallId?: string | undefined; readonly input: unknown };

/** A tool's message keeps everything but its words; a command of the graph, and what nobody sends to a model, stays. */
async function offloadMessage<T>(output: T, call: OfCall, kit: ArtifactKit): Promise<T> {
  if (typeof output !== "object" || output === null) return (await kit.offload(output, call)).output as T;
  if (!("tool_call_id" in output))
    return "lg_name" in output ? output : ((await kit.offload(output, call)).output as T);
  const message = output as unknown as ToolMessage;
  const { content } = message;
  const offloaded = await kit.offload({ content }, { ...call, isError: message.status === "error" });
  message.content = (offloaded.output as { content: typeof content }).content;
  return output;
}

function sentOf(message: BaseMessage): SentMessage {
  const { type, text } = message;
  if (type !== "tool") return { role: type === "ai" ? "assistant" : type === "system" ? "system" : "user", text };
  const { tool_call_id: id, name = "tool", status } = message as ToolMessage;
  return { role: "tool", id, name, text, isError: status === "error" };
}

function recordAnswer(
  { text, tool_calls = [], usage_metadata: usage, response_metadata }: AIMessage,
  kit: ArtifactKit,
): void {
  const cacheRead = usage?.input_token_details?.cache_read ?? 0;
  const cacheWrite = usage?.input_token_details?.cache_creation ?? 0;
  const model: unknown = response_metadata?.["model_name"] ?? response_metadata?.["model"];
  kit.conversation?.answered({
    text,
    toolCalls: tool_calls.map(({ id = "", name, args }) => ({ id, name, input: args })),
    model: typeof model === "string" ? model : undefined,
    usage: usage && {
      inputUncached: Math.max(0, usage.input_tokens - cacheRead - cacheWrite),
      ...{ cacheRead, cacheWrite, output: usage.output_tokens },
      reasoning: usage.output_token_details?.reasoning ?? 0,
    },
  });
}
