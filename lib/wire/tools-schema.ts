// The tools over HTTP and the command line: what they are, and what a call answers.
import { z } from "zod";

export const toolDescription = z.object({
  name: z.string(),
  /** A label for people. */
  title: z.string(),
  aliasOf: z.string().nullable(),
  description: z.string(),
  writes: z.boolean(),
  /** JSON Schema of the input. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** JSON Schema of `structured`; null where the answer is text alone. */
  outputSchema: z.record(z.string(), z.unknown()).nullable(),
});
export type ToolDescription = z.infer<typeof toolDescription>;

export const toolsAnswer = z.object({ tools: z.array(toolDescription) });

/** `session` is the native id, the public id, or the beginning of one. */
export const toolQuery = z.object({ session: z.string().min(1).max(400).optional() });

/**
 * What a tool returns: a text, and of some tools the same as data. A question that could not be answered is `isError`, and its
 * text says why. `bytes` are those of the text.
 */
export const toolAnswer = z.object({
  text: z.string(),
  isError: z.boolean(),
  bytes: z.number(),
  structured: z.record(z.string(), z.unknown()).optional(),
});
export type ToolAnswer = z.infer<typeof toolAnswer>;

/** `GET /api/artifacts/{pointer}/grep`: options as on a command line, parted by blanks. */
export const grepQuery = z.object({
  pattern: z.string().max(1024),
  options: z.string().max(400).default(""),
});

export const grepAnswer = z.object({
  lines: z.array(
    z.object({ line: z.number(), text: z.string(), isContext: z.boolean(), cut: z.boolean(), start: z.number() }),
  ),
  matches: z.number(),
  omitted: z.number(),
  isCounted: z.boolean(),
  ms: z.number(),
});
export type GrepAnswer = z.infer<typeof grepAnswer>;

const flag = z.enum(["0", "1", "true", "false"]).transform((text) => text === "1" || text === "true");

/** `--arg` and `--argjson`: names with a text each, which of the latter is JSON. */
export const jqArguments = z.record(z.string().max(100), z.string().max(10_000));
/** The same in an address, as a JSON object. */
const argumentsText = z
  .string()
  .max(64 * 1024)
  .transform((text, context) => {
    try {
      return jqArguments.parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: "custom", message: 'is not a JSON object of names and texts, for example {"x":"1"}' });
      return z.NEVER;
    }
  });

/** `GET /api/artifacts/{pointer}/jq`; a longer program comes by POST with the same fields. */
export const jqQuery = z.object({
  program: z
    .string()
    .min(1)
    .max(64 * 1024),
  /** -r, -s, -n, -S; one value a line unless `compact` is 0. */
  raw: flag.default(false),
  slurp: flag.default(false),
  nullInput: flag.default(false),
  sortKeys: flag.default(false),
  compact: flag.default(true),
  args: argumentsText.default({}),
  jsonArgs: argumentsText.default({}),
  /** Waits longer than a person usually does. */
  long: flag.default(false),
});

export const jqRequest = z.strictObject({
  program: z
    .string()
    .min(1)
    .max(64 * 1024),
  raw: z.boolean().default(false),
  slurp: z.boolean().default(false),
  nullInput: z.boolean().default(false),
  sortKeys: z.boolean().default(false),
  compact: z.boolean().default(true),
  args: jqArguments.default({}),
  jsonArgs: jqArguments.default({}),
  long: z.boolean().default(false),
});
export type JqRequest = z.infer<typeof jqRequest>;

export const jqAnswer = z.object({
  output: z.string(),
  outputBytes: z.number(),
  truncated: z.boolean(),
  ms: z.number(),
});
export type JqAnswer = z.infer<typeof jqAnswer>;

/** Readings that the command line did on its own, for the server to note. */
export const readNotes = z.strictObject({
  reads: z
    .array(
      z.strictObject({
        pointer: z.string().max(100),
        who: z.literal("command line"),
        tool: z.string().max(40),
        request: z.string().max(1024),
        bytes: z.number().int().min(0),
        isError: z.boolean(),
        at: z.number(),
      }),
    )
    .max(100),
});
