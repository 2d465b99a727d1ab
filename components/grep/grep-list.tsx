"use client";
// Lines that were found, with those around them where that was asked for; parts that do not touch are parted by a rule.
import { useMemo, useRef, type KeyboardEvent } from "react";
import { VirtualLines } from "../lines/virtual-lines.tsx";
import { AnsiText } from "../events/ansi-text.tsx";
import type { Finder } from "../lines/finder.ts";
import type { GrepLine } from "./grep-search.ts";
import { useMarks } from "../lines/use-marks.ts";

type GrepListProps = {
  lines: readonly GrepLine[];
  /** Of the search before. */
  isOld: boolean;
  finder: Finder | null;
  chosen: number | null;
  onOpen: (line: number) => void;
  onStep: (by: 1 | -1) => void;
};

export function GrepList({ lines, isOld, finder, chosen, onOpen, onStep }: GrepListProps) {
  const whole = useRef<HTMLDivElement>(null);
  useMarks(whole, finder, "grep-list");
  const rows = useMemo(() => withGaps(lines), [lines]);
  const at = useMemo(() => (chosen === null ? -1 : rows.findIndex((row) => row?.line === chosen)), [rows, chosen]);
  const digits = String(lines.at(-1)?.line ?? 0).length;
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp" && event.key !== "Enter") return;
    if (event.altKey || event.shiftKey || event.target !== event.currentTarget) return;
    event.preventDefault();
    if (event.key === "Enter") {
      if (chosen !== null) onOpen(chosen);
    } else onStep(event.key === "ArrowDown" ? 1 : -1);
  };
  return (
    <div ref={whole} className={`flex min-h-0 flex-1 flex-col ${isOld ? "opacity-60" : ""}`}>
      <VirtualLines count={rows.length} label="Lines that match" start={at < 0 ? null : at} onKey={onKey}>
        {(from, to) =>
          rows.slice(from, to).map((row, i) =>
            row === null ? (
              // oxlint-disable-next-line react/no-array-index-key -- a gap has nothing but its position
              <div
                key={`gap ${from + i}`}
                className="h-4.5 bg-[linear-gradient(var(--line),var(--line))] bg-[length:100%_1px] bg-center bg-no-repeat"
                data-gap
                aria-hidden="true"
              />
            ) : (
              <button
                key={`${row.line} ${row.start}`}
                type="button"
                // Arrows, n and N go from one to the next.
                tabIndex={-1}
                className="artifact-line group/line w-full min-w-max text-left select-text hover:bg-sunk data-chosen:bg-select data-chosen:shadow-[inset_2px_0_var(--ink)]"
                data-context={row.isContext || undefined}
                data-chosen={row.line === chosen || undefined}
                onClick={() => onOpen(row.line)}
              >
                <span
                  className="flex-none pr-3 pl-6 text-right text-ink-3"
                  style={{ minWidth: `calc(${digits}ch + 36px)` }}
                >
                  {row.line}
                </span>
                <code className="group-data-context/line:text-ink-3">
                  {row.cut && row.start > 0 && <span className="text-ink-3">… </span>}
                  <span data-text={row.isContext ? undefined : true}>
                    <AnsiText text={row.text} />
                  </span>
                  {row.cut && (
                    <span className="font-sans text-ink-3">
                      {" "}
                      … from character {row.start.toLocaleString("en-US")} of a long line
                    </span>
                  )}
                </code>
              </button>
            ),
          )
        }
      </VirtualLines>
    </div>
  );
}

function withGaps(lines: readonly GrepLine[]): (GrepLine | null)[] {
  if (!lines.some(({ isContext }) => isContext)) return [...lines];
  return lines.flatMap((line, i) => (i > 0 && line.line > lines[i - 1]!.line + 1 ? [null, line] : [line]));
}
