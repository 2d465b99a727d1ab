// What is recalled, as the model gets it: a fenced block of data in a message of the user's role, marked untrusted. Text of
// tool outputs in a system prompt would be obeyed; here nothing in it can end the fence.
import { RECALL_DEFAULTS, writeRecall, type RecallConfig, type RecallEntry } from "../../artifacts/recall.ts";
import { isEnvelope } from "../../artifacts/envelope.ts";
import { textOfValue } from "../../artifacts/pointer.ts";
import { callsOf, resultOf, type Message } from "../../context/message.ts";

export type RecallBlock<E extends RecallEntry = RecallEntry> = {
  /** The whole block, fence included: never longer than `maxChars`. */
  readonly text: string;
  readonly items: readonly E[];
  readonly chars: number;
  /** Candidates that the budget left out. */
  readonly omitted: number;
  readonly message: Message;
};

const OPEN = '<artifact_recall untrusted="true">\n';
const CLOSE = "\n</artifact_recall>";

/** The block of these entries, best first, or null when none fits. `candidates`: how many there were to choose from. */
export function recallBlock<E extends RecallEntry>(
  entries: readonly E[],
  config: Partial<RecallConfig> = {},
  candidates: number = entries.length,
): RecallBlock<E> | null {
  const maxChars = config.maxChars ?? RECALL_DEFAULTS.maxChars;
  const section = writeRecall(entries, { ...config, maxChars: maxChars - OPEN.length - CLOSE.length }, candidates);
  if (section === null || section.items.length === 0) return null;
  const text = OPEN + section.text + CLOSE;
  const { items, omitted } = section;
  return { text, items, omitted, chars: text.length, message: { role: "user", content: text, toolPayload: null } };
}

/** The messages with a block among them: before the request that is asked now, else at their end, and never between a call and its result. */
export function withRecall(
  messages: readonly Message[],
  block: Pick<RecallBlock, "message"> | null,
): readonly Message[] {
  if (block === null) return messages;
  const last = messages.at(-1);
  const isBefore = last !== undefined && (last.role === "user" || callsOf(last).length > 0);
  const position = isBefore ? messages.length - 1 : messages.length;
  return messages.toSpliced(position, 0, block.message);
}

/** Ids and pointers of the artifacts whose envelopes stand in these messages. */
export function shownArtifacts(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap((message) => envelopeIds(textOfValue(resultOf(message)?.toolResult ?? ""))));
}

/** The id and the pointer that an envelope names; nothing for any other text. */
export const envelopeIds = (text: string): readonly string[] =>
  isEnvelope(text) ? (text.match(ARTIFACT_ID) ?? []) : [];

const ARTIFACT_ID = /art:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|art_[0-9a-f]{16,64}/g;
