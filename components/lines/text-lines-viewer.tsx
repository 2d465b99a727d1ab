"use client";
// Text by line number. Pages of lines are fetched where the reader looks, so a log of 100 MB opens at once.
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsInteger, useQueryState, useQueryStates } from "nuqs";
import { useCallback, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { languageOf, languageOfType } from "../events/event-lines.ts";
import { useSearched } from "./grep-state.ts";
import { useMarks } from "./use-marks.ts";
import { highlightQuery } from "../shared/session-queries.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { LINE_PX } from "./line-window.ts";
import { TextFoot } from "./text-foot.tsx";
import { TextLines, type LineLook } from "./text-lines.tsx";
import { VirtualLines, type LinesHandle } from "./virtual-lines.tsx";

/** Characters of a row, for guessing how often a line wraps. */
const ROW_CHARS = 120;

export function TextViewer({ artifact }: { artifact: ArtifactView }) {
  const [{ line, to }, setLines] = useQueryStates({ line: parseAsInteger, to: parseAsInteger });
  const [isWrapped, setWrapped] = useQueryState("wrap", parseAsBoolean.withDefault(false));
  const [ansi, setAnsi] = useQueryState("ansi", parseAsBoolean.withDefault(true));
  const [longer, setLonger] = useState<ReadonlyMap<number, number>>(new Map());
  const [serial, setSerial] = useState(0);
  const whole = useRef<HTMLDivElement>(null);
  const lines = useRef<LinesHandle>(null);
  const field = useRef<HTMLInputElement>(null);
  const language = languageOf(artifact.name ?? "") ?? languageOfType(artifact.contentType);
  const path = `/api/artifacts/${encodeURIComponent(artifact.pointer)}/highlight?language=${language}`;
  const colours = useQuery(highlightQuery(path, language !== null));
  useMarks(whole, useSearched(), "grep-text");
  const count = artifact.lineCount ?? 0;
  const chosen = useMemo(() => chosenLines(line, to, count), [line, to, count]);
  const onNumber = useCallback(
    (number: number, isRange: boolean) =>
      void setLines((was) => (isRange && was.line !== null ? { to: number } : { line: number, to: null })),
    [setLines],
  );
  const look = useMemo<LineLook>(
    () => ({
      ansi,
      longer,
      onLonger: (number, chars) => setLonger((was) => new Map(was).set(number, chars)),
      onNumber,
    }),
    [ansi, longer, onNumber],
  );
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "g g", label: "First line", group: "Lines", run: () => lines.current?.goTo("first") },
      { keys: "G", label: "Last line", group: "Lines", run: () => lines.current?.goTo("last") },
      { keys: ":", label: "Go to a line", group: "Lines", run: () => field.current?.select() },
      { keys: "w", label: "Wrap long lines, or not", group: "Lines", run: () => void setWrapped((was) => !was) },
    ],
    [setWrapped],
  );
  useShortcuts(shortcuts);
  const onKey = (event: KeyboardEvent) => {
    if (!event.shiftKey || line === null || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    const end = (to ?? line) + (event.key === "ArrowDown" ? 1 : -1);
    void setLines({ to: Math.max(1, Math.min(count, end)) });
  };
  const rows = Math.max(1, Math.round(artifact.sizeBytes / Math.max(1, count) / ROW_CHARS));
  return (
    <>
      <div ref={whole} className="contents">
        <VirtualLines
          count={count}
          label="Text of the artifact"
          start={line === null ? null : Math.max(0, Math.min(count, line) - 1)}
          serial={serial}
          wrapPx={isWrapped ? rows * LINE_PX : null}
          onKey={onKey}
          handle={lines}
        >
          {(from, end) => (
            <TextLines artifact={artifact} from={from} to={end} colours={colours.data} chosen={chosen} look={look} />
          )}
        </VirtualLines>
      </div>
      <TextFoot
        artifact={artifact}
        chosen={chosen}
        colours={language === null ? null : (colours.data ?? "coming")}
        wrap={[isWrapped, (next) => void setWrapped(next)]}
        ansi={[ansi, (next) => void setAnsi(next)]}
        field={field}
        onGoTo={(number) => {
          setSerial((was) => was + 1);
          void setLines({ line: number, to: null });
        }}
        onClear={() => void setLines({ line: null, to: null })}
      />
    </>
  );
}

/** First and last chosen line; what an address says beyond the text is its last line. */
function chosenLines(line: number | null, to: number | null, count: number): readonly [number, number] | null {
  if (line === null || count === 0) return null;
  const within = (number: number) => Math.max(1, Math.min(count, number));
  const [one, other] = [within(line), within(to ?? line)];
  return one <= other ? [one, other] : [other, one];
}
