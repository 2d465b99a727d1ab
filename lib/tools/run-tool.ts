// One call of a tool, from whatever door: the session is settled, the answer bounded, the reading noted.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { noteRead } from "#lib/archive/artifacts/note-read.ts";
import type { Patience } from "#lib/archive/artifacts/query-artifact.ts";
import { scopeOf } from "#lib/archive/artifacts/resolve.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { ToolAnswer, ToolDescription } from "#lib/wire/tools-schema.ts";
import type { PinnedArguments } from "#lib/wire/tokens-schema.ts";
import type { Pinned, Tool, ToolContext, ToolResult } from "./define-tool.ts";
import { TOOLS } from "./index.ts";

export type Asker = {
  /** The session that asks: nothing of another is seen. Absent for a person, who sees the whole archive. */
  readonly session?: string | undefined;
  /** The id of a credential, or what it is: agent, person, command line. */
  readonly who: string;
  readonly patience?: Patience;
  readonly signal?: AbortSignal;
};

/** Runs a tool by its name. Fails with `not_found` for a tool or a session that is not there; all else is an answer. */
export async function runTool(
  archive: Archive,
  name: string,
  input: unknown,
  asker: Asker,
  pinned: PinnedArguments = {},
): Promise<ToolAnswer> {
  const tool = toolOf(name);
  const result = await tool.run(contextOf(archive, asker), input, pinnedOf(pinned, name));
  return answered(archive, asker, name, input, result);
}

/** The context of an asker: what it may see, and how long it waits. */
export function contextOf(archive: Archive, asker: Asker): ToolContext {
  const { sessionPk, sessionId } = scopeOf(archive, asker.session);
  return {
    archive,
    scope: { sessionPk },
    session: sessionId,
    patience: asker.patience ?? "agent",
    ...(asker.signal !== undefined && { signal: asker.signal }),
  };
}

/** Notes what was read, and makes the answer. */
export function answered(
  archive: Archive,
  { who }: Asker,
  tool: string,
  request: unknown,
  { text, isError, pointer, structured }: ToolResult,
): ToolAnswer {
  const bytes = Buffer.byteLength(text);
  if (pointer !== undefined) noteRead(archive, { pointer, who, tool, request, bytes, isError });
  return { text, isError, bytes, ...(structured !== undefined && { structured }) };
}

export function toolOf(name: string): Tool {
  return (
    TOOLS.find((tool) => tool.name === name) ??
    fail(
      "not_found",
      `There is no tool "${name.slice(0, 80).toWellFormed()}". Known: ${TOOLS.map((tool) => tool.name).join(", ")}.`,
    )
  );
}

/** Every tool as a model is told of it. */
export function describeTools(pinned: PinnedArguments = {}): ToolDescription[] {
  return TOOLS.map((tool) => ({
    name: tool.name,
    title: tool.title,
    aliasOf: tool.aliasOf,
    description: tool.description,
    writes: tool.writes,
    inputSchema: tool.schema(pinnedOf(pinned, tool.name)),
    outputSchema: tool.outputSchema,
  }));
}

const pinnedOf = (pinned: PinnedArguments, name: string): Pinned => (Object.hasOwn(pinned, name) ? pinned[name]! : {});
