// Names on the chart stand beside their step and never over each other: each note tries a few positions, nearest first.
// Where its name would lie over the stack the size stands alone; one that finds no position is left out (the tip and the
// table still have it).

export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Anchor = "start" | "end";
export type NoteRequest = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The width of its size alone. */
  readonly short: number;
  readonly key: number;
};
export type PlacedNote = {
  readonly key: number;
  readonly x: number;
  /** Where the stem starts: the top of the step. */
  readonly y: number;
  readonly anchor: Anchor;
  /** Its one or two lines of text. */
  readonly box: Box;
  /** Its size without its name. */
  readonly isShort: boolean;
  /** It lies over what it should have avoided, and needs a plate under its text. */
  readonly isOver: boolean;
};

/** Two lines of 11/13 px, and one. */
const NOTE_HEIGHT = 27;
const SHORT_HEIGHT = 14;
const STEM = 6;
/** Px that a note may climb above its step: past 84 px the eye loses whose it is. */
const CLIMBS = [6, 18, 30, 44, 60, 84];

/** About how wide text of 11 px is: Inter's mean advance is 0.56 em in file names and figures. */
export const textWidth = (text: string, size = 11): number => Math.ceil(text.length * size * 0.56) + 2;

/** What a note may never touch, what it touches only where there is no other position, and its outer edge. */
export type Room = { readonly taken: readonly Box[]; readonly avoid: readonly Box[]; readonly bounds: Box };

/** Only the two largest may lie over what should be kept clear: a third would hide more than it says. */
const OVER = 2;

/** Positions notes in their order (largest first). */
export function layoutNotes(requests: readonly NoteRequest[], room: Room): PlacedNote[] {
  const placed: PlacedNote[] = [];
  for (const [rank, request] of requests.entries()) {
    const taken = [...room.taken, ...placed.flatMap((note) => [note.box, stemOf(note)])];
    const spot =
      spotFor(request, taken, room, { isShort: false, keepsOff: true }) ??
      spotFor(request, taken, room, { isShort: true, keepsOff: true }) ??
      (rank < OVER ? spotFor(request, taken, room, { isShort: true, keepsOff: false }) : null);
    if (spot) placed.push(spot);
  }
  return placed;
}

export const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const stemOf = (note: PlacedNote): Box => ({
  x: note.x - 1,
  y: note.box.y,
  width: 2,
  height: Math.max(note.y - note.box.y, 1),
});

function spotFor(
  request: NoteRequest,
  taken: readonly Box[],
  { avoid: all, bounds }: Room,
  { isShort, keepsOff }: { isShort: boolean; keepsOff: boolean },
): PlacedNote | null {
  const width = isShort ? request.short : request.width;
  const height = isShort ? SHORT_HEIGHT : NOTE_HEIGHT;
  for (const climb of CLIMBS)
    for (const anchor of ["end", "start"] as const) {
      const box = {
        x: anchor === "end" ? request.x - STEM - width : request.x + STEM,
        y: request.y - climb - height,
        width,
        height,
      };
      const isOver = all.some((other) => overlaps(box, other));
      const note: PlacedNote = { key: request.key, x: request.x, y: request.y, anchor, box, isShort, isOver };
      const mine = [box, stemOf(note)];
      const free =
        mine.every((own) => inside(own, bounds) && !taken.some((other) => overlaps(own, other))) &&
        !(isOver && keepsOff);
      if (free) return note;
    }
  return null;
}

const inside = (box: Box, bounds: Box): boolean =>
  box.x >= bounds.x &&
  box.y >= bounds.y &&
  box.x + box.width <= bounds.x + bounds.width &&
  box.y + box.height <= bounds.y + bounds.height;

/** Labels in one line at the top, by their centres: the long text, the short one, or null where neither fits. */
export function layoutLabels(
  labels: readonly { readonly x: number; readonly long: string; readonly short: string }[],
  left: number,
  right: number,
): ({ readonly x: number; readonly text: string } | null)[] {
  let taken = left;
  return labels.map((label, i) => {
    const next = labels[i + 1];
    for (const text of [label.long, label.short]) {
      const width = textWidth(text);
      const x = Math.max(left + width / 2, Math.min(right - width / 2, label.x));
      const room = next === undefined ? right : Math.max(next.x - textWidth(next.short) / 2 - 8, x + width / 2 - 0.1);
      if (x - width / 2 >= taken && x + width / 2 <= room + 0.2) {
        taken = x + width / 2 + 8;
        return { x, text };
      }
    }
    return null;
  });
}
