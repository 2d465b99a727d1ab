// A call of a tool as an agent's hook knows it, whatever agent that is.
import { readFileSync, statSync } from "node:fs";
import * as z from "zod/mini";
import { LIMITS } from "#lib/kernel/limits.ts";

export type AgentCall = {
  readonly agent: string;
  /** The agent's own id of its session. */
  readonly session: string;
  readonly tool: string;
  readonly call: string | null;
  readonly input: unknown;
  readonly isError: boolean;
  readonly output: () => string | Uint8Array;
  /** The answer that puts a text in the place of the output; null where the agent takes none (the tool failed). */
  readonly replaced: ((text: string) => unknown) | null;
};

export type FoundOutput = Pick<AgentCall, "output" | "replaced">;

const blocks = z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }));

/** What an MCP server returned: a text, or blocks of which those of text are replaced by one. */
export function blocksOutput(response: unknown): FoundOutput | null {
  if (typeof response === "string") return { output: () => response, replaced: (text) => text };
  const all = blocks.safeParse(response).data;
  const texts = all?.filter(({ type }) => type === "text");
  if (all === undefined || texts === undefined || texts.length === 0) return null;
  return {
    output: () => texts.map(({ text = "" }) => text).join("\n"),
    replaced: (text) => [{ type: "text", text }, ...all.filter(({ type }) => type !== "text")],
  };
}

/** Fails for one that is larger than a hook should read. */
export function wholeFile(path: string): Uint8Array {
  const { size } = statSync(path);
  if (size > LIMITS.fullOutputBytes) throw new Error(`${path} has ${size} bytes: it stays with the agent.`);
  return readFileSync(path);
}
