// A tool that an agent author hands to a model: a name, a JSON Schema, and a text as its answer.
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import type { BoundedTool } from "#lib/kernel/tools/bounded-tool.ts";

export type ArtifactTool<Answer = string | Promise<string>> = BoundedTool & {
  readonly description: string;
  /** JSON Schema of the arguments; nothing that it does not name is taken. */
  readonly parameters: Readonly<Record<string, unknown>>;
  execute(input: unknown): Answer;
};

/** A tool from the schema of its arguments and what it does with them. */
export function artifactTool<T, Answer>(
  name: string,
  description: string,
  input: z.ZodType<T>,
  run: (input: T) => Answer,
): ArtifactTool<Answer> {
  const { $schema: _, ...parameters } = z.toJSONSchema(input);
  const parse = (given: unknown): T => {
    const parsed = input.safeParse(given);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return fail("invalid", `${name}: ${issue?.path.join(".") || "arguments"}: ${issue?.message}`);
  };
  return { name, description, parameters, parse, execute: (given) => run(parse(given)) };
}
