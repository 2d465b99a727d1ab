"use client";
import { memo, type ReactNode } from "react";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { Mode } from "./diff-rows.ts";
import type { DiffRow as Row, SideLine } from "./diff-words.ts";

type DiffRowProps = {
  /** Null while it is on its way. */
  row: Row | null;
  mode: Mode;
  /** Width of a line number. */
  digits: number;
  isCurrent: boolean;
  onUnfold: (run: number) => void;
};

export const DiffRow = memo(function DiffRow({ row, mode, digits, isCurrent, onUnfold }: DiffRowProps) {
  if (row === null) return <div className="diff-row" />;
  if (row.kind === "fold")
    return (
      <button
        type="button"
        className="block h-4.5 w-full bg-sunk pl-6 text-left font-sans text-12/4.5 text-ink-3 hover:text-ink focus-visible:-outline-offset-2"
        onClick={() => onUnfold(row.run)}
      >
        ⋮ {formatCount(row.lines, "unchanged line")}
      </button>
    );
  const { left, right, isSame } = row;
  const width = `${digits + 2}ch`;
  if (mode === "split")
    return (
      <div className="diff-row" data-current={isCurrent || undefined}>
        <Side line={left} kind={isSame ? "same" : left === null ? "none" : "del"} numbers={[left]} width={width} />
        <Side line={right} kind={isSame ? "same" : right === null ? "none" : "add"} numbers={[right]} width={width} />
      </div>
    );
  const kind = isSame ? "same" : left === null ? "add" : "del";
  return (
    <div className="diff-row" data-current={isCurrent || undefined}>
      <Side line={left ?? right} kind={kind} numbers={[left, right]} width={width} />
    </div>
  );
});

const SIGNS = { same: "", none: "", del: "−", add: "+" };

type SideProps = {
  line: SideLine | null;
  kind: keyof typeof SIGNS;
  numbers: readonly (SideLine | null)[];
  width: string;
};

function Side({ line, kind, numbers, width }: SideProps) {
  return (
    <div className="diff-side" data-kind={kind}>
      {numbers.map((one, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- left and right never move
        <span key={at} style={{ width }}>
          {one?.number ?? ""}
        </span>
      ))}
      <span className="sign">{SIGNS[kind]}</span>
      <code>
        <span>
          {line !== null && line.before > 0 && <i>{line.before.toLocaleString("en-US")} characters … </i>}
          {line && marked(line)}
          {line !== null && line.more > 0 && <i> … {line.more.toLocaleString("en-US")} more characters</i>}
        </span>
      </code>
    </div>
  );
}

function marked({ text, marks }: SideLine): ReactNode {
  if (marks.length === 0) return <SafeText text={text} />;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from >= text.length) break;
    if (from > at) parts.push(<SafeText key={at} text={text.slice(at, from)} />);
    parts.push(
      <u key={`u${from}`}>
        <SafeText text={text.slice(from, to)} />
      </u>,
    );
    at = to;
  }
  if (at < text.length) parts.push(<SafeText key={at} text={text.slice(at)} />);
  return parts;
}
