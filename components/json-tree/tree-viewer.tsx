"use client";
// JSON as a tree. The page holds the rows on screen and which values are unfolded; all else stays on the server.
import { useQueries } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore, type KeyboardEvent } from "react";
import type { JsonRow } from "#lib/wire/json-tree-schema.ts";
import type { ViewerProps } from "../shared/content-kind.ts";
import { lineWindow } from "../lines/line-window.ts";
import { useLineScroll } from "../lines/use-line-scroll.ts";
import { boxHeight } from "../ui/scroll-scale.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { FindBar } from "./find-in-tree.tsx";
import { slotsBetween, type Slot } from "./open-tree.ts";
import { PathFoot } from "./path-foot.tsx";
import { ROWS } from "./first-rows.ts";
import { rowsQuery } from "./tree-queries.ts";
import { canUnfold, slotId, TreeRow } from "./tree-row.tsx";
import { useFind } from "./use-find.ts";
import { useTree } from "./use-tree.ts";
import "../lines/lines.css";

export function JsonTreeViewer({ artifact }: ViewerProps) {
  const tree = useTree(artifact);
  const { top, said, unfoldBelow, foldAll } = tree;
  const finder = useFind(artifact, artifact.sizeBytes, tree.reveal);
  const chosen = useRef<{ slot: Slot; row: JsonRow | undefined } | null>(null);
  if (top.error) return <NotShown error={top.error} />;
  if (!top.data || tree.tree === null)
    return (
      <div className="flex-1 p-6">
        <Loading rows={8} label="Reading the JSON" />
      </div>
    );
  return (
    <>
      <FindBar finder={finder}>
        {said !== null && <output className="text-ink-3">{said}</output>}
        <Button small kind="quiet" onClick={() => void unfoldBelow(chosen.current?.slot, chosen.current?.row)}>
          Unfold all below
        </Button>
        <Button small kind="quiet" onClick={foldAll}>
          Fold all
        </Button>
      </FindBar>
      <TreeBox artifact={artifact} tree={tree} sought={finder.sought} onChosen={(one) => (chosen.current = one)} />
      <PathFoot artifact={artifact} path={tree.path} state={top.data.state} />
    </>
  );
}

export function NotShown({ error }: { error: Error }) {
  return (
    <div className="p-6">
      <RequestFailure error={error} title="This JSON cannot be shown so" />
    </div>
  );
}

type Tree = ReturnType<typeof useTree>;

type TreeBoxProps = ViewerProps & {
  tree: Tree;
  sought: { q: string; exact: boolean };
  onChosen: (chosen: { slot: Slot; row: JsonRow | undefined }) => void;
};

const noChange = () => () => {};
const isTrue = () => true;
const isFalse = () => false;

function TreeBox({ artifact, tree, sought, onChosen }: TreeBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  // The rows come with the page, and stand there before its script has run.
  const isListening = useSyncExternalStore(noChange, isTrue, isFalse);
  const { rows, shown, chosen, chooseRow, toggle, tell, unfoldBelow } = tree;
  const lines = { count: rows, start: shown.serial === 0 ? null : shown.row, serial: shown.serial, wrapPx: null };
  const { heights, scroll, viewport, onScroll } = useLineScroll({ box, block }, lines);
  const { from, to } = lineWindow(heights, viewport, scroll.position);
  const slots = slotsBetween(tree.tree!, from, to);
  const rowOf = useRowsOf(artifact, tree, slots);
  const chosenKey = chosen.join();
  const slot = slots.find(({ trail }) => trail.join() === chosenKey);
  const row = slot && rowOf(slot);
  useEffect(() => {
    if (slot === undefined) return;
    onChosen({ slot, row });
    if (row !== undefined) tell(row);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = slot?.row ?? shown.row;
    const page = Math.max(1, Math.floor(viewport / 18) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => chooseRow(Math.min(rows - 1, at + 1)),
      ArrowUp: () => chooseRow(Math.max(0, at - 1)),
      PageDown: () => chooseRow(Math.min(rows - 1, at + page)),
      PageUp: () => chooseRow(Math.max(0, at - page)),
      Home: () => chooseRow(0),
      End: () => chooseRow(rows - 1),
      ArrowRight: () => {
        if (slot?.self) chooseRow(Math.min(rows - 1, at + 1));
        else if (slot && row && canUnfold(row)) void toggle(slot, row);
      },
      ArrowLeft: () => {
        if (slot?.self && slot.trail.length > 0) void toggle(slot, row);
        else tree.show(chosen.slice(0, -1));
      },
      Enter: () => slot && row && canUnfold(row) && void toggle(slot, row),
      " ": () => slot && row && canUnfold(row) && void toggle(slot, row),
      "*": () => void unfoldBelow(slot, row),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <div
      ref={box}
      role="tree"
      aria-busy={!isListening}
      aria-label="Values of the artifact"
      tabIndex={0}
      aria-activedescendant={slot ? slotId(slot) : undefined}
      className="line-box min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="relative min-w-full" style={{ height: boxHeight(heights.total()) }}>
        <div
          ref={block}
          role="presentation"
          className="absolute min-w-full"
          style={{ top: heights.offsetOf(from) + scroll.bar - scroll.position }}
        >
          {slots.map((one) => (
            <TreeRow
              key={one.row}
              slot={one}
              row={rowOf(one)}
              isChosen={one === slot}
              sought={sought.q === "" ? null : sought}
              onPick={(picked, its, how) => {
                box.current?.focus({ preventScroll: true });
                if (how === "choose") chooseRow(picked.row);
                else if (its && canUnfold(its)) void toggle(picked, its);
              }}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The rows of slots, as far as they have come. */
function useRowsOf(
  artifact: ViewerProps["artifact"],
  { top, tree, isWhole }: Tree,
  slots: readonly Slot[],
): (slot: Slot) => JsonRow | undefined {
  const pages = new Map<string, { at: number; page: number }>();
  for (const { parent, ordinal } of slots) {
    if (parent === null) continue;
    const page = Math.floor(ordinal / ROWS);
    // The first page of the document comes with it.
    if (parent !== tree && page === 0) pages.set(`${parent.at}:0`, { at: parent.at, page });
    else if (page > 0 && isWhole) pages.set(`${parent.at}:${page}`, { at: parent.at, page });
  }
  const wanted = [...pages.values()];
  const isTop = (at: number) => at === tree?.at;
  const answers = useQueries({
    queries: wanted.map(({ at, page }) => rowsQuery(artifact, isTop(at) ? null : at, page)),
  });
  const found = new Map(wanted.map(({ at, page }, i) => [`${at}:${page}`, answers[i]?.data]));
  return ({ parent, ordinal }) => {
    if (parent === null) return top.data?.node;
    const page = Math.floor(ordinal / ROWS);
    const answer = parent === tree && page === 0 ? top.data : found.get(`${parent.at}:${page}`);
    return answer?.rows[ordinal - page * ROWS];
  };
}
