"use client";
// The context at the cursor: area is tokens, colour is category, the older the paler. One stop of the Tab key; arrows walk.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { CATEGORY_NAMES } from "#lib/wire/common-schema.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { paletteOf } from "../chart/paint.ts";
import { useBoxWidth } from "../chart/use-canvas.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { categoryColor, Swatch } from "../ui/swatch.tsx";
import { residentsAt } from "../shared/ledger-view.ts";
import type { LoadCursor } from "../shared/load-cursor.ts";
import { MAP_HEIGHT, tilesOf, type Tile } from "./tiles.ts";
import { TileTable } from "./tile-table.tsx";
import { Player } from "./player.tsx";
import { saveFile } from "../ui/save-file.ts";
import { themeColors } from "../ui/theme-colors.ts";
import { treemapSvg } from "./treemap-svg.ts";
import type { Play } from "./use-play.ts";
import { weightWords } from "./weight.tsx";

type TreemapProps = { ledger: LedgerAnswer; cursor: LoadCursor; play: Play };

export function Treemap({ ledger, cursor, play }: TreemapProps) {
  const { call } = cursor;
  const [width, box] = useBoxWidth();
  const [at, setAt] = useState(0);
  const map = useRef<HTMLDivElement>(null);
  const items = useMemo(() => residentsAt(ledger, call), [ledger, call]);
  const [isScaled, setScaled] = useState<boolean | null>(null);
  // What plays fills the map and drains it; what stands still has all the room.
  const toLine = cursor.view.line === null ? null : (isScaled ?? play.isPlaying);
  const { height, lineAt } = roomOf(cursor, toLine === true);
  const tiles = useMemo(() => tilesOf(items, call, width, height), [items, call, width, height]);
  const here = Math.min(at, Math.max(0, tiles.length - 1));
  const under = tiles[here];
  const below = items.filter(({ tokens }) => tokens < 0).reduce((sum, { tokens }) => sum + tokens, 0);
  // The verdict and the table's rows above may have it below the fold.
  useEffect(() => {
    if (play.isPlaying) map.current?.scrollIntoView({ block: "nearest" });
  }, [play.isPlaying]);
  const save = () => {
    if (map.current === null) return;
    const moment = {
      title: ledger.title,
      call,
      tokens: cursor.view.prompts[cursor.index] ?? 0,
      line: cursor.view.line,
      width,
      tiles,
      free: MAP_HEIGHT - height,
      lineAt,
    };
    const colors = { ...paletteOf(map.current), load: themeColors(map.current).color("--load-line") };
    saveFile(new Blob([treemapSvg(moment, colors)], { type: "image/svg+xml" }), `context-call-${call}.svg`);
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? tiles.length - 1 : step && here + step;
    if (next === undefined || tiles[next] === undefined) return;
    event.preventDefault();
    setAt(next);
    map.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div className="mt-3.5">
      <Player play={play} cursor={cursor} toLine={toLine} onToLine={setScaled} onSave={save} />
      <div className="mt-1 flex h-6 items-center gap-2 text-12">
        {under && <UnderHand tile={under} call={call} prompt={items.reduce((sum, { tokens }) => sum + tokens, 0)} />}
        <span className="flex-1" />
        <TileTable items={items} call={call} openEvent={cursor.openEvent} />
      </div>
      <div ref={box} className="mt-1">
        <div
          ref={map}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset has no box of its own to position tiles in
          role="group"
          aria-label={`The context of call ${call}, ${formatCount(tiles.length, "tile")}`}
          className="relative"
          style={{ height: MAP_HEIGHT }}
        >
          {lineAt !== null && (
            <i className="pointer-events-none absolute inset-x-0 z-10 h-px bg-load" style={{ top: lineAt }} />
          )}
          {tiles.map((tile, i) => (
            <TileBox
              key={tile.key}
              tile={tile}
              top={MAP_HEIGHT - height}
              isStop={i === here}
              onLook={() => setAt(i)}
              onKey={walk}
              onOpen={() => tile.item?.seq != null && cursor.openEvent(tile.item.seq)}
            />
          ))}
        </div>
      </div>
      <p className="mt-1 text-12 text-ink-3">
        Area: tokens. Colour: category. Paler: older. {below < 0 && takenOut(-below)}
      </p>
    </div>
  );
}

