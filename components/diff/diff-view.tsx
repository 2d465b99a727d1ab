"use client";
// What differs between two texts: found in a worker, drawn where the reader looks.
import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useRowScroll } from "../table/use-row-scroll.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount, formatDuration } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { DiffClient, NOT_COMPARED, type DiffSnapshot } from "./diff-client.ts";
import { DiffRow } from "./diff-row.tsx";
import type { Mode } from "./diff-rows.ts";
import type { DiffAsk, DiffRow as DiffLineRow, Layout, Summary } from "./diff-words.ts";
import "./diff-view.css";

type DiffViewProps = {
  /** Stable (useMemo). */
  ask: DiffAsk;
  mode: Mode;
  onMode: (mode: Mode) => void;
  /** Null where neither side is JSON. */
  layout: Layout | null;
  onLayout: (layout: Layout) => void;
};

const LINE_PX = 18;
/** A character of JetBrains Mono at 12 px. */
const CHAR_PX = 7.2;
/** Lines of what is before a change stay in sight. */
const ABOVE = 4;

const MODES = [
  { value: "split", label: "Side by side" },
  { value: "unified", label: "Unified" },
] as const;
const LAYOUTS = [
  { value: "stored", label: "As stored" },
  { value: "laid", label: "Laid out" },
  { value: "sorted", label: "Keys sorted" },
] as const;

export function DiffView({ ask, mode, onMode, layout, onLayout }: DiffViewProps) {
  const client = useMemo(() => new DiffClient(ask), [ask]);
  const found = useSyncExternalStore(client.subscribe, client.snapshot, () => NOT_COMPARED);
  const [isAllOpen, setAllOpen] = useState(false);
  // Each comparison begins at its first change.
  const [stepped, setStepped] = useState({ client, at: 0 });
  useEffect(() => client.show(mode, isAllOpen), [client, mode, isAllOpen]);
  const count = found.changes.length;
  const change = count === 0 ? null : Math.min(stepped.client === client ? stepped.at : 0, count - 1);
  const step = (by: 1 | -1) => {
    if (count === 0) return;
    setStepped((now) => {
      const at = now.client === client ? now.at : 0;
      return { client, at: Math.min(Math.max(at + by, 0), count - 1) };
    });
  };
  const stepNow = useRef(step);
  useEffect(() => {
    stepNow.current = step;
  });
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "n", label: "Next change", group: "Comparison", run: () => stepNow.current(1) },
      { keys: "p", label: "Change before", group: "Comparison", run: () => stepNow.current(-1) },
    ],
    [],
  );
  useShortcuts(shortcuts);
  if (found.failure !== null)
    return (
      <div className="p-6">
        <Failure code="failed" title="These could not be compared">
          {found.failure}
        </Failure>
      </div>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-none flex-wrap items-center gap-2 border-y border-line px-6 py-1.5 text-12 max-md:px-4">
        <Segmented label="How changes are shown" value={mode} options={MODES} onPick={onMode} />
        {layout !== null && (
          <Segmented label="How JSON is compared" value={layout} options={LAYOUTS} onPick={onLayout} />
        )}
        <Button small kind="quiet" aria-pressed={isAllOpen} onClick={() => setAllOpen(!isAllOpen)}>
          {isAllOpen ? "Fold unchanged lines" : "Show unchanged lines"}
        </Button>
        <span className="flex-1" />
        {found.summary && <Totals summary={found.summary} changes={count} change={change} />}
        <Button small disabled={count === 0} title="Change before (p)" onClick={() => step(-1)}>
          <ArrowUp size={12} aria-hidden="true" />
          Before
        </Button>
        <Button small disabled={count === 0} title="Next change (n)" onClick={() => step(1)}>
          <ArrowDown size={12} aria-hidden="true" />
          Next
        </Button>
      </div>
      {found.summary === null ? (
        <div className="flex-1 px-6 py-2">
          <Loading rows={10} height={18} label="Comparing" />
        </div>
      ) : count === 0 && found.version > 0 && found.summary.notes.length === 0 ? (
        <p className="flex-1 px-6 py-4 text-ink-2">
          {layout === null || layout === "stored" ? "No line differs." : "Laid out like this, no line differs."}
        </p>
      ) : (
        <Rows client={client} found={found} mode={mode} change={change} />
      )}
      {found.summary && <Foot summary={found.summary} />}
    </div>
  );
}

