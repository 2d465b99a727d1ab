import type { RendererId } from "./renderers/renderer-types.ts";

/** The form of a session's own requests, as far as its model and its agent tell it. */
export function ownRenderer(model: string | null, format: string): RendererId {
  if (model === null ? format === "claude-code" : /claude/i.test(model)) return "anthropic";
  if (model === null ? format === "gemini" : /gemini/i.test(model)) return "gemini";
  return format === "codex" ? "openai-responses" : "openai-chat";
}
