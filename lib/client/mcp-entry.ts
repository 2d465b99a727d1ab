/** `plimsoll/mcp`: MCP servers on the official SDK. A tool, or all of a server. docs/frameworks/mcp-server.md has an example. */
import type { McpServer, RegisteredTool } from "@modelcontextprotocol/server";
import { messageOf } from "#lib/kernel/tools/executed-call.ts";
import { modelOutputOf } from "#lib/kernel/tools/model-output.ts";
import type { ArtifactKit } from "./artifact-kit.ts";
import { readToolsOf } from "./framework-tools.ts";

export type WrapServerOptions = {
  /**
   * A client checks `structuredContent` against the tool's output schema, and refuses an envelope in its place. `keep`, when
   * absent: it stays whole, and only text is offloaded. `drop`: tools are registered without their output schema, and both are.
   */
  readonly outputSchemas?: "keep" | "drop";
};

type Handler<A extends readonly unknown[], R> = (...args: A) => R | Promise<R>;
type Config = { readonly outputSchema?: unknown };
/** `registerTool` and `update` for tools of any arguments. */
type AnyRegister = (name: string, config: Config, handler: Handler<unknown[], unknown>) => RegisteredTool;
type AnyUpdate = (changes: Config & { readonly callback?: Handler<unknown[], unknown> }) => void;

/** Every tool that is registered from now on has its results offloaded; the tools that read artifacts back are registered. */
export function wrapServer<S extends McpServer>(server: S, kit: ArtifactKit, options: WrapServerOptions = {}): S {
  registerArtifactTools(server, kit);
  const isDropped = options.outputSchemas === "drop";
  const own = <C extends Config>(config: C): C => (isDropped ? { ...config, outputSchema: undefined } : config);
  const register = server.registerTool.bind(server) as unknown as AnyRegister;
  const wrapped: AnyRegister = (name, config, handler) => {
    const wrap = (run: Handler<unknown[], unknown>): Handler<unknown[], unknown> =>
      // The schema may be changed later on.
      offloading(name, run, kit, () => tool.outputSchema !== undefined);
    const tool = register(name, own(config), wrap(handler));
    const update = tool.update.bind(tool) as AnyUpdate;
    const updated: AnyUpdate = (changes) =>
      update(own(changes.callback === undefined ? changes : { ...changes, callback: wrap(changes.callback) }));
    tool.update = updated as RegisteredTool["update"];
    return tool;
  };
  server.registerTool = wrapped as unknown as typeof server.registerTool;
  return server;
}

/** A handler with its results offloaded. `hasOutputSchema`: its `structuredContent` stays as it is. */
export const wrapTool = <A extends readonly unknown[], R>(
  name: string,
  handler: Handler<A, R>,
  kit: ArtifactKit,
  { hasOutputSchema = false }: { readonly hasOutputSchema?: boolean } = {},
): ((...args: A) => Promise<R>) => offloading(name, handler, kit, () => hasOutputSchema);

/** The tools that read artifacts back, as tools of the server. */
export function registerArtifactTools(server: McpServer, kit: ArtifactKit): void {
  const byName = new Map(kit.tools.map((tool) => [tool.name, tool]));
  for (const { name, description, schema } of readToolsOf(kit)) {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    server.registerTool(name, { description, annotations, inputSchema: standardSchema(schema) }, async (input) => {
      // What was asked wrongly is told to the model: it asks again.
      const { text, isError } = await Promise.resolve()
        .then(() => byName.get(name)!.execute(input))
        .then(modelOutputOf, (error: unknown) => ({ text: messageOf(error), isError: true }));
      return { content: [{ type: "text", text }], ...(isError && { isError }) };
    });
  }
}

function offloading<A extends readonly unknown[], R>(
  toolName: string,
  handler: Handler<A, R>,
  kit: ArtifactKit,
  keepsStructured: () => boolean,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const result = await handler(...args);
    if (!isToolResult(result)) return result;
    const { structuredContent: structured, ...rest } = result;
    const isKept = structured !== undefined && keepsStructured();
    const { output, decision } = await kit.offload(isKept ? rest : result, { toolName, input: args[0] });
    // Where storing failed the client gets all of it: nothing else could give it the rest.
    if (decision === null || decision.status === "failed" || !isToolResult(output)) return result;
    return (isKept ? { ...output, structuredContent: structured } : output) as R;
  };
}

type ToolResult = { readonly content?: unknown; readonly structuredContent?: unknown };

/** Not a question back to the client (`InputRequiredResult`), and not what the SDK will refuse. */
const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === "object" &&
  value !== null &&
  !("resultType" in value && value.resultType === "input_required") &&
  ("content" in value || "structuredContent" in value);

/** As the SDK takes a schema; what is given is checked by the tool itself, whose refusals say what to do. */
const standardSchema = (schema: Readonly<Record<string, unknown>>) => ({
  "~standard": {
    ...{ version: 1 as const, vendor: "plimsoll" },
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});
