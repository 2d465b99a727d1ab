/** `plimsoll/openai`: OpenAI's SDK (chat completions, Responses) and its Agents SDK. docs/frameworks/openai.md has examples. */
import type { FunctionTool as AgentToolOf } from "@openai/agents";
import type { RunnableToolFunction } from "openai/lib/RunnableFunction";
import type { FunctionTool, ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { messageOf } from "#lib/kernel/tools/executed-call.ts";
import type { ArtifactKit } from "./artifact-kit.ts";
import { readToolsOf } from "./framework-tools.ts";

export { memoryFetch } from "./history/memory-fetch.ts";
export type { CompactionReport, MemoryOptions } from "./history/history-memory.ts";
export { recordingFetch } from "./recording-fetch.ts";

// Tools of any arguments and context.
// oxlint-disable-next-line typescript/no-explicit-any
type ChatTool = RunnableToolFunction<any>;
// oxlint-disable-next-line typescript/no-explicit-any
type AgentTool = AgentToolOf<any>;

/** Tools of `client.chat.completions.runTools` with their outputs offloaded, and the tools that read artifacts back. */
export function wrapTools(tools: readonly ChatTool[], kit: ArtifactKit): ChatTool[] {
  const readTools = readToolsOf(kit).map(({ name, description, schema, run }) => ({
    type: "function" as const,
    function: { name, description, parameters: schema, parse: JSON.parse, function: (input: unknown) => run(input) },
  }));
  return [...tools.map((tool) => wrapTool(tool, kit)), ...(readTools as unknown as ChatTool[])];
}

function wrapTool(tool: ChatTool, kit: ArtifactKit): ChatTool {
  const run = tool.function.function as (input: unknown, ...rest: unknown[]) => unknown;
  const { name = run.name } = tool.function;
  // The runner gives no id: the kit finds the call that waits for this tool.
  const wrapped = async (input: unknown, ...rest: unknown[]) =>
    (await kit.offload(await run(input, ...rest), { toolName: name, input })).output;
  return { ...tool, function: { ...tool.function, name, function: wrapped } };
}

/** The tools that read artifacts back, for `tools` of `client.responses.create`. */
export const responsesTools = (kit: ArtifactKit): FunctionTool[] =>
  readToolsOf(kit).map(({ name, description, schema }) => ({
    ...{ type: "function" as const, name, description, parameters: schema, strict: false },
  }));

/** Runs the function calls of a Responses answer: what goes into the next `input`, large outputs as envelopes. Never rejects. */
export function answerCalls(
  output: readonly ResponseOutputItem[],
  functions: Readonly<Record<string, (input: never) => unknown>>,
  kit: ArtifactKit,
): Promise<ResponseInputItem.FunctionCallOutput[]> {
  const readTools = new Map(readToolsOf(kit).map(({ name, run }) => [name, run]));
  const calls = output.filter((item) => item.type === "function_call");
  return Promise.all(
    calls.map(async ({ call_id, name, arguments: given }) => {
      const run = readTools.get(name) ?? (Object.hasOwn(functions, name) ? functions[name] : undefined);
      const text = await Promise.resolve()
        .then(async () => {
          if (run === undefined) throw new Error(`There is no function "${name.slice(0, 80)}".`);
          const input: unknown = JSON.parse(given || "{}");
          return (await kit.offload(await run(input as never), { toolName: name, toolCallId: call_id, input })).text;
        })
        .catch(messageOf);
      return { type: "function_call_output" as const, call_id, output: text };
    }),
  );
}

/** Function tools of the Agents SDK with their outputs offloaded, and the tools that read artifacts back. Others stay as they are. */
export function wrapAgentTools<T extends { readonly type: string }>(
  tools: readonly T[],
  kit: ArtifactKit,
): (T | AgentTool)[] {
  const wrapped = tools.map((tool) => (tool.type === "function" ? wrapAgentTool(tool as never, kit) : tool));
  const readTools = readToolsOf(kit).map(({ name, description, schema, run }): AgentTool => ({
    ...{ type: "function", name, description, strict: false },
    parameters: schema as unknown as AgentTool["parameters"],
    needsApproval: () => Promise.resolve(false),
    isEnabled: () => Promise.resolve(true),
    invoke: (_, input) => run(JSON.parse(input || "{}")),
  }));
  return [...wrapped, ...readTools];
}

function wrapAgentTool(tool: AgentTool, kit: ArtifactKit): AgentTool {
  const invoke: AgentTool["invoke"] = async (context, input, details) => {
    const output: unknown = await tool.invoke(context, input, details);
    const call = { toolName: tool.name, toolCallId: details?.toolCall?.callId, input };
    return (await kit.offload(output, call)).output;
  };
  return { ...tool, invoke };
}
