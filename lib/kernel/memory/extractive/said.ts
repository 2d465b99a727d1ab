// What the person said, word for word as far as it fits. Every message gets the same room at most, so that one pasted page
// does not push the short words out; of a longer one its beginning, its constraints and its end come first.
import { clipped, oneLine } from "./line-text.ts";
import { isConstraint, sentencesOf } from "./sentences.ts";
import type { Piece } from "./piece.ts";

export type Said = { readonly seq: number; readonly text: string };

/** Messages of the person, in order, each on one line; together at most about `chars` characters. */
export function saidWithin(pieces: readonly Piece[], chars: number): Said[] {
  const messages = pieces.filter(({ kind }) => kind === "user");
  const room = equalRoom(
    messages.map(({ text }) => text.length),
    chars,
  );
  return messages.map(({ seq, text }) => ({ seq, text: shortened(text, room) })).filter(({ text }) => text !== "");
}

/** The largest length for which all together fit, when longer ones are cut to it. */
function equalRoom(lengths: readonly number[], chars: number): number {
  let [left, count] = [chars, lengths.length];
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * count > left) return Math.max(0, Math.floor(left / count));
    left -= length;
    count--;
  }
  return Number.POSITIVE_INFINITY;
}

/** Shorter than this nothing of a message makes sense. */
const LEAST = 24;
const GAP = " … ";

function shortened(text: string, room: number): string {
  const whole = oneLine(text);
  if (whole.length <= room) return whole;
  if (room < LEAST) return "";
  const sentences = sentencesOf(text).map((sentence) => ({ ...sentence, text: oneLine(sentence.text) }));
  const rankOf = (i: number): number =>
    i === 0 ? 0 : isConstraint(sentences[i]!.text) ? 1 : i === sentences.length - 1 ? 2 : 3;
  const order = sentences.map((_, i) => i).toSorted((a, b) => rankOf(a) - rankOf(b) || a - b);
  const kept = new Set<number>();
  let left = room;
  for (const i of order) {
    const cost = sentences[i]!.text.length + GAP.length;
    if (cost > left) continue;
    kept.add(i);
    left -= cost;
  }
  // One sentence that is longer than the room.
  if (kept.size === 0) return clipped(whole, room);
  const parts = [...kept].toSorted((a, b) => a - b);
  return parts
    .map((i, k) => `${k > 0 ? (parts[k - 1] === i - 1 ? " " : GAP) : i === 0 ? "" : "… "}${sentences[i]!.text}`)
    .join("");
}
