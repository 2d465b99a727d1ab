// What the rows of usage are called that belong to no group. The first page has it, and none of the columns of files.
import type { UsageGroup } from "./usage-schema.ts";

/** What stands where calls have no such group. */
export const NO_GROUP: Readonly<Record<UsageGroup, string>> = {
  person: "no person named",
  sender: "no sender",
  "fleet-project": "no project",
  agent: "no agent",
  project: "no project",
  model: "no model",
  tool: "no tool called",
  "mcp-server": "no MCP server",
};
