// An envelope keeps its promised size whatever a tool, a file or a person put into it: shape, preview, summary and tail
// share the tokens that the fixed part leaves. Who needs less than its share leaves the rest to the others.
import { countChars, headOf, tailOf } from "./preview.ts";
import { MORE } from "./shape-counter.ts";
import type { Shape } from "./shape-counter.ts";
import { tokenBound } from "./token-bound.ts";

export type EnvelopeParts = {
  readonly shape: Shape;
  readonly preview: string;
  readonly summary: string;
  readonly tail: string;
};

/** How the room is shared when all need more than there is; 0: the style does not show it. */
export type PartWeights = Readonly<Record<keyof EnvelopeParts, number>>;

export function fitParts(parts: EnvelopeParts, weights: PartWeights, room: number): EnvelopeParts {
  const wanted = Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .map(([name, weight]) => ({
      name: name as keyof EnvelopeParts,
      weight,
      tokens: boundOf(parts[name as keyof EnvelopeParts]),
    }))
    // From the one that needs the least of its share: what it leaves is known when the next is given its own.
    .toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight);
  let left = room;
  let weightLeft = wanted.reduce((sum, { weight }) => sum + weight, 0);
  const rooms = new Map<keyof EnvelopeParts, number>();
  for (const { name, weight, tokens } of wanted) {
    const share = Math.min(tokens, (left * weight) / weightLeft);
    rooms.set(name, share);
    left -= share;
    weightLeft -= weight;
  }
  const roomOf = (name: keyof EnvelopeParts): number => rooms.get(name) ?? 0;
  return {
    shape: fitShape(parts.shape, roomOf("shape")),
    preview: fitPreview(parts.preview, roomOf("preview")),
    summary: fitText(parts.summary, roomOf("summary"), (chars) => headOf(parts.summary, chars)),
    tail: fitText(parts.tail, roomOf("tail"), (chars) => tailOf(parts.tail, chars)),
  };
}

const boundOf = (value: Shape): number => tokenBound(JSON.stringify(value));

/** A text in as many characters as the room has tokens for; `cut` makes the text of so many. */
export function fitText(text: string, room: number, cut: (chars: number) => string): string {
  if (boundOf(text) <= room) return text;
  let low = 0;
  let high = countChars(text);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (boundOf(cut(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** A preview that is cut again says how many characters are missing now. */
function fitPreview(preview: string, room: number): string {
  const [suffix, missing] = /\.\.\.\(truncated, (\d+) more chars\)$/.exec(preview) ?? ["", "0"];
  const body = preview.slice(0, preview.length - suffix.length);
  const all = countChars(body) + Number(missing);
  return fitText(preview, room, (chars) => {
    const head = headOf(body, chars);
    return `${head}...(truncated, ${all - countChars(head)} more chars)`;
  });
}

/** Fewer keys, down to none; of one string, fewer characters. */
function fitShape(shape: Shape, room: number): Shape {
  if (boundOf(shape) <= room) return shape;
  if (typeof shape === "string") return fitText(shape, room, (chars) => `${headOf(shape, chars)}…`);
  const keys = Object.entries(shape).filter(([key]) => key !== MORE);
  const hidden = Number(/\d+/.exec(shape[MORE] ?? "0")?.[0] ?? 0);
  for (let shown = keys.length - 1; ; shown--) {
    const more = [MORE, `+${hidden + keys.length - shown} more keys`] as const;
    const fitted = Object.fromEntries([...keys.slice(0, shown), more]);
    if (shown === 0 || boundOf(fitted) <= room) return fitted;
  }
}
