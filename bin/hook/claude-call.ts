// What Claude Code sends its hook. It takes another output in the tool's own shape; a failed tool's output cannot be replaced.
import { blocksOutput, wholeFile, type AgentCall, type FoundOutput } from "./agent-call.ts";
import { fieldsOf, isFields, requireEvent, textOf, textOrNull, type Fields } from "./call-fields.ts";

export function readClaude(said: unknown): AgentCall | null {
  const call = fieldsOf(said, "The call");
  const isError = requireEvent(call, ["PostToolUse", "PostToolUseFailure"]) === "PostToolUseFailure";
  const session = textOf(call, "session_id");
  const tool = textOf(call, "tool_name");
  const error = textOrNull(call, "error") ?? "";
  const found: FoundOutput | null = isError
    ? { output: () => error, replaced: null }
    : claudeOutput(tool, call["tool_response"]);
  return (
    found && {
      agent: "Claude Code",
      session,
      tool,
      call: textOrNull(call, "tool_use_id"),
      input: call["tool_input"],
      isError,
      output: found.output,
      replaced:
        found.replaced &&
        ((text) => ({
          hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: found.replaced!(text) },
        })),
    }
  );
}

function claudeOutput(tool: string, response: unknown): FoundOutput | null {
  if (tool.startsWith("mcp__")) return blocksOutput(response);
  if (!isFields(response)) return null;
  return tool === "Bash" ? shellOutput(response) : tool === "Read" ? fileOutput(response) : null;
}

function shellOutput(response: Fields): FoundOutput | null {
  const { persistedOutputPath: path, persistedOutputSize: _, ...shown } = response;
  const { stdout, isImage = false } = shown;
  if (typeof stdout !== "string" || isImage !== false) return null;
  if (path !== undefined && typeof path !== "string") return null;
  // Over 30,000 characters `stdout` is its beginning, and the whole is in a file.
  return {
    output: () => (path === undefined ? stdout : wholeFile(path)),
    replaced: (text) => ({ ...shown, stdout: text }),
  };
}

function fileOutput(response: Fields): FoundOutput | null {
  const { type, file } = response;
  if (type !== "text" || !isFields(file)) return null;
  const { content } = file;
  if (typeof content !== "string") return null;
  return {
    output: () => content,
    replaced: (text) => ({ ...response, file: { ...file, content: text } }),
  };
}
