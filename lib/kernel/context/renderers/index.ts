// The prompt renderers. Being listed is being tested: contract.test.ts loops over them.
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { text } from "./text-renderer.ts";
import type { Renderer } from "./renderer-types.ts";

export const RENDERERS: readonly Renderer[] = [openaiChat, openaiResponses, anthropic, gemini, text];
