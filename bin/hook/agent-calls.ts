// What each agent sends its hook about a call, checked, and what it takes as another output. What a tool writes in a shape that is not
// known is let pass.
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import { blocksOutput, wholeFile, type AgentCall } from "./agent-call.ts";
import { fieldsOf, isFields, requireEvent, textOf, textOrNull } from "./call-fields.ts";
import { readClaude } from "./claude-call.ts";

/** Codex takes a text for the whole result, as the reason of a block: one with images is let pass. */
function readCodex(said: unknown): AgentCall | null {
  const call = fieldsOf(said, "The call");
  requireEvent(call, ["PostToolUse"]);
  const result = call["tool_response"];
  const response = isFields(result) ? result["content"] : result;
  const found = blocksOutput(response);
  if (found === null || (Array.isArray(response) && hasOther(response))) return null;
  return {
    agent: "Codex",
    session: textOf(call, "session_id"),
    tool: textOf(call, "tool_name"),
    call: textOrNull(call, "tool_use_id"),
    input: call["tool_input"],
    // It says only in the text how a command ended.
    isError: false,
    output: found.output,
    replaced: (reason) => ({ decision: "block", reason }),
  };
}

const hasOther = (blocks: readonly unknown[]): boolean =>
  blocks.some((block) => (block as { type?: unknown } | null)?.type !== "text");

/** Put around what tools return, for the model: the envelope stands in it too, and the bytes are stored without. */
const UNTRUSTED = /^(<untrusted_context>\n)([\s\S]*)(\n<\/untrusted_context>\s*)$/;

/** Gemini CLI takes a text for the whole result, as the reason of a denial. */
function readGemini(said: unknown): AgentCall | null {
  const call = fieldsOf(said, "The call");
  requireEvent(call, ["AfterTool"]);
  const response = fieldsOf(call["tool_response"], "tool_response");
  const { llmContent } = response;
  const text = Array.isArray(llmContent)
    ? llmContent.map((part) => textOf(fieldsOf(part, "A part of llmContent"), "text")).join("\n")
    : textOf(response, "llmContent");
  const [, before = "", content = text, after = ""] = UNTRUSTED.exec(text) ?? [];
  return {
    agent: "Gemini CLI",
    session: textOf(call, "session_id"),
    tool: textOf(call, "tool_name"),
    call: null,
    input: call["tool_input"],
    isError: response["error"] !== undefined,
    output: () => content,
    replaced: (envelope) => ({ decision: "deny", reason: before + envelope + after }),
  };
}

/** Copilot CLI puts what is over 30 kB into a file first, and says so. No other file is read, whatever a tool says. */
const SAVED = /^Output too large to read at once \([^)]*\)\. Saved to: (\S+-copilot-tool-output-[\w-]+\.txt)\n/;

function readCopilot(said: unknown): AgentCall | null {
  const call = fieldsOf(said, "The call");
  const result = fieldsOf(call["toolResult"], "toolResult");
  const text = textOf(result, "textResultForLlm");
  const path = SAVED.exec(text)?.[1];
  const isSaved = path !== undefined && dirname(path) === tmpdir() && /^\d+-copilot/.test(basename(path));
  return {
    agent: "Copilot CLI",
    session: textOf(call, "sessionId"),
    tool: textOf(call, "toolName"),
    call: null,
    input: call["toolArgs"],
    isError: textOf(result, "resultType") !== "success",
    output: () => (isSaved ? wholeFile(path) : text),
    replaced: (textResultForLlm) => ({ modifiedResult: { ...result, textResultForLlm } }),
  };
}

/** Our plugin in an agent's own process asks for the text alone. */
const readPlugin =
  (agent: string) =>
  (said: unknown): AgentCall => {
    const call = fieldsOf(said, "The call");
    const text = textOf(call, "text");
    // Where the agent itself keeps the whole of what it cut.
    const file = textOrNull(call, "file");
    if (typeof call["isError"] !== "boolean") throw new Error("isError is missing. The output stays with the agent.");
    return {
      agent,
      session: textOf(call, "session"),
      tool: textOf(call, "tool"),
      call: textOf(call, "call"),
      input: call["input"],
      isError: call["isError"],
      output: () => (file === null ? text : wholeFile(file)),
      replaced: (envelope) => ({ text: envelope }),
    };
  };

export const AGENT_CALLS = {
  claude: readClaude,
  codex: readCodex,
  gemini: readGemini,
  copilot: readCopilot,
  opencode: readPlugin("OpenCode"),
  pi: readPlugin("pi"),
} satisfies Record<string, (said: unknown) => AgentCall | null>;