function Totals({ summary, changes, change }: { summary: Summary; changes: number; change: number | null }) {
  return (
    <output className="text-ink-2" aria-label="What differs">
      <b className="font-semibold text-diff-add-ink">+{summary.added.toLocaleString("en-US")}</b>{" "}
      <b className="font-semibold text-diff-del-ink">−{summary.removed.toLocaleString("en-US")}</b> lines in{" "}
      {formatCount(changes, "change")}
      {change !== null && <span className="text-ink-3">, at {(change + 1).toLocaleString("en-US")}</span>}
    </output>
  );
}

function Foot({ summary: { leftLines, rightLines, isFewest, notes, ms } }: { summary: Summary }) {
  return (
    <p className="flex flex-none flex-wrap gap-x-3 border-t border-line px-6 py-1.5 text-12 text-ink-3 max-md:px-4">
      <span>
        {formatCount(leftLines, "line")} and {formatCount(rightLines, "line")} compared in {formatDuration(ms)}.
      </span>
      {!isFewest && (
        <span>They differ so much that changes were found by the lines that occur once: fewer may be possible.</span>
      )}
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </p>
  );
}

/** How far to the right a line's first mark begins, where it would not be seen (px); null for what is no changed line. */
function shiftOf(row: DiffLineRow | null, width: number): number | null {
  if (row === null || row.kind === "fold" || row.isSame) return null;
  const marks = [row.left, row.right].flatMap((side) => side?.marks[0]?.[0] ?? []);
  const first = marks.length === 0 ? 0 : Math.min(...marks) * CHAR_PX;
  return first < width ? 0 : Math.max(0, first - width / 3);
}

type RowsProps = { client: DiffClient; found: DiffSnapshot; mode: Mode; change: number | null };

function Rows({ client, found, mode, change }: RowsProps) {
  const box = useRef<HTMLElement>(null);
  const row = change === null ? null : (found.changes[change] ?? null);
  const { count } = found;
  const view = useRowScroll(box, { count, px: LINE_PX });
  const { show } = view;
  // Lines that are unfolded above a change move it: the reader stays with what was unfolded.
  const last = useRef<{ change: number | null; unfoldedAt: number }>({ change: null, unfoldedAt: -1 });
  const { version } = found;
  useEffect(() => {
    const isUnfolding = last.current.change === change && last.current.unfoldedAt === version - 1;
    last.current.change = change;
    if (row !== null && !isUnfolding) show(Math.max(0, row - ABOVE), "top");
  }, [row, change, version, show]);
  // Of a line that is wider than its half the part is shown that differs.
  const current = row === null ? null : (found.window.rows[row - found.window.from] ?? null);
  const shift = shiftOf(current, (mode === "split" ? view.width / 2 : view.width) - 120);
  useEffect(() => {
    if (row !== null && shift !== null) box.current?.scrollTo({ left: shift, behavior: "instant" });
  }, [shift, row]);
  const { from, to, top, height } = view.rows;
  useEffect(() => client.look(from, to), [client, from, to]);
  const { summary, window: seen } = found;
  const digits = String(Math.max(summary?.leftLines ?? 0, summary?.rightLines ?? 0)).length;
  const gutter = (digits + 2) * CHAR_PX * (mode === "split" ? 1 : 2) + 20;
  const half = (mode === "split" ? view.width / 2 : view.width) - gutter;
  const extra = Math.max(0, (summary?.longest ?? 0) * CHAR_PX + 24 - half);
  return (
    <section
      ref={box}
      aria-label="Lines that differ, and those around them"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
      onScroll={view.onScroll}
    >
      <div className="relative" style={{ height, width: view.width + extra }}>
        <div
          className="sticky left-0"
          style={{ width: view.width, transform: `translateY(${top}px)`, ["--diff-shift" as string]: view.left }}
        >
          {Array.from({ length: Math.max(0, to - from) }, (_, i) => {
            const at = from + i;
            return (
              <DiffRow
                key={at}
                row={seen.rows[at - seen.from] ?? null}
                mode={mode}
                digits={digits}
                isCurrent={at === row}
                onUnfold={(run) => {
                  last.current.unfoldedAt = version;
                  client.unfold(run);
                }}
              />
            );
          })}
        </div>
      </div>
    </section>
  );
}