const takenOut = (tokens: number): string =>
  `${formatTokens(tokens)} tokens less were reported than these weigh: something was taken out that the file does not name.`;

/** Px that the tiles of this prompt fill where the map ends at the load line, or at the peak above it. */
function roomOf({ view, index }: LoadCursor, toLine: boolean): { height: number; lineAt: number | null } {
  if (!toLine || view.line === null) return { height: MAP_HEIGHT, lineAt: null };
  const most = view.prompts.reduce((all, prompt) => Math.max(all, prompt), Math.max(view.line, 1));
  const height = Math.max(1, Math.round(((view.prompts[index] ?? 0) / most) * MAP_HEIGHT));
  return { height, lineAt: Math.round((1 - view.line / most) * MAP_HEIGHT) };
}

type TileBoxProps = {
  tile: Tile;
  /** Px of free room above the tiles. */
  top: number;
  isStop: boolean;
  onLook: () => void;
  onKey: (event: KeyboardEvent) => void;
  onOpen: () => void;
};

/** Px that a label needs: one line of 12/16 and its padding, and about four letters. */
const LABEL = { width: 44, height: 18, second: 34 };

function TileBox({ tile, top, isStop, onLook, onKey, onOpen }: TileBoxProps) {
  const { rect, category, age, label, words } = tile;
  const isHatched = category === "unattributed";
  const fits = rect.width >= LABEL.width && rect.height >= LABEL.height;
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      aria-label={words}
      title={words}
      onMouseEnter={onLook}
      onFocus={onLook}
      onKeyDown={onKey}
      onClick={onOpen}
      className={`absolute flex flex-col overflow-hidden rounded-[1px] text-left text-12 leading-4 text-ink hover:z-10 hover:outline hover:outline-ink focus-visible:z-10 ${isHatched ? "hatch" : ""}`}
      style={{
        left: rect.x,
        top: top + rect.y,
        width: rect.width,
        height: rect.height,
        // Narrow tiles keep room for their tint beside the edge in full colour.
        borderLeftWidth: Math.min(3, rect.width / 3),
        padding: fits ? "1px 4px" : 0,
        borderColor: categoryColor(category),
        // At most 42 %: ink on the strongest tint of any category keeps 5:1 in both themes.
        background: isHatched
          ? undefined
          : `color-mix(in srgb, var(--c-${category}) ${16 + 26 * (1 - age)}%, var(--bg))`,
      }}
    >
      {fits && (
        <span className={`max-w-full flex-none truncate ${isHatched ? "w-fit bg-bg px-0.5" : ""}`}>
          <SafeText text={label} />
        </span>
      )}
      {fits && rect.height >= LABEL.second && !isHatched && (
        <span className="max-w-full flex-none truncate text-ink-2 tabular-nums">{formatTokens(tile.tokens, true)}</span>
      )}
    </button>
  );
}

type UnderHandProps = { tile: Tile; call: number; prompt: number };

/** What is under the pointer or the focus, in one line. */
function UnderHand({ tile, call, prompt }: UnderHandProps) {
  const { item, category, label, tokens, origin } = tile;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Swatch category={category} />
      <span className="min-w-24 truncate font-medium">
        <SafeText text={item?.label ?? label} />
      </span>
      <span className="min-w-0 truncate text-ink-2">
        {item ? weightWords(item, origin).split(";")[0] : `${formatTokens(tokens)} tokens`}
        {prompt > 0 && `, ${((tokens / prompt) * 100).toFixed(1)}\u2009% of the prompt`}
        {item && `, ${item.enteredAt === call ? "new" : `since call ${item.enteredAt}`}`} ·{" "}
        {CATEGORY_NAMES[category].toLowerCase()}
      </span>
    </span>
  );
}
