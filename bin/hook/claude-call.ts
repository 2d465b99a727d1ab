// What Claude Code sends its hook. It takes another output in the tool's own shape; a failed tool's output cannot be replaced.
import * as z from "zod/mini";
import { blocksOutput, wholeFile, type AgentCall, type FoundOutput } from "./agent-call.ts";

const claudeCall = z.looseObject({
  session_id: z.string(),
  hook_event_name: z.enum(["PostToolUse", "PostToolUseFailure"]),
  tool_name: z.string(),
  tool_use_id: z.optional(z.string()),
  tool_input: z.optional(z.unknown()),
  tool_response: z.optional(z.unknown()),
  error: z.optional(z.string()),
});

export function readClaude(said: unknown): AgentCall | null {
  const call = claudeCall.parse(said);
  const found: FoundOutput | null =
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
      isError: call.hook_event_name === "PostToolUseFailure",
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

function claudeOutput(tool: string, response: unknown): FoundOutput | null {
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
