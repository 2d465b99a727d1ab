// Prompts that a person picks in an MCP client.
import { fail } from "#lib/kernel/errors.ts";
import { LATEST } from "#lib/archive/base/find-session.ts";
import type { McpHost } from "./mcp-host.ts";

const WHY_FULL = "why_did_my_context_fill";

export const PROMPTS = [
  {
    name: WHY_FULL,
    title: "Why did my context fill?",
    description: "Explains what filled the context of a session, and what to change",
    arguments: [{ name: "session", description: `Id of the session; "${LATEST}" when absent`, required: false }],
  },
];

export async function getPrompt(
  host: McpHost,
  name: string,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  if (name !== WHY_FULL) return fail("not_found", `There is no prompt "${name.slice(0, 80)}". Known: ${WHY_FULL}.`);
  const session = given["session"]?.trim();
  const { text, isError } = await host.callTool("why_full", session ? { session } : {}, signal);
  if (isError) fail("not_found", text);
  const question =
    "Below is a measured report of what filled the context of an agent's session. Explain in at most five sentences what " +
    "filled it and when, name the most expensive item, and say what to change first. Use the report's numbers as they stand; " +
    "~ marks an estimate.";
  return {
    description: "What filled the context of a session, and what to change",
    messages: [{ role: "user" as const, content: { type: "text" as const, text: `${question}\n\n${text}` } }],
  };
}
