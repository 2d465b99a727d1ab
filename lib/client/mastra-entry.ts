/** `plimsoll/mastra`: Mastra. Tools of its agents; models are recorded at the wire. docs/frameworks/mastra.md has an example. */
import { createTool, isValidationError, type ToolAction, type ToolExecutionContext } from "@mastra/core/tools";
import type { ArtifactKit } from "./artifact-kit.ts";
import { offloadModelOutput, readToolsOf } from "./framework-tools.ts";

export { memoryFetch } from "./history/memory-fetch.ts";
export type { CompactionReport, MemoryOptions } from "./history/history-memory.ts";
export { recordingFetch } from "./recording-fetch.ts";

// Tools of any input, output and context.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyTool = ToolAction<any, any, any, any, any, any, any>;
type Tools = Record<string, AnyTool>;

/** The tools with their outputs offloaded, and the tools that read artifacts back. Others' `toModelOutput` comes first. */
export function wrapTools<T extends Tools>(tools: T, kit: ArtifactKit): T & Tools {
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, wrapTool(name, tool, kit)] as const);
  return { ...(Object.fromEntries(wrapped) as T), ...artifactTools(kit) };
}

/** The tools that read artifacts back, as Mastra's own. */
export const artifactTools = (kit: ArtifactKit): Tools =>
  Object.fromEntries(
    readToolsOf(kit).map(({ name, description, schema, run }) => {
      const tool = createTool({ id: name, description, inputSchema: schema as never, execute: (input) => run(input) });
      return [name, tool as AnyTool] as const;
    }),
  );

/** What a workflow's step returns is for no model: it stays whole. A suspended call has returned nothing yet. */
function wrapTool(toolName: string, tool: AnyTool, kit: ArtifactKit): AnyTool {
  const { execute, toModelOutput } = tool;
  if (toModelOutput !== undefined) {
    const convert: AnyTool["toModelOutput"] = async (output) => {
      const shown = (await toModelOutput.call(tool, output)) as ModelOutput | undefined;
      // Mastra gives no id here: the kit finds the call that waits for this tool.
      return offloadModelOutput(shown ?? asModelOutput(output), { toolName }, kit);
    };
    return copyWith(tool, { toModelOutput: convert });
  }
  if (execute === undefined) return tool;
  const run: AnyTool["execute"] = async (input, context) => {
    const output: unknown = await execute.call(tool, input, context);
    const { agent, workflow } = (context ?? {}) as Partial<ToolExecutionContext>;
    if (output === undefined || (agent === undefined && workflow !== undefined)) return output;
    const call = { toolName, toolCallId: agent?.toolCallId, input: input as unknown };
    return (await kit.offload(output, { ...call, isError: isValidationError(output) })).output;
  };
  // The tool itself has checked its output by now: an envelope is not of its schema.
  return copyWith(tool, { execute: run, outputSchema: undefined });
}

type ModelOutput = { readonly type: string; readonly value?: unknown };

/** As Mastra shows an output to a model by itself. */
const asModelOutput = (value: unknown): ModelOutput => ({ type: typeof value === "string" ? "text" : "json", value });

/** Mastra knows tools by their class. */
const copyWith = (tool: AnyTool, changes: { [K in keyof AnyTool]?: AnyTool[K] | undefined }): AnyTool =>
  Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as AnyTool, tool, changes);
