// The tools that read artifacts back, as every adapter gives them to its framework.
import { modelOutputOf } from "#lib/kernel/tools/model-output.ts";
import type { ArtifactKit } from "./artifact-kit.ts";
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
