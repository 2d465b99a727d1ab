"use client";
// The lines of a text that are on screen, fetched in pages where the reader looks.
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import type { ArtifactView, HighlightAnswer, LinesAnswer } from "#lib/wire/artifacts-schema.ts";
import { AnsiSpans, StrippedBadge } from "../events/ansi-text.tsx";
import { ansiLines, ansiSpans, type AnsiText } from "../events/ansi.ts";
import { ColouredLine } from "../events/code-lines.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { linesQuery, longLineQuery } from "../shared/artifact-queries.ts";
import { LINES } from "../shared/line-pages.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

type Line = LinesAnswer["lines"][number];

type TextLinesProps = {
  artifact: ArtifactView;
  from: number;
  to: number;
  colours: HighlightAnswer | undefined;
  /** First and last line that are chosen, from 1. */
  chosen: readonly [number, number] | null;
  look: LineLook;
};

export type LineLook = {
  /** Terminal colours are shown, not spelled. */
  readonly ansi: boolean;
  /** Long lines of which more was asked for, and how much (characters). */
  readonly longer: ReadonlyMap<number, number>;
  readonly onLonger: (line: number, chars: number) => void;
  readonly onNumber: (line: number, isRange: boolean) => void;
};

export function TextLines({ artifact, from, to, colours, chosen, look }: TextLinesProps) {
  const count = artifact.lineCount ?? 0;
  // A page on either side is there before it is scrolled to.
  const first = Math.max(0, Math.floor(from / LINES) - (from % LINES < LINES / 4 ? 1 : 0));
  const last = Math.min(Math.floor((count - 1) / LINES), Math.floor((to + LINES / 4) / LINES));
  const { pages, error } = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, i) =>
      linesQuery(artifact.pointer, artifact.digest, first + i),
    ),
    combine: gather,
  });
  if (error)
    return (
      <div className="p-6">
        <RequestFailure error={error} title="These lines could not be read" />
      </div>
    );
  const digits = String(count).length;
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const at = from + i;
    const number = at + 1;
    const page = pages[Math.floor(at / LINES) - first];
    const line = page?.lines[at % LINES];
    return (
      <TextLine
        key={number}
        number={number}
        digits={digits}
        line={line}
        ansi={page && look.ansi ? ansiOf(page)?.[at % LINES] : undefined}
        spans={line?.cut ? undefined : colours?.lines[at]}
        isChosen={chosen !== null && number >= chosen[0] && number <= chosen[1]}
        onNumber={look.onNumber}
      >
        {line?.cut ? <LongLine artifact={artifact} number={number} line={line} look={look} /> : undefined}
      </TextLine>
    );
  });
}

type TextLineProps = {
  number: number;
  digits: number;
  line: Line | undefined;
  ansi: AnsiText | undefined;
  spans: HighlightAnswer["lines"][number] | undefined;
  isChosen: boolean;
  onNumber: LineLook["onNumber"];
  /** In place of its text. */
  children: ReactNode;
};

const TextLine = memo(function TextLine(props: TextLineProps) {
  const { number, digits, line, ansi, spans, isChosen, onNumber, children } = props;
  return (
    <div className="artifact-line" data-line={number} data-chosen={isChosen || undefined}>
      <button
        type="button"
        // By keyboard a line is chosen with "Go to line".
        tabIndex={-1}
        style={{ minWidth: `calc(${digits}ch + 36px)` }}
        aria-label={`Line ${number}`}
        title="Link to this line; Shift selects a range"
        onClick={(event) => onNumber(number, event.shiftKey)}
      >
        {number}
      </button>
      <code>
        {children ?? (
          <>
            <span data-text>
              {line === undefined ? (
                ""
              ) : spans ? (
                <ColouredLine spans={spans} />
              ) : ansi ? (
                <AnsiSpans spans={ansi.spans} />
              ) : (
                <SafeText text={line.text} />
              )}
            </span>
            {ansi !== undefined && ansi.stripped > 0 && (
              <>
                {" "}
                <StrippedBadge stripped={ansi.stripped} />
              </>
            )}
          </>
        )}
      </code>
    </div>
  );
});

type LongLineProps = { artifact: ArtifactView; number: number; line: Line; look: LineLook };

/** A line that was cut: how much of it stands here, and more on request. */
function LongLine({ artifact, number, line, look }: LongLineProps) {
  const chars = look.longer.get(number);
  const request = useQuery({
    ...longLineQuery(artifact.pointer, artifact.digest, number, chars ?? 1),
    enabled: chars !== undefined,
  });
  const shown = request.data?.lines[0] ?? line;
  const more = moreChars(shown.text.length, line.chars);
  return (
    <>
      <span data-text>
        {look.ansi ? <AnsiSpans spans={ansiSpans(shown.text).spans} /> : <SafeText text={shown.text} />}
      </span>
      {shown.cut && (
        <span className="font-sans text-ink-3">
          {` … ${shown.text.length.toLocaleString("en-US")} of ${line.chars.toLocaleString("en-US")} characters of this line; `}
          {more === null ? (
            "the download has them all"
          ) : (
            <button
              type="button"
              className="link"
              aria-label={`Show more of line ${number}`}
              disabled={request.isFetching}
              onClick={() => look.onLonger(number, more)}
            >
              show {more >= line.chars ? "all" : more.toLocaleString("en-US")}
            </button>
          )}
        </span>
      )}
    </>
  );
}

type Pages = { readonly pages: readonly (LinesAnswer | undefined)[]; readonly error: Error | null };

const gather = (results: UseQueryResult<LinesAnswer>[]): Pages => ({
  pages: results.map((result) => result.data),
  error: results.find((result) => result.error)?.error ?? null,
});

/** Read once a page; a colour goes on from line to line within it. */
const read = new WeakMap<LinesAnswer, readonly AnsiText[] | null>();

function ansiOf(page: LinesAnswer): readonly AnsiText[] | null {
  let found = read.get(page);
  if (found === undefined) read.set(page, (found = ansiLines(page.lines.map(({ text }) => text))));
  return found;
}

// How much of a long line is shown at a time. 100,000 characters stand in one line of a page without holding it up; a line
// of a megabyte is for the download, or for grep and jq. Pure.
const STEP_CHARS = 20_000;

/** So many characters are shown next; null when that is as far as it goes. */
function moreChars(shown: number, all: number): number | null {
  if (shown >= LIMITS.longLineChars) return null;
  return Math.min(all, shown < STEP_CHARS ? STEP_CHARS : LIMITS.longLineChars);
}
