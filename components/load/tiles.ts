// The tiles of the context at a call: categories side by side, and in each its items. Pure.
import { CATEGORIES, type Category, type Origin } from "#lib/wire/common-schema.ts";
import type { LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import { formatTokens, tokenizerWords } from "../ui/format.ts";
import { restOf } from "./item-name.tsx";
import { squarify, type Rect } from "./squarify.ts";

/** Px: what a laptop's screen has left under the verdict. */
export const MAP_HEIGHT = 340;

/** Below 36 px² nobody can point at it: such items share one tile. */
const LEAST_AREA = 36;
const PART = 2;

export type Tile = {
  readonly key: string;
  readonly category: Category;
  /** Null where many small ones share a tile. */
  readonly item: LedgerItemRow | null;
  readonly tokens: number;
  readonly origin: Origin;
  /** 0: came in at this call; 1: as old as the oldest here. */
  readonly age: number;
  readonly label: string;
  readonly words: string;
  readonly rect: Rect;
};

type Cell = Omit<Tile, "rect">;

/** Tiles from the heaviest category and its heaviest item down; negative items have no area. */
export function tilesOf(
  items: readonly LedgerItemRow[],
  call: number,
  width: number,
  height: number = MAP_HEIGHT,
): Tile[] {
  const heavy = items.filter(({ tokens }) => tokens > 0);
  const sum = heavy.reduce((total, { tokens }) => total + tokens, 0);
  if (width <= 0 || height <= 0 || sum === 0) return [];
  const least = (LEAST_AREA / (width * height)) * sum;
  const oldest = heavy.reduce((most, { enteredAt }) => Math.max(most, call - enteredAt), 1);
  const groups = CATEGORIES.map((category) => ({
    category,
    cells: cellsOf(
      heavy.filter(({ kind }) => kind === category),
      { call, oldest, least, category },
    ),
  }))
    .map((group) => ({ ...group, tokens: group.cells.reduce((total, { tokens }) => total + tokens, 0) }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens);
  const rooms = squarify(
    groups.map(({ tokens }) => tokens),
    { x: 0, y: 0, width, height },
  );
  return groups.flatMap(({ cells }, g) => {
    const room = inner(rooms[g] as Rect, PART);
    const rects = squarify(
      cells.map(({ tokens }) => tokens),
      room,
    );
    return cells.map((cell, i) => ({ ...cell, rect: inner(rects[i] as Rect, 1) }));
  });
}

/** Parted from its neighbours by so many px. */
const inner = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x,
  y,
  width: Math.max(1, width - by),
  height: Math.max(1, height - by),
});

type Cutting = { readonly call: number; readonly oldest: number; readonly least: number; readonly category: Category };

function cellsOf(items: readonly LedgerItemRow[], { call, oldest, least, category }: Cutting): Cell[] {
  const large = items.filter(({ tokens }) => tokens >= least);
  const small = items.filter(({ tokens }) => tokens < least);
  const cells = large
    .toSorted((a, b) => b.tokens - a.tokens)
    .map((item): Cell => {
      const { origin } = item;
      return {
        key: `${item.seq ?? `${item.label} ${item.enteredAt}`}`,
        category,
        item,
        tokens: item.tokens,
        origin,
        age: (call - item.enteredAt) / oldest,
        label: shortName(restOf(item.label, item.tool)),
        words: `${item.label}, ${formatTokens(item.tokens)} tokens ${origin}, since call ${item.enteredAt}${tokenizerWords(item.textTokens)}`,
      };
    });
  const tokens = small.reduce((sum, item) => sum + item.tokens, 0);
  if (tokens > 0)
    cells.push({
      key: `${category} rest`,
      category,
      item: null,
      tokens,
      origin: "estimated",
      age: 0.5,
      label: `${small.length} small`,
      words: `${small.length} small ones together, ${formatTokens(tokens)} tokens`,
    });
  return cells;
}

/** A tile has room for the end of a path, not for its folders. */
function shortName(label: string): string {
  const path = label.replace(/\/+$/u, "");
  return path.includes("/") && !/\s/u.test(path) ? (path.split("/").at(-1) ?? label) : label;
}
