"use client";
// Lines with their numbers. Colours come from the server, when they have come; until then the text is plain.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { NumberedLine } from "#lib/kernel/numbered-lines.ts";
import type { HighlightAnswer } from "#lib/wire/artifacts-schema.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { highlightQuery } from "../shared/session-queries.ts";
import { formatBytes } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

type CodeLinesProps = { lines: readonly NumberedLine[]; highlight: string | null };

export function CodeLines({ lines, highlight }: CodeLinesProps) {
  const colours = useQuery(highlightQuery(highlight ?? "", highlight !== null));
  const hasNumbers = lines.some((line) => line.number !== null);
  const numbers = useMemo(() => lines.map((line) => line.number ?? "").join("\n"), [lines]);
  const text = useMemo(() => lines.map((line) => line.text).join("\n"), [lines]);
  return (
    <>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 *:only:col-span-full">
        {hasNumbers && (
          <pre className="output text-right text-ink-3 select-none" aria-hidden="true">
            {numbers}
          </pre>
        )}
        <pre className="output min-w-0">
          {colours.data ? <Coloured lines={lines} answer={colours.data} /> : <SafeText text={text} badge />}
        </pre>
      </div>
      {colours.data?.cutAtBytes != null && (
        <p className="text-12 text-ink-3">Coloured up to {formatBytes(LIMITS.highlightBytes)}; the rest is plain.</p>
      )}
    </>
  );
}

function Coloured({ lines, answer }: { lines: readonly NumberedLine[]; answer: HighlightAnswer }) {
  return lines.map((line, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the lines of one text never move
    <span key={i}>
      {answer.lines[i] ? <ColouredLine spans={answer.lines[i]} /> : <SafeText text={line.text} />}
      {"\n"}
    </span>
  ));
}

/** One line in the colours of both themes; the browser takes that of the page's colour scheme. */
export function ColouredLine({ spans }: { spans: HighlightAnswer["lines"][number] }) {
  return spans.map(([text, light, dark], i) => (
    // oxlint-disable-next-line react/no-array-index-key -- as above
    <span key={i} style={{ color: `light-dark(${light}, ${dark})` }}>
      <SafeText text={text} />
    </span>
  ));
}
