import { ChevronDown, ChevronRight } from "lucide-react";
import type { JsonRow } from "#lib/wire/json-tree-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { formatCount } from "../ui/format.ts";
import type { Slot } from "./open-tree.ts";
import { Marked, type Sought } from "./marked.tsx";
import { MARK_WORDS } from "./tree-notes.ts";

type TreeRowProps = {
  slot: Slot;
  row: JsonRow | undefined;
  isChosen: boolean;
  sought: Sought | null;
  /** `fold`: the arrow was pressed. */
  onPick: (slot: Slot, row: JsonRow | undefined, how: "choose" | "fold") => void;
};

export const slotId = ({ row }: Pick<Slot, "row">): string => `json-row-${row}`;

export const canUnfold = (row: JsonRow): boolean =>
  (row.kind === "object" || row.kind === "array" || row.kind === "document") && row.count > 0;

export function TreeRow({ slot, row, isChosen, sought, onPick }: TreeRowProps) {
  const level = slot.trail.length;
  const isOpen = slot.self !== null;
  const hasArrow = row !== undefined && level > 0 && canUnfold(row);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree has the keys
    <div
      id={slotId(slot)}
      role="treeitem"
      aria-level={level + 1}
      aria-selected={isChosen}
      aria-expanded={row === undefined ? undefined : canUnfold(row) ? isOpen : undefined}
      aria-posinset={slot.ordinal + 1}
      aria-setsize={slot.parent === null ? 1 : slot.parent.count}
      tabIndex={-1}
      className="mono flex h-4.5 cursor-default items-center pr-6 whitespace-pre text-ink-2 hover:bg-sunk data-chosen:bg-select"
      data-chosen={isChosen || undefined}
      style={{ paddingLeft: 24 + Math.min(level, 40) * 16 }}
      onClick={() => onPick(slot, row, "choose")}
      onDoubleClick={() => onPick(slot, row, "fold")}
    >
      <span
        className="-ml-[3px] grid size-4.5 flex-none place-items-center text-ink-3"
        aria-hidden="true"
        onClick={hasArrow ? (event) => (event.stopPropagation(), onPick(slot, row, "fold")) : undefined}
      >
        {hasArrow && (isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />)}
      </span>
      {row === undefined ? <span className="text-ink-3">…</span> : <Content row={row} slot={slot} sought={sought} />}
    </div>
  );
}

function Content({ row, slot, sought }: { row: JsonRow; slot: Slot; sought: Sought | null }) {
  const isTop = slot.parent === null;
  return (
    <>
      {!isTop && (
        <span className={row.key === null ? "text-ink-3" : "text-syn-key"}>
          {row.key === null ? (
            slot.ordinal.toLocaleString("en-US")
          ) : row.key === "" ? (
            '""'
          ) : (
            <Marked text={row.key} sought={sought} />
          )}
          {row.keyChars !== null && <Cut chars={row.keyChars} />}
        </span>
      )}
      {!isTop && <span className="text-ink-3">{": "}</span>}
      <ShownValue row={row} isOpen={slot.self !== null} sought={sought} />
      {row.marks.map((mark) => (
        <span key={mark} className="ml-2 font-sans">
          <Badge
            title={
              mark === "inexact" && row.double !== null ? `${MARK_WORDS[mark][1]}: ${row.double}` : MARK_WORDS[mark][1]
            }
          >
            {MARK_WORDS[mark][0]}
            {mark === "inexact" && row.double !== null && ` → ${row.double}`}
          </Badge>
        </span>
      ))}
    </>
  );
}

function ShownValue({ row, isOpen, sought }: { row: JsonRow; isOpen: boolean; sought: Sought | null }) {
  const { kind, text, chars, count } = row;
  if (kind === "document") return <span className="text-ink-3">{formatCount(count, "value")}</span>;
  if (kind === "object" || kind === "array") {
    const number = count.toLocaleString("en-US");
    return (
      <>
        <span
          className="text-ink-2"
          title={kind === "object" ? formatCount(count, "key") : formatCount(count, "element")}
        >
          {kind === "object" ? `{${number}}` : `[${number}]`}
        </span>
        {!isOpen && count > 0 && (
          <span className="ml-2 text-ink-3">
            <Marked text={text} sought={sought} />
            {chars !== null && "…"}
          </span>
        )}
      </>
    );
  }
  if (kind === "string")
    return (
      <span className="text-syn-str">
        "<Marked text={text.replaceAll("\n", "↵").replaceAll("\t", "⇥")} sought={sought} />
        {chars === null ? '"' : <Cut chars={chars} />}
      </span>
    );
  return (
    <span
      className={
        kind === "number" ? "text-syn-num" : kind === "broken" || kind === "deep" ? "text-ink-2" : "text-syn-fn"
      }
    >
      <Marked text={text} sought={sought} />
      {chars !== null && (kind === "number" ? <Cut chars={chars} /> : "…")}
    </span>
  );
}

const Cut = ({ chars }: { chars: number }) => (
  <span className="font-sans text-ink-3"> … {chars.toLocaleString("en-US")} characters</span>
);
