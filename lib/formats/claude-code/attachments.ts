// What the client of Claude Code puts before the model beside the conversation: listings of tools, skills and agents,
// files that changed on disk, memory files, words of hooks. The record holds the text; the frame around it, which the
// model is sent too, is not in the file and is weighed by the base of its class.
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";

type Sent = "prefix" | "memory" | "user";
type Reader = { readonly sent: Sent; readonly text: (attachment: Json) => string | null };

/** A note is shown; a sent text is kept whole, as what the model saw. */
const NOTE_CHARS = 2000;

const lines = (value: unknown): string | null => {
  const all = asArray(value).filter((line) => typeof line === "string");
  return all.length > 0 ? all.join("\n") : null;
};

const READERS: Readonly<Record<string, Reader>> = {
  skill_listing: { sent: "prefix", text: ({ content }) => asText(content) },
  agent_listing_delta: { sent: "prefix", text: ({ addedLines }) => lines(addedLines) },
  deferred_tools_delta: {
    sent: "prefix",
    text: ({ addedLines, addedNames }) => lines(addedLines) ?? lines(addedNames),
  },
  mcp_instructions_delta: { sent: "prefix", text: ({ addedBlocks }) => lines(addedBlocks) },
  nested_memory: { sent: "memory", text: ({ content }) => asText(content) ?? asText(asObject(content)["content"]) },
  edited_text_file: { sent: "user", text: ({ snippet }) => asText(snippet) },
  file: {
    sent: "user",
    text: ({ content }) => asText(content) ?? asText(asObject(asObject(content)["file"])["content"]),
  },
  hook_additional_context: { sent: "user", text: ({ content }) => lines(content) ?? asText(content) },
  // Only these two events' output goes to the model; of the others it is the person who sees it.
  hook_success: {
    sent: "user",
    text: ({ hookEvent, content }) =>
      hookEvent === "SessionStart" || hookEvent === "UserPromptSubmit" ? asText(content) : null,
  },
  task_reminder: { sent: "user", text: ({ content }) => jsonText(asArray(content)) },
  todo_reminder: { sent: "user", text: ({ content }) => jsonText(asArray(content)) },
};

/** An attachment's event: its text where the model was sent it, else a note. */
export function attachmentBody(subtype: string, attachment: Json): EventBody {
  const reader = Object.hasOwn(READERS, subtype) ? READERS[subtype] : undefined;
  const text = reader?.text(attachment) ?? null;
  if (reader === undefined || text === null || text === "")
    return { type: "meta", subtype, text: jsonText(attachment).slice(0, NOTE_CHARS) };
  return { type: "meta", subtype, text, sent: reader.sent };
}
