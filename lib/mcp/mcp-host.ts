// What an MCP server stands on: an archive that is open while something is asked of it, and how far its client may go.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { PinnedArguments } from "#lib/wire/tokens-schema.ts";
import type { ToolAnswer } from "#lib/wire/tools-schema.ts";

export type McpHost = {
  /** Runs with the archive open for reading. */
  use<T>(work: (archive: Archive) => Promise<T>): Promise<T>;
  callTool(name: string, input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
  /** Id of the one session that the client sees, or null. */
  readonly session: string | null;
  /** Tools that store are offered. */
  readonly canWrite: boolean;
  /** Arguments that the client's token fixes. */
  readonly pinned: PinnedArguments;
};

/** The session of ours that takes what a client stores without being bound to one. */
export const SHARED_SESSION = { id: "mcp", title: "Stored over MCP" } as const;
