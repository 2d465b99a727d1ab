// What several adapters share: the tools that read artifacts back, and outputs as the AI SDK shows them to a model.
import { modelOutputOf } from "#lib/kernel/tools/model-output.ts";
import type { ArtifactKit, CallOfTool } from "./artifact-kit.ts";
import type { ArtifactTool } from "./artifact-tool.ts";

/** The schema is an object's; the answer is text, that of a refusal too. */
export type ReadTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: "object";
    readonly properties: Record<string, unknown>;
    readonly [key: string]: unknown;
  };
  readonly run: (input: unknown) => Promise<string>;
};

export const readToolsOf = (kit: ArtifactKit): readonly ReadTool[] => kit.tools.map(readToolOf);

function readToolOf(tool: ArtifactTool): ReadTool {
  const { name, description, parameters } = tool;
  return {
    name,
    description,
    schema: { properties: {}, ...parameters, type: "object" },
    async run(input) {
      // A model that asks wrongly is told what is wrong: it asks again.
      const answer: unknown = await Promise.resolve()
        .then(() => tool.execute(input))
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      // Not offloaded, and recorded when the history brings it back.
      return modelOutputOf(answer).text;
    },
  };
}

/** Of what `toModelOutput` returns in the AI SDK and in Mastra. An error stays an error, a list of blocks a list. */
export async function offloadModelOutput<T extends { readonly type: string; readonly value?: unknown }>(
  output: T,
  { toolName, toolCallId, input }: CallOfTool,
  kit: ArtifactKit,
): Promise<T> {
  if (output.type === "execution-denied") return output;
  const isError = output.type.startsWith("error");
  const call = { toolName, toolCallId, input, isError };
  if (output.type === "content") {
    const offloaded = await kit.offload({ content: output.value }, call);
    return { ...output, value: (offloaded.output as { content: unknown }).content };
  }
  const { output: changed, text } = await kit.offload(output.value, call);
  return changed === output.value ? output : ({ type: isError ? "error-text" : "text", value: text } as unknown as T);
}
