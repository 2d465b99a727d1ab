// Which MCP servers a listing of tools, or of instructions, is of.

export type ServerShare = { readonly server: string; readonly share: number };

/** A tool of an MCP server, named with it; and the heading under which a server's instructions stand. */
const TOOL = /^[-*\s]*mcp__(.{1,100}?)__/;
const HEADING = /^## (.{1,100})$/;

/** The server that a tool's name is of, or null. */
export const serverOf = (tool: string): string | null => TOOL.exec(tool)?.[1] ?? null;

/** Which servers the lines of a listing are of, by the characters of each. */
export function serversIn(text: string): ServerShare[] {
  const chars = new Map<string, number>();
  let heading: string | null = null;
  for (const line of text.split("\n")) {
    heading = HEADING.exec(line)?.[1]?.trim() ?? heading;
    const server = serverOf(line) ?? heading;
    if (server !== null) chars.set(server, (chars.get(server) ?? 0) + line.length + 1);
  }
  return [...chars].map(([server, size]) => ({ server, share: Math.min(1, size / (text.length + 1)) }));
}
