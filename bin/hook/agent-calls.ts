// What each agent tells its hook of a call, checked, and what it takes as another output. What a tool writes in a shape that is not
// known is let pass. zod/mini: zod itself takes 22 ms to load.
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
  readonly output: () => string | Uint8Array;
  /** The answer that puts a text in the place of the output; null where the agent takes none (the tool failed). */
  readonly replaced: ((text: string) => unknown) | null;
};

type Found = Pick<AgentCall, "output" | "replaced">;

const claudeCall = z.looseObject({
  session_id: z.string(),
  hook_event_name: z.enum(["PostToolUse", "PostToolUseFailure"]),
  tool_name: z.string(),
  tool_use_id: z.optional(z.string()),
  tool_input: z.optional(z.unknown()),
  tool_response: z.optional(z.unknown()),
  error: z.optional(z.string()),
});

/** Claude Code takes another output in the tool's own shape; a failed tool's output cannot be replaced. */
function readClaude(said: unknown): AgentCall | null {
  const call = claudeCall.parse(said);
  const found: Found | null =
    call.hook_event_name === "PostToolUseFailure"
      ? { output: () => call.error ?? "", replaced: null }
      : claudeOutput(call.tool_name, call.tool_response);
  return (
    found && {
      agent: "Claude Code",
      session: call.session_id,
      tool: call.tool_name,
      call: call.tool_use_id ?? null,
      input: call.tool_input,
      output: found.output,
      replaced:
        found.replaced &&
        ((text) => ({
          hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: found.replaced!(text) },
        })),
    }
  );
}

const shellResponse = z.looseObject({
  stdout: z.string(),
  isImage: z.optional(z.boolean()),
  persistedOutputPath: z.optional(z.string()),
});
const fileResponse = z.looseObject({ type: z.literal("text"), file: z.looseObject({ content: z.string() }) });
const blocks = z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }));

function claudeOutput(tool: string, response: unknown): Found | null {
  if (tool === "Bash") {
    const shell = shellResponse.safeParse(response).data;
    if (shell === undefined || shell.isImage === true) return null;
    const { persistedOutputPath: path, persistedOutputSize: _, ...shown } = shell;
    // Over 30,000 characters `stdout` is its beginning, and the whole is in a file.
    return {
      output: () => (path === undefined ? shell.stdout : wholeFile(path)),
      replaced: (stdout) => ({ ...shown, stdout }),
    };
  }
  const file = tool === "Read" ? fileResponse.safeParse(response).data : undefined;
  if (file !== undefined)
    return {
      output: () => file.file.content,
      replaced: (content) => ({ ...file, file: { ...file.file, content } }),
    };
  return tool.startsWith("mcp__") ? blocksOutput(response) : null;
}

/** What an MCP server returned: a text, or blocks of which those of text are replaced by one. */
function blocksOutput(response: unknown): Found | null {
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
function wholeFile(path: string): Uint8Array {
  const { size } = statSync(path);
  if (size > LIMITS.fullOutputBytes) throw new Error(`${path} has ${size} bytes: it stays with the agent.`);
  return readFileSync(path);
}

export const AGENT_CALLS = {
  claude: readClaude,
} satisfies Record<string, (said: unknown) => AgentCall | null>;
