// What a page of docs/agents tells a person to write, as the scenarios write it: only paths are put in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunPaths } from "./scenario-types.ts";

/** The first block of code below "## MCP". */
export function mcpSnippet(page: string, { node, ownFile }: RunPaths): string {
  const text = readFileSync(join(import.meta.dirname, "../../docs/agents", page), "utf8");
  const code = /\n## MCP\n[\s\S]*?\n```(?:json|toml)\n([\s\S]*?)```/.exec(text)?.[1];
  if (code === undefined) throw new Error(`docs/agents/${page} has no snippet below "## MCP".`);
  return code.replaceAll('"node"', JSON.stringify(node)).replaceAll("PLIMSOLL", ownFile("../.."));
}

/** The same, of the archive that the run is compared with. */
export const archiveMcpSnippet = (page: string, at: RunPaths): string =>
  mcpSnippet(page, at).replace('"mcp"]', `"mcp", "--archive", ${JSON.stringify(at.receiver.archive)}]`);

/** The same, with what is there already. */
export const withMcpSnippet = (page: string, paths: RunPaths, settings: string): string => {
  const { mcpServers, mcp, ...rest } = JSON.parse(settings) as Record<string, object | undefined>;
  const added = JSON.parse(mcpSnippet(page, paths)) as Record<string, object>;
  return JSON.stringify({ ...rest, mcpServers, mcp, ...added });
};
