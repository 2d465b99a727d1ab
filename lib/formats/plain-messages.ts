// Plain messages: what a program sent to a model or stored of a conversation, in the shape of a provider or a library. No format of its
// own claims such a file, so this one is asked last. docs/formats/messages.md says what is read, and how.
import type { Draft, Format, SourceFile } from "#lib/kernel/draft.ts";
import { splitLine } from "./json-lines.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { messageLists } from "./messages/message-lists.ts";
import { messagesDrafts, startMessages, type MessagesState } from "./messages/messages-document.ts";

/** `others`: formats of their own, whose files are messages too at first glance. */
export const messagesFormat = (others: readonly Format[]): Format<MessagesState> => ({
  id: "messages",
  label: "Messages",
  signs: "messages with a role, and no other format's signs",
  // 3: requests that LiteLLM logged as failed, and when each was sent.
  version: 3,
  reader: "lines",
  isDocument: ({ head }) => !hasWholeLine(head),
  sources: () => [],
  wants: () => false,
  detect: (file: SourceFile) =>
    messageLists(headValue(file.head)) !== null && !others.some((other) => other.detect(file)),
  start: startMessages,
  parse: (record, state): Draft[] => splitLine(record, (one) => messagesDrafts(one, state), true),
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
});
