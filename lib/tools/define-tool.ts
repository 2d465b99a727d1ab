// A tool: what an agent or a person may ask of the archive. Its input is a strict schema, shown as JSON Schema; its answer
// is a text of bounded size. What goes wrong with a question is an answer too, and never an exception.
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readSteadily } from "#lib/archive/base/steady-read.ts";
import type { Patience } from "#lib/archive/artifacts/query-artifact.ts";
import type { Scope } from "#lib/archive/artifacts/resolve.ts";
import { isAppError } from "#lib/kernel/errors.ts";

export type ToolContext = {
  readonly archive: Archive;
  readonly scope: Scope;
  /** Id of the session that asks; null for a person. */
  readonly session: string | null;
  readonly patience: Patience;
  readonly signal?: AbortSignal;
};

export type ToolResult = {
  readonly text: string;
  readonly isError: boolean;
  /** The same as data, of the tool's output schema. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The artifact that was read. */
  readonly pointer?: string;
};

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Values that a host fixed: the model neither sees nor sets them. */
export type Pinned = Readonly<Record<string, unknown>>;

export type Tool = {
  readonly name: string;
  /** A label for people. */
  readonly title: string;
  /** The tool that this is another name of, with that design's parameters. */
  readonly aliasOf: string | null;
  readonly description: string;
  /** JSON Schema of `structured`; null where the answer is text alone. */
  readonly outputSchema: JsonSchema | null;
  /** It stores something. */
  readonly writes: boolean;
  /** Bytes of its largest answer. */
  readonly maxBytes: number;
  schema(pinned?: Pinned): JsonSchema;
  run(context: ToolContext, input: unknown, pinned?: Pinned): Promise<ToolResult>;
};

type Definition<T> = {
  readonly name: string;
  readonly title: string;
  readonly aliasOf?: string;
  readonly description: string;
  readonly writes?: boolean;
  readonly maxBytes: number;
  readonly input: z.ZodType<T>;
  readonly output?: z.ZodType;
  /** Parameters by other names that are taken too. */
  readonly also?: Readonly<Record<string, string>>;
  readonly run: (context: ToolContext, input: T) => Promise<ToolResult> | ToolResult;
};

export function defineTool<T>(tool: Definition<T>): Tool {
  const full = schemaOf(tool.input, "input");
  return {
    name: tool.name,
    title: tool.title,
    aliasOf: tool.aliasOf ?? null,
    description: tool.description,
    outputSchema: tool.output === undefined ? null : schemaOf(tool.output, "output"),
    writes: tool.writes ?? false,
    maxBytes: tool.maxBytes,
    schema: (pinned = {}) => without(full, Object.keys(pinned)),
    async run(context, input, pinned = {}) {
      try {
        if (typeof input !== "object" || input === null || Array.isArray(input))
          return refusal(`${tool.name}: its input is an object of named arguments`);
        const parsed = tool.input.safeParse({ ...renamed(input, tool.also ?? {}), ...pinned });
        if (!parsed.success) return refusal(`${tool.name}: ${issuesText(parsed.error)}`);
        const run = () => tool.run(context, parsed.data);
        const result = await (tool.writes === true ? run() : readSteadily(context.archive, run));
        return bounded(result, tool.maxBytes);
      } catch (error) {
        if (!isAppError(error)) throw error;
        return bounded(refusal(`${tool.name}: ${error.message}`), tool.maxBytes);
      }
    },
  };
}

export const refusal = (text: string, pointer?: string): ToolResult => ({
  text,
  isError: true,
  ...(pointer !== undefined && { pointer }),
});

/** No answer is over its bound, whatever made it: an answer that is offloaded would have to be read again. */
export function bounded(result: ToolResult, maxBytes: number): ToolResult {
  const size = Buffer.byteLength(result.text);
  if (size <= maxBytes) return result;
  const bytes = Buffer.from(result.text);
  let end = maxBytes - 64;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return { ...result, text: `${bytes.subarray(0, end).toString()}\n[output truncated: ${size - end} more bytes]` };
}

/** The one cast of this floor is here: zod's schema object is JSON. */
function schemaOf(type: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io }) as Record<string, unknown>;
  return JSON.parse(JSON.stringify(schema, portable)) as JsonSchema;
}

/** Some clients take one type a schema; and zod's largest safe integer, where no maximum was said, tells a model nothing. */
function portable(key: string, value: unknown): unknown {
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined;
  if (typeof value !== "object" || value === null || !("type" in value) || !Array.isArray(value.type)) return value;
  const { type, ...rest } = value;
  return { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) };
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return schema;
  const keep = (name: string): boolean => !names.includes(name);
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, unknown>);
  const required = ((schema["required"] ?? []) as string[]).filter(keep);
  return { ...schema, properties: Object.fromEntries(properties.filter(([name]) => keep(name))), required };
}

function renamed(input: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [Object.hasOwn(names, name) ? names[name]! : name, value as unknown]),
  );
}

const issuesText = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`))
    .join("; ")
    .slice(0, 1000)
    .toWellFormed();
