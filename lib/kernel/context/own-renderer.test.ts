import { expect, test } from "vitest";
import { ownRenderer } from "./own-renderer.ts";

test("a session's context is shown in the form of its model's provider", () => {
  for (const [model, format, id] of [
    ["claude-opus-5", "claude-code", "anthropic"],
    ["anthropic/claude-sonnet-4.5", "openhands", "anthropic"],
    ["gpt-5.5", "codex", "openai-responses"],
    ["gpt-5.5", "copilot", "openai-chat"],
    ["gemini-3-pro", "gemini", "gemini"],
    ["qwen3-coder", "qwen", "openai-chat"],
    [null, "claude-code", "anthropic"],
    [null, "codex", "openai-responses"],
    [null, "gemini", "gemini"],
    [null, "messages", "openai-chat"],
  ] as const)
    expect([model, format, ownRenderer(model, format)]).toEqual([model, format, id]);
});
