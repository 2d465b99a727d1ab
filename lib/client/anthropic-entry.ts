/** `plimsoll/anthropic`: Anthropic's SDK, its tool runner and loops of your own. docs/frameworks/anthropic.md has an example. */
import type { BetaRunnableTool, BetaToolRunContext } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { ArtifactKit } from "./artifact-kit.ts";
import { readToolsOf } from "./framework-tools.ts";

export { memoryFetch } from "./history/memory-fetch.ts";
export type { CompactionReport, MemoryOptions } from "./history/history-memory.ts";
export { recordingFetch } from "./recording-fetch.ts";

/** Tools of `client.beta.messages.toolRunner` with their outputs offloaded, and the tools that read artifacts back. */
export function wrapTools(tools: readonly BetaRunnableTool[], kit: ArtifactKit): BetaRunnableTool[] {
  return [...tools.map((tool) => wrapTool(tool, kit)), ...artifactTools(kit)];
}

/** The tools that read artifacts back, as the SDK's own. */
export const artifactTools = (kit: ArtifactKit): BetaRunnableTool[] =>
  readToolsOf(kit).map(({ name, description, schema, run }) => ({
    ...{ type: "custom" as const, name, description, input_schema: schema },
    parse: (input: unknown) => input,
    run: (input: unknown) => run(input),
  }));

function wrapTool(tool: BetaRunnableTool, kit: ArtifactKit): BetaRunnableTool {
  const run = async (input: unknown, context?: BetaToolRunContext) => {
    const output = await tool.run(input, context);
    const call = { toolName: tool.name, toolCallId: context?.toolUse?.id, input };
    return (await kit.offload(output, call)).output as typeof output;
  };
  return { ...tool, run };
}
