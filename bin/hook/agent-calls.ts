// What each agent sends its hook about a call, checked, and what it takes as another output. What a tool writes in a shape that is not
// known is let pass. zod/mini: zod itself takes 22 ms to load.
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import * as z from "zod/mini";
import { blocksOutput, wholeFile, type AgentCall } from "./agent-call.ts";
import { readClaude } from "./claude-call.ts";

const codexCall = z.looseObject({
  session_id: z.string(),
  hook_event_name: z.literal("PostToolUse"),
  tool_name: z.string(),
  tool_use_id: z.optional(z.string()),
  tool_input: z.optional(z.unknown()),
  tool_response: z.union([z.string(), z.looseObject({ content: z.array(z.unknown()) })]),
});

/** Codex takes a text for the whole result, as the reason of a block: one with images is let pass. */
function readCodex(said: unknown): AgentCall | null {
  const call = codexCall.parse(said);
  const response = typeof call.tool_response === "string" ? call.tool_response : call.tool_response.content;
  const found = blocksOutput(response);
  if (found === null || (Array.isArray(response) && hasOther(response))) return null;
  return {
    agent: "Codex",
    session: call.session_id,
    tool: call.tool_name,
    call: call.tool_use_id ?? null,
    input: call.tool_input,
    // It says only in the text how a command ended.
    isError: false,
    output: found.output,
    replaced: (reason) => ({ decision: "block", reason }),
  };
}

const hasOther = (blocks: readonly unknown[]): boolean =>
  blocks.some((block) => (block as { type?: unknown } | null)?.type !== "text");

const geminiCall = z.looseObject({
  session_id: z.string(),
  hook_event_name: z.literal("AfterTool"),
  tool_name: z.string(),
  tool_input: z.optional(z.unknown()),
  tool_response: z.looseObject({
    llmContent: z.union([z.string(), z.array(z.looseObject({ text: z.string() }))]),
    error: z.optional(z.unknown()),
  }),
});

/** Put around what tools return, for the model: the envelope stands in it too, and the bytes are stored without. */
const UNTRUSTED = /^(<untrusted_context>\n)([\s\S]*)(\n<\/untrusted_context>\s*)$/;

/** Gemini CLI takes a text for the whole result, as the reason of a denial. */
function readGemini(said: unknown): AgentCall | null {
  const call = geminiCall.parse(said);
  const { llmContent } = call.tool_response;
  const text = typeof llmContent === "string" ? llmContent : llmContent.map((part) => part.text).join("\n");
  const [, before = "", content = text, after = ""] = UNTRUSTED.exec(text) ?? [];
  return {
    agent: "Gemini CLI",
    session: call.session_id,
    tool: call.tool_name,
    call: null,
    input: call.tool_input,
    isError: call.tool_response.error !== undefined,
    output: () => content,
    replaced: (envelope) => ({ decision: "deny", reason: before + envelope + after }),
  };
}

const copilotCall = z.looseObject({
  sessionId: z.string(),
  toolName: z.string(),
  toolArgs: z.optional(z.unknown()),
  toolResult: z.looseObject({ resultType: z.string(), textResultForLlm: z.string() }),
});

/** Copilot CLI puts what is over 30 kB into a file first, and says so. No other file is read, whatever a tool says. */
const SAVED = /^Output too large to read at once \([^)]*\)\. Saved to: (\S+-copilot-tool-output-[\w-]+\.txt)\n/;

function readCopilot(said: unknown): AgentCall | null {
  const call = copilotCall.parse(said);
  const text = call.toolResult.textResultForLlm;
  const path = SAVED.exec(text)?.[1];
  const isSaved = path !== undefined && dirname(path) === tmpdir() && /^\d+-copilot/.test(basename(path));
  return {
    agent: "Copilot CLI",
    session: call.sessionId,
    tool: call.toolName,
    call: null,
    input: call.toolArgs,
    isError: call.toolResult.resultType !== "success",
    output: () => (isSaved ? wholeFile(path) : text),
    replaced: (textResultForLlm) => ({ modifiedResult: { ...call.toolResult, textResultForLlm } }),
  };
}

const pluginCall = z.looseObject({
  session: z.string(),
  tool: z.string(),
  call: z.string(),
  input: z.optional(z.unknown()),
  isError: z.boolean(),
  text: z.string(),
  /** Where the agent itself keeps the whole of what it cut. */
  file: z.optional(z.string()),
});

/** Our plugin in an agent's own process asks for the text alone. */
const readPlugin =
  (agent: string) =>
  (said: unknown): AgentCall => {
    const { text, file, ...call } = pluginCall.parse(said);
    const output = (): string | Uint8Array => (file === undefined ? text : wholeFile(file));
    return { input: {}, ...call, agent, output, replaced: (envelope) => ({ text: envelope }) };
  };

export const AGENT_CALLS = {
  claude: readClaude,
  codex: readCodex,
  gemini: readGemini,
  copilot: readCopilot,
  opencode: readPlugin("OpenCode"),
  pi: readPlugin("pi"),
} satisfies Record<string, (said: unknown) => AgentCall | null>;
