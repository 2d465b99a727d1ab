"use client";
// What jq wrote, line by line, as far as lines are on screen; with the colours of JSON, or as it is.
import type { KeyboardEvent, MouseEvent } from "react";
import { VirtualLines } from "../lines/virtual-lines.tsx";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { jsonTokens, type TokenKind } from "./json-tokens.ts";
import type { Output } from "./jq-output-view.ts";

const COLOURS: Record<TokenKind, string> = {
  key: "text-[var(--syn-key)]",
  string: "text-[var(--syn-str)]",
  number: "text-[var(--syn-num)]",
  word: "text-[var(--syn-fn)]",
  mark: "text-ink-2",
};

/** From a line's number to the next or the one before. */
function step(event: KeyboardEvent<HTMLButtonElement>): void {
  const row = event.currentTarget.parentElement;
  const next =
    event.key === "ArrowDown" ? row?.nextElementSibling : event.key === "ArrowUp" ? row?.previousElementSibling : null;
  const button = next?.querySelector("button");
  if (!button) return;
  event.preventDefault();
  button.focus();
}

type LinesProps = {
  output: Output;
  hasColours: boolean;
  /** The line that was chosen, from 0. */
  chosen: number | null;
  onChoose: (line: number | null) => void;
  /** A key or a value was pressed: its line and its column. By keyboard, the panel of a chosen line has the same. */
  onPick: ((line: number, column: number) => void) | null;
};

/** Who marks a text presses nothing. */
function pickedColumn({ target, button }: MouseEvent): number | null {
  if (button !== 0 || window.getSelection()?.isCollapsed === false || !(target instanceof Element)) return null;
  const column = target.closest<HTMLElement>("[data-column]")?.dataset["column"];
  return column === undefined ? null : Number(column);
}

export function ResultLines({ output, hasColours, chosen, onChoose, onPick }: LinesProps) {
  return (
    <VirtualLines count={output.lineCount} label="The result" start={null}>
      {(from, to) =>
        Array.from({ length: Math.max(0, to - from) }, (_, at) => {
          const line = from + at;
          const { text, more } = output.lineAt(line);
          return (
            <div
              key={line}
              data-chosen={line === chosen ? "" : undefined}
              className="mono flex h-4.5 pr-6 leading-[18px] whitespace-pre data-chosen:bg-select"
            >
              <button
                type="button"
                // One stop of the Tab key; arrows go from line to line.
                tabIndex={line === (chosen !== null && chosen >= from && chosen < to ? chosen : from) ? 0 : -1}
                onKeyDown={(event) => step(event)}
                aria-label={`Line ${line + 1}: source of this value`}
                className="sticky left-0 w-14 flex-none bg-bg pr-3 text-right text-ink-3 hover:text-ink"
                onClick={() => onChoose(line === chosen ? null : line)}
              >
                {line + 1}
              </button>
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- the panel of the line has the same buttons */}
              <code
                className="text-ink"
                onClick={(event) => {
                  const column = onPick === null ? null : pickedColumn(event);
                  if (column !== null) onPick?.(line, column);
                }}
              >
                {hasColours ? (
                  <Tokens text={text} canPick={onPick !== null} />
                ) : (
                  text !== "" && <SafeText text={text} />
                )}
              </code>
              {more > 0 && <span className="pl-2 text-ink-3">… {formatTokens(more)} characters more</span>}
            </div>
          );
        })
      }
    </VirtualLines>
  );
}

function Tokens({ text, canPick }: { text: string; canPick: boolean }) {
  let column = 0;
  return jsonTokens(text).map((token, index) => {
    const at = column;
    column += token.text.length;
    const isPick = canPick && token.kind !== "mark";
    return (
      <span
        // eslint-disable-next-line react/no-array-index-key -- the parts of one line never move
        key={index}
        data-column={isPick ? at : undefined}
        className={`${COLOURS[token.kind]} ${isPick ? "cursor-pointer decoration-dotted underline-offset-2 hover:underline" : ""}`}
      >
        <SafeText text={token.text} />
      </span>
    );
  });
}
