// A turn begins where a person says something. Agents write empty messages too: a prompt that was cancelled, a record whose content was
// taken out. Such a one stays in the log, and begins nothing.
import type { Draft } from "#lib/kernel/draft.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;

/** The drafts of a record, or of a piece of a document, where only what says something begins a turn. */
export function promptedTurns(drafts: readonly Draft[]): readonly Draft[] {
  if (!drafts.some(isEmptyPrompt)) return drafts;
  const turns = drafts.map((draft) => (isEmptyPrompt(draft) ? { ...draft, startsTurn: false } : draft));
  for (const empty of drafts.filter(isEmptyPrompt)) {
    const isBeside = (one: Draft): one is EventDraft => one.kind === "event" && isOfRecord(one, empty);
    if (turns.some((one) => isBeside(one) && one.startsTurn)) continue;
    // An image without words is a prompt, and so are words behind an empty block.
    const first = turns.findIndex((one) => isBeside(one) && isOwnWords(one));
    if (first >= 0) turns[first] = { ...(turns[first] as EventDraft), startsTurn: true };
  }
  return turns;
}

const isEmptyPrompt = (draft: Draft): draft is EventDraft =>
  draft.kind === "event" && draft.startsTurn && draft.body.type === "user" && !saysSomething(draft);

const saysSomething = ({ body }: EventDraft): boolean =>
  body.type === "user" && (body.text.trim() !== "" || (body.images ?? []).length > 0);

const isOwnWords = (draft: EventDraft): boolean =>
  draft.body.type === "user" && (draft.body.injected ?? "file") === "file" && saysSomething(draft);

/** A document has many records: they differ in their names or in their bytes. */
const isOfRecord = (one: EventDraft, other: EventDraft): boolean =>
  one.lane === other.lane && one.recordKey === other.recordKey && one.byteStart === other.byteStart;
