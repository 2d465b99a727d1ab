"use client";
// The shape of an artifact as an outline: paths with how often they stand, their values with how often they come.
// Picking one gives a jq program for it. Keys as in any tree: arrows move, open and close, Enter picks.
import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState, type KeyboardEvent } from "react";
import type { ShapeAnswer } from "#lib/wire/shape-schema.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { shapeQuery, type ShapeOf } from "./shape-query.ts";
import { ShapeRowView } from "./shape-row.tsx";
import { programOf, shapeRows, type ShapeRow } from "./shape-rows.ts";
import { readWords, shapeNotes } from "./shape-words.ts";

type ShapeExplorerProps = {
  artifact: ShapeOf;
  /** Takes a jq program for what was picked; without it nothing can be picked. */
  onPick?: ((program: string) => void) | undefined;
};

export function ShapeExplorer({ artifact, onPick }: ShapeExplorerProps) {
  const shape = useQuery(shapeQuery(artifact));
  return (
    <>
      <h2 className="flex items-baseline gap-2 text-13 font-semibold">
        <span className="flex-1">Shape</span>
        {shape.data && <span className="text-12 font-normal text-ink-3">{readWords(shape.data)}</span>}
      </h2>
      <div className="mt-1 text-12 text-ink-2">
        {shape.data ? (
          // Another artifact opens as it would the first time.
          <Outline key={artifact.digest} shape={shape.data} onPick={shape.data.kind === "table" ? undefined : onPick} />
        ) : shape.error ? (
          <RequestFailure error={shape.error} title="Its shape could not be read" />
        ) : (
          <Loading rows={6} height={24} label="Reading the shape" />
        )}
      </div>
    </>
  );
}

function Outline({ shape, onPick }: { shape: ShapeAnswer; onPick: ((program: string) => void) | undefined }) {
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const prefix = useId();
  const rows = useMemo(() => shapeRows(shape, opened), [shape, opened]);
  const notes = useMemo(() => shapeNotes(shape), [shape]);
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === active),
  );
  const idOf = (row: ShapeRow) => `${prefix}${row.id}`;

  const go = (to: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (!row) return;
    setActive(row.id);
    document.getElementById(idOf(row))?.scrollIntoView({ block: "nearest" });
  };
  const toggle = (row: ShapeRow, open = row.isOpen === false) => {
    if (row.isOpen === null || row.isOpen === open) return;
    setActive(row.id);
    setOpened((before) => new Map(before).set(row.id, open));
  };
  const pick = (row: ShapeRow) => {
    setActive(row.id);
    if (row.note !== null || onPick === undefined) toggle(row);
    else onPick(programOf(row, shape.nodes));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.metaKey || event.ctrlKey || event.altKey) return;
    const does: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.isOpen === false ? toggle(row) : go(rows[at + 1]?.level === row.level + 1 ? at + 1 : at)),
      ArrowLeft: () => (row.isOpen === true ? toggle(row, false) : go(aboveOf(rows, at))),
      Enter: () => pick(row),
      " ": () => toggle(row, row.isOpen !== true),
    };
    if (!Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    does[event.key]!();
  };

  if (rows.length === 0) return <p className="text-ink-3">Nothing in it: no value was read.</p>;
  return (
    <>
      <ul
        role="tree"
        tabIndex={0}
        aria-label={onPick ? "Shape. Enter asks jq for a place." : "Shape"}
        aria-activedescendant={idOf(rows[at]!)}
        onKeyDown={onKeyDown}
        className="group/shape -mx-1.5 outline-none"
      >
        {rows.map((row, index) => (
          <ShapeRowView
            key={row.id}
            id={idOf(row)}
            row={row}
            isActive={index === at && active !== null}
            isCurrent={index === at}
            onPick={row.note !== null || onPick === undefined ? undefined : pick}
            onToggle={toggle}
          />
        ))}
      </ul>
      {notes.map((note) => (
        <p key={note} className="mt-1.5 text-ink-3">
          {note}
        </p>
      ))}
    </>
  );
}

/** The row that a row lies in. */
function aboveOf(rows: readonly ShapeRow[], at: number): number {
  const { level } = rows[at]!;
  for (let above = at - 1; above >= 0; above -= 1) if (rows[above]!.level < level) return above;
  return at;
}
