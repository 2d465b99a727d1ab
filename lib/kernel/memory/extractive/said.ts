// What the person said, word for word as far as it fits. However many messages there are, the goal's first sentence, the limits
// that were set and the newest three messages are there; of the rest the newest and the most particular.
import { constraintAt, isConstraint } from "./constraints.ts";
import { contentWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import { clipped, oneLine } from "./line-text.ts";
import { isRequest, sentencesOf } from "./sentences.ts";
import type { Piece } from "./piece.ts";

export type Said = { readonly seq: number; readonly text: string };

/** Messages of the person that say something. */
export const messagesOf = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter(({ kind, text }) => kind === "user" && oneLine(text) !== "");

/** Messages at the end that are there whatever else is not. */
export const NEWEST = 3;
/** Characters that a message is worth telling with; shorter stubs of many messages say nothing of any. */
const STUB = 80;

export type SaidRoom = {
  /** Characters for all messages together, what every line takes beside its words among them. */
  readonly chars: number;
  /** Characters that the goal's first sentence and each of the newest messages may take at least. */
  readonly goal: number;
  readonly newest: number;
  /** What a line takes beside its words. */
  readonly around: number;
};

export type SaidPicked = { readonly goal: Said; readonly newest: readonly Said[]; readonly rest: readonly Said[] };

/** The messages that are told, each on one line; `rest` in the order of what matters. Null without a message. */
export function pickSaid(messages: readonly Piece[], { chars, goal, newest, around }: SaidRoom): SaidPicked | null {
  const [first, ...later] = messages;
  if (first === undefined) return null;
  const last = later.slice(-NEWEST);
  const whole = new Map(messages.map(({ seq, text }) => [seq, oneLine(text)]));
  const size = ({ seq }: Piece): number => whole.get(seq)!.length;
  const rest: Piece[] = [];
  const result = new Set([first, ...last].map(({ seq }) => whole.get(seq)!));
  let left = chars - [first, ...last].reduce((sum, one) => sum + Math.min(size(one), STUB) + around, 0);
  for (const one of ranked(later.slice(0, -NEWEST))) {
    const cost = Math.min(size(one), STUB) + around;
    // The same words again ("go on") are told once.
    if (result.has(whole.get(one.seq)!) || cost > left) continue;
    result.add(whole.get(one.seq)!);
    rest.push(one);
    left -= cost;
  }
  const all = [first, ...last, ...rest];
  const room = equalRoom(all.map(size), chars - all.length * around);
  const cut = (one: Piece, least: number): Said => ({
    seq: one.seq,
    text: shortened(one.text, Math.max(room, least), least),
  });
  const sentence = oneLine(sentencesOf(first.text)[0]!.text).length;
  return {
    goal: cut(first, Math.min(goal, sentence)),
    newest: last.map((one) => cut(one, newest)),
    rest: rest.map((one) => cut(one, 0)),
  };
}

/** More of the messages, each whole or cut, the ones that matter most first: what else is left of the budget is for them. */
export function moreSaid(messages: readonly Piece[], result: ReadonlySet<number>): Said[] {
  const words = new Set(messages.filter(({ seq }) => result.has(seq)).map(({ text }) => oneLine(text)));
  return ranked(messages.filter(({ text }) => !words.has(oneLine(text)))).map(({ seq, text }) => ({
    seq,
    text: shortened(text, 2 * STUB, 0),
  }));
}

/** A message this many messages ago counts half. */
const HALF_AT = 12;

/** The newest and most particular first: names and words that other messages do not have tell more than "go on". */
function ranked(messages: readonly Piece[]): Piece[] {
  const words = messages.map(({ text }) => new Set(contentWords(text)));
  const counts = new Map<string, number>();
  for (const own of words) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1);
  const worth = messages.map((message, i) => {
    const names = new Set(entitiesIn(message.text).map(({ name }) => name)).size;
    const rare = [...words[i]!].reduce((sum, word) => sum + 1 / counts.get(word)!, 0);
    return (1 + Math.log1p(names + rare)) / (1 + (messages.length - 1 - i) / HALF_AT);
  });
  return messages
    .map((_, i) => i)
    .toSorted((a, b) => worth[b]! - worth[a]! || b - a)
    .map((i) => messages[i]!);
}

