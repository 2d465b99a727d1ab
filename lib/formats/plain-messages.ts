// Plain messages: what a program sent to a model or stored of a conversation, in the shape of a provider or a library. No format of its
// own claims such a file, so this one is asked last. docs/formats/messages.md says what is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { splitPieces } from "./json-lines.ts";
import { isEntireRow } from "./entire/entire-rows.ts";
import { isObject } from "./json.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { listOfDocuments } from "./messages/document-lists.ts";
import { messageLists } from "./messages/message-lists.ts";
import { messagesPieces, startMessages, type MessagesState } from "./messages/messages-document.ts";
import { isStreamFile } from "./messages/stream-document.ts";

/** `others`: formats of their own, whose files are messages too at first glance. */
export const messagesFormat = (others: readonly Format[]): Format<MessagesState> => ({
  id: "messages",
  label: "Messages",
  signs: "messages with a role, and no other format's signs",
  // 3: requests that LiteLLM logged as failed, and when each was sent. 4: cache counts of answers that tell their thinking apart, and
  // what the provider sampled beside an answer. 5: times in milliseconds.
  // 6: lines behind a blank first line, and behind one of more than 64 KB; cache writes that are told in details alone.
  // 7: costs that stand as texts and among tokens; what xAI counts beside an answer.
  // 8: a line without messages is no session. 9: the window that stands beside an answer.
  // 10: streamed answers, completions, steps of a message for a screen, models of generated contents.
  // 11: answers as they were streamed, batches, lists of conversations and of requests with their answers.
  // 12: OpenAI's tiers and batches are part of a call's model; cache writes for an hour, as LiteLLM has them.
  // 13: a streamed name of a tool that comes again or in pieces; OpenAI's ultrafast tier is part of a call's model; what Anthropic cached
  // beside a prompt in Continue's counts.
  // 14: a system prompt beside the messages; documents of Hermes have its name, start and folder.
  // 15: code and output of the provider's interpreter, what a shell wrote as text, patches that failed.
  // 16: what a person allowed or denied is no call; items of one response are one call; answers whose words LiteLLM kept out of its log.
  version: 16,
  reader: "lines",
  isDocument: ({ head }) => isStreamFile(head) || !hasWholeLine(head),
  sources: () => [],
  wants: () => false,
  detect: (file: SourceFile) => holdsMessages(file.head) && !others.some((other) => other.detect(file)),
  start: startMessages,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
});

function holdsMessages(head: Uint8Array): boolean {
  const value = headValue(head);
  // A line of Entire's that was cut is one all the same.
  if (isObject(value) && isEntireRow(value)) return false;
  return messageLists(value) !== null || listOfDocuments(value) !== null || isStreamFile(head);
}

const pieces = (record: SourceRecord, state: MessagesState): Iterable<readonly Draft[]> =>
  state.isStreamed === true
    ? messagesPieces(record, state)
    : splitPieces(record, (one) => messagesPieces(one, state), true);
