// For models that are given no tools: the messages of a Chat Completions request, calls and results as plain words.
import { chatMessages } from "./openai-chat.ts";
import type { Renderer } from "./renderer-types.ts";

export const text: Renderer<"text"> = {
  id: "text",
  label: "Plain text",
  ids: { characters: null, maxLength: 1024, unique: false },
  render: chatMessages,
};
