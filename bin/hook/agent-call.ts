// A call of a tool as an agent's hook knows it, whatever agent that is.
import { readFileSync, statSync } from "node:fs";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isFields, type Fields } from "./call-fields.ts";

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

/** What an MCP server returned: a text, or blocks of which those of text are replaced by one. */
export function blocksOutput(response: unknown): FoundOutput | null {
  if (typeof response === "string") return { output: () => response, replaced: (text) => text };
  if (!Array.isArray(response) || !response.every(isBlock)) return null;
  const texts = response.filter(({ type }) => type === "text");
  if (texts.length === 0) return null;
  return {
    output: () => texts.map(({ text = "" }) => text).join("\n"),
    replaced: (text) => [{ type: "text", text }, ...response.filter(({ type }) => type !== "text")],
  };
}

const isBlock = (value: unknown): value is Fields & { readonly type: string; readonly text?: string } =>
  isFields(value) &&
  typeof value["type"] === "string" &&
  (value["text"] === undefined || typeof value["text"] === "string");

/** Fails for one that is larger than a hook should read. */
export function wholeFile(path: string): Uint8Array {
  const { size } = statSync(path);
  if (size > LIMITS.fullOutputBytes) throw new Error(`${path} has ${size} bytes: it stays with the agent.`);
  return readFileSync(path);
}