/** The largest length for which all together fit, when longer ones are cut to it. */
function equalRoom(lengths: readonly number[], chars: number): number {
  let [left, count] = [Math.max(0, chars), lengths.length];
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * count > left) return Math.max(0, Math.floor(left / count));
    left -= length;
    count--;
  }
  return Number.POSITIVE_INFINITY;
}

const GAP = " … ";

/** Its beginning, then its limits, its requests and its end, as far as there is room; the beginning has `least` of it at least. */
function shortened(text: string, room: number, least: number): string {
  const whole = oneLine(text);
  if (whole.length <= room) return whole;
  const found = sentencesOf(text);
  const sentences = found.map((sentence) => oneLine(sentence.text));
  // Scripts without spaces have none between sentences either.
  const gapBefore = (i: number): string => (found[i - 1]!.at + found[i - 1]!.text.length < found[i]!.at ? " " : "");
  const rankOf = (i: number): number =>
    isConstraint(sentences[i]!) ? 1 : isRequest(sentences[i]!) ? 2 : i === sentences.length - 1 ? 3 : 4;
  const order = sentences
    .map((_, i) => i)
    .slice(1)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a - b);
  // A first sentence that fills the room leaves half of it to what limits and asks.
  const first = clipped(sentences[0]!, sentences.length === 1 ? room : Math.max(least, room >> 1, room - 240));
  const kept = new Map([[0, first]]);
  let left = room - first.length;
  for (const i of order) {
    const cost = sentences[i]!.length + GAP.length;
    if (cost > left) continue;
    kept.set(i, sentences[i]!);
    left -= cost;
  }
  const parts = [...kept].toSorted(([a], [b]) => a - b);
  const last = parts.at(-1)![0];
  const end = last === sentences.length - 1 || first.endsWith("…") ? "" : " …";
  return (
    parts
      .map(([i, part], k) => (k === 0 ? part : `${parts[k - 1]![0] === i - 1 ? gapBefore(i) : GAP}${part}`))
      .join("") + (end.length <= left ? end : "")
  );
}

export type Limit = { readonly seq: number; readonly text: string };

/** Share of the room that one sentence may take: a page without a stop is one sentence. */
const ONE_OF = 4;

/** The limits that were set, each once: the first of every message before the second of any, the newest first. */
export function limitsOf(messages: readonly Pick<Piece, "seq" | "text">[], room: number): Limit[] {
  const most = Math.max(STUB, room / ONE_OF);
  const limits = new Map<string, Limit & { readonly rank: number }>();
  for (const { seq, text } of messages.toReversed()) {
    let rank = 0;
    for (const sentence of sentencesOf(text)) {
      if (!isConstraint(sentence.text)) continue;
      const line = around(oneLine(sentence.text), most);
      const key = line.toLowerCase();
      if (!limits.has(key)) limits.set(key, { seq, text: line, rank: rank++ });
    }
  }
  return [...limits.values()].toSorted((a, b) => a.rank - b.rank || b.seq - a.seq);
}

/** A long sentence: the stretch about the word that sets the limit. */
function around(sentence: string, chars: number): string {
  if (sentence.length <= chars) return sentence;
  const at = constraintAt(sentence);
  if (at < chars / 2) return clipped(sentence, chars);
  const wanted = at - Math.floor(chars / 3);
  const space = sentence.indexOf(" ", wanted);
  const from = space >= 0 && space < at ? space + 1 : isLow(sentence.charCodeAt(wanted)) ? wanted + 1 : wanted;
  return `…${clipped(sentence.slice(from), chars - 1)}`;
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
