"use client";
// One row of the outline: the path and its types, how often, and a gauge of that.
import type { ShapeNode } from "#lib/wire/shape-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { ShapeRow } from "./shape-rows.ts";
import { isOptional, typeWords } from "./shape-words.ts";

type ShapeRowViewProps = {
  id: string;
  row: ShapeRow;
  /** The keyboard is on it. */
  isCurrent: boolean;
  isActive: boolean;
  onPick: ((row: ShapeRow) => void) | undefined;
  onToggle: (row: ShapeRow) => void;
};

const INDENT_PX = 14;

export function ShapeRowView({ id, row, isCurrent, isActive, onPick, onToggle }: ShapeRowViewProps) {
  const { node, value, note, isOpen, level } = row;
  const isNode = value === null && note === null;
  return (
    // The tree has the focus and its keys; a row takes the pointer.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <li
      id={id}
      role="treeitem"
      aria-level={level}
      aria-selected={isActive}
      {...(isOpen !== null && { "aria-expanded": isOpen })}
      title={onPick && isNode ? shownText(node.path) : undefined}
      onClick={() => (onPick ? onPick(row) : onToggle(row))}
      className={`grid grid-cols-[minmax(0,1fr)_auto_64px] items-center gap-2 rounded-[3px] px-1.5 ${isNode ? "h-6 border-b border-line" : "h-5"} ${onPick || isOpen !== null ? "cursor-pointer hover:bg-sunk" : ""} ${isActive ? "bg-select" : ""} ${isCurrent ? "group-focus-visible/shape:outline-2 group-focus-visible/shape:-outline-offset-2 group-focus-visible/shape:outline-accent" : ""}`}
    >
      <span className="flex min-w-0 items-center" style={{ paddingLeft: (level - 1) * INDENT_PX }}>
        <Opener row={row} onToggle={onToggle} />
        {isNode ? <NodeCell node={node} /> : <ValueNote row={row} />}
      </span>
      <span className="num text-right text-ink-3">{countText(row)}</span>
      {row.share === null ? (
        <span />
      ) : (
        <span className="h-1 bg-line" aria-hidden>
          <i
            className={`block h-1 bg-ink-2 ${isNode ? "" : "opacity-60"}`}
            style={{ width: `${Math.max(row.share > 0 ? 2 : 0, row.share * 100)}%` }}
          />
        </span>
      )}
    </li>
  );
}

function Opener({ row, onToggle }: Pick<ShapeRowViewProps, "row" | "onToggle">) {
  if (row.isOpen === null) return <span className="w-4 flex-none" />;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- arrows open and close
    <span
      aria-hidden
      className="-my-1 w-4 flex-none py-1 text-ink-3 hover:text-ink"
      onClick={(event) => {
        event.stopPropagation();
        onToggle(row);
      }}
    >
      <svg viewBox="0 0 10 10" className={`size-2.5 ${row.isOpen ? "rotate-90" : ""}`}>
        <path d="M3 1.5 7 5 3 8.5" fill="none" stroke="currentColor" strokeWidth="1.2" />
      </svg>
    </span>
  );
}

function NodeCell({ node }: { node: ShapeNode }) {
  return (
    <>
      <span className="mono min-w-0 flex-none truncate text-ink" style={{ maxWidth: "75%" }}>
        <SafeText text={nameOf(node)} />
        {isOptional(node) && <span className="text-ink-3">?</span>}
      </span>
      <span className="ml-2 min-w-0 truncate text-ink-3">{typeWords(node)}</span>
    </>
  );
}

/** The last step of its path, as one would write it. */
function nameOf({ step, key, path }: ShapeNode): string {
  if (step === "root") return ".";
  if (step !== "key") return ".[]";
  return path.endsWith(`.${key}`) || path.endsWith(`.${key}?`) ? `.${key}` : `.[${JSON.stringify(key)}]`;
}

function ValueNote({ row }: { row: ShapeRow }) {
  const { value, note } = row;
  if (value === null) return <span className="min-w-0 truncate text-ink-3">{note}</span>;
  const isText = value.type === "string";
  return (
    <span className="min-w-0 truncate">
      {/* One of many: without a count it stands for others like it. */}
      {row.count === null && <span className="text-ink-3">e.g. </span>}
      {isText && value.text === "" ? (
        <span className="text-ink-3">empty</span>
      ) : (
        <SafeText text={oneLine(value.text)} />
      )}
      {value.isCut && "…"}
      {!isText && value.type !== "number" && (
        <span className="text-ink-3"> {value.type === "null" ? "" : value.type}</span>
      )}
    </span>
  );
}

/** Line ends would part the row. */
const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ↵ ");

function countText({ count, node, share, value, note }: ShapeRow): string {
  if (count === null) return "";
  if (value === null && note === null && node.step === "key" && share === 1) return "all";
  return count.toLocaleString("en-US");
}
