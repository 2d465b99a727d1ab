/** `plimsoll/ai`: the Vercel AI SDK. Tools, a language model middleware, telemetry. docs/frameworks/ai-sdk.md has an example. */
import { jsonSchema } from "ai";
import type { LanguageModelMiddleware, LanguageModelUsage, ModelMessage, Telemetry, Tool, ToolSet } from "ai";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { ArtifactKit, CallOfTool } from "./artifact-kit.ts";
import type { SentMessage } from "./conversation.ts";
import { offloadModelOutput, readToolsOf } from "./framework-tools.ts";

export { memoryMiddleware } from "./history/ai-memory-middleware.ts";
export type { CompactionReport, MemoryOptions } from "./history/history-memory.ts";

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** The tools with their outputs offloaded, and the tools that read artifacts back. Others' `toModelOutput` comes first. */
export function wrapTools<T extends ToolSet>(tools: T, kit: ArtifactKit): T & ToolSet {
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, wrapTool(name, tool, kit)] as const);
  return { ...(Object.fromEntries(wrapped) as T), ...artifactTools(kit) };
}

/** The tools that read artifacts back, as the SDK's own. */
export function artifactTools(kit: ArtifactKit): ToolSet {
  const tools = readToolsOf(kit).map(({ name, description, schema, run }) => {
    const inputSchema = jsonSchema<unknown>(schema as Parameters<typeof jsonSchema>[0]);
    return [name, { description, inputSchema, execute: (input: unknown) => run(input) } as Tool] as const;
  });
  return Object.fromEntries(tools);
}

function wrapTool(toolName: string, tool: Tool, kit: ArtifactKit): Tool {
  const { execute, toModelOutput } = tool;
  if (toModelOutput !== undefined) {
    const seen = offloadOnce(kit);
    const convert: NonNullable<Tool["toModelOutput"]> = async (of) =>
      seen(await toModelOutput.call(tool, of), { toolName, toolCallId: of.toolCallId, input: of.input });
    return { ...tool, toModelOutput: convert } as Tool;
  }
  if (execute === undefined) return tool;
  const run: NonNullable<Tool["execute"]> = (input, options) => {
    const offload = async (output: unknown): Promise<unknown> =>
      (await kit.offload(output, { toolName, toolCallId: options?.toolCallId, input })).output;
    const result: unknown = execute.call(tool, input, options);
    if (typeof result === "object" && result !== null && Symbol.asyncIterator in result)
      return withLast(result as AsyncIterable<unknown>, offload);
    return Promise.resolve(result).then(offload);
  };
  return { ...tool, execute: run } as Tool;
}

/** Pieces as they come; the last one is the output. */
async function* withLast(pieces: AsyncIterable<unknown>, offload: (output: unknown) => Promise<unknown>) {
  let last: { readonly piece: unknown } | null = null;
  for await (const piece of pieces) {
    if (last !== null) yield last.piece;
    last = { piece };
  }
  if (last !== null) yield offload(last.piece);
}

/** Offloads results that nobody wrapped (MCP tools, histories) in each prompt: a result always becomes the same envelope. */
export function artifactMiddleware(kit: ArtifactKit): LanguageModelMiddleware {
  const seen = offloadOnce(kit);
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const prompt = params.prompt.map(async (message) => {
        if (message.role !== "tool") return message;
        const content = message.content.map(async (part) =>
          part.type === "tool-result"
            ? { ...part, output: (await seen(part.output as ModelOutput, part)) as typeof part.output }
            : part,
        );
        return { ...message, content: await Promise.all(content) };
      });
      return { ...params, prompt: await Promise.all(prompt) };
    },
  };
}

function offloadOnce(kit: ArtifactKit): (output: ModelOutput, call: CallOfTool) => Promise<ModelOutput> {
  const known = new Map<string | undefined, Promise<ModelOutput>>();
  return (output, call) => {
    const before = known.get(call.toolCallId);
    if (before !== undefined) return before;
    const now = offloadModelOutput(output, call, kit);
    known.set(call.toolCallId, now);
    return now;
  };
}

/** Records every call of a model, with the provider's count: `telemetry: { integrations: [plimsollTelemetry(kit)] }`. */
export function plimsollTelemetry(kit: ArtifactKit): Telemetry {
  return {
    onLanguageModelCallStart({ instructions, messages }) {
      const system = instructions === undefined ? [] : [instructions].flat().map(systemOf);
      kit.conversation?.sent([...system, ...messages.flatMap(sentOf)]);
    },
    onLanguageModelCallEnd({ content, modelId, usage }) {
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const reasoning = content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
      const toolCalls = content.flatMap((part) =>
        part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input as unknown }] : [],
      );
      kit.conversation?.answered({ text, reasoning, toolCalls, model: modelId, usage: usageOf(usage) });
    },
  };
}

const systemOf = (one: string | { readonly content: string }): SentMessage => ({
  role: "system",
  text: typeof one === "string" ? one : one.content,
});

function sentOf(message: ModelMessage): SentMessage[] {
  const { role, content } = message;
  if (typeof content === "string") return role === "tool" ? [] : [{ role, text: content }];
  const sent: SentMessage[] = [];
  for (const part of content) {
    if (part.type === "text" && role !== "tool") sent.push({ role, text: part.text });
    if (part.type !== "tool-result") continue;
    const value = "value" in part.output ? part.output.value : "";
    sent.push({
      ...{ role: "tool", id: part.toolCallId, name: part.toolName, text: textOfValue(value) },
      isError: part.output.type.startsWith("error"),
    });
  }
  return sent;
}

function usageOf({
  inputTokens = 0,
  inputTokenDetails: input,
  outputTokens = 0,
  outputTokenDetails: output,
}: LanguageModelUsage) {
  const cacheRead = input.cacheReadTokens ?? 0;
  const cacheWrite = input.cacheWriteTokens ?? 0;
  const inputUncached = input.noCacheTokens ?? Math.max(0, inputTokens - cacheRead - cacheWrite);
  return { inputUncached, cacheRead, cacheWrite, output: outputTokens, reasoning: output.reasoningTokens ?? 0 };
}
