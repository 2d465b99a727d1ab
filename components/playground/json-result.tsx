"use client";
// What jq wrote, line by line, as far as lines are on screen; with the colours of JSON, or as it is.
import type { KeyboardEvent } from "react";
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
};

export function ResultLines({ output, hasColours, chosen, onChoose }: LinesProps) {
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
              <code className="text-ink">
                {hasColours
                  ? jsonTokens(text).map((token, index) => (
                      // eslint-disable-next-line react/no-array-index-key -- the parts of one line never move
                      <span key={index} className={COLOURS[token.kind]}>
                        <SafeText text={token.text} />
                      </span>
                    ))
                  : text !== "" && <SafeText text={text} />}
              </code>
              {more > 0 && <span className="pl-2 text-ink-3">… {formatTokens(more)} characters more</span>}
            </div>
          );
        })
      }
    </VirtualLines>
  );
}
