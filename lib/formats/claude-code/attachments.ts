// What the client of Claude Code puts before the model beside the conversation: listings of tools, skills and agents,
// files that changed on disk, memory files, words of hooks. The record holds the text; the frame around it, which the
// model is sent too, is not in the file and is weighed by the base of its class.
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, ownEntry, type Json } from "../json.ts";

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

/** An attachment's events: its text where the model was sent it, else a note. */
export function attachmentBodies(subtype: string, { attachment, rendered, renderedRole }: Json): EventBody[] {
  const value = asObject(attachment);
  const texts = asArray(rendered).flatMap((one) => asText(asObject(one)["content"]) ?? []);
  const role = renderedRole === "system" || renderedRole === "user" ? renderedRole : null;
  if (texts.length > 0 && role !== null) return texts.flatMap((text) => renderedBodies(subtype, value, { text, role }));
  return [attachmentBody(subtype, value)];
}

/** Clients from 2.1.330 on write what they send, frame and all; beside a person's words it stays in its tag. */
function renderedBodies(
  subtype: string,
  attachment: Json,
  { text, role }: { readonly text: string; readonly role: "user" | "system" },
): EventBody[] {
  const sent =
    ownEntry(READERS, subtype)?.sent ?? (subtype === "instructions" ? "memory" : role === "system" ? "prefix" : "user");
  const path = asText(attachment["path"]);
  const note = { type: "meta", subtype, sent, rendered: role } as const;
  if (role === "system") return [{ ...note, text: text.replace(REMINDER, "$1") }];
  if (subtype !== "instructions") return [{ ...note, ...(path !== null && { name: path }), text }];
  // Memory files come in one text, each under a line with its path.
  return text.split(/(?=\nContents of [^\n]+:\n)/).map((part) => {
    const name = /^\nContents of (.+?)(?: \([^\n]*\))?:\n/.exec(part)?.[1];
    return { ...note, ...(name !== undefined && { name }), text: part };
  });
}

const REMINDER = /^<system-reminder>\n([\s\S]*?)\n?<\/system-reminder>\s*$/;

function attachmentBody(subtype: string, attachment: Json): EventBody {
  const reader = ownEntry(READERS, subtype);
  const text = reader?.text(attachment) ?? null;
  if (reader === undefined || text === null || text === "")
    return { type: "meta", subtype, text: jsonText(attachment).slice(0, NOTE_CHARS) };
  return { type: "meta", subtype, text, sent: reader.sent };
}
