"use client";
// Text by line number. Windows of lines are fetched where the reader looks, so a log of 100 MB opens at once.
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import type { ArtifactView, HighlightAnswer, LinesAnswer } from "#lib/wire/artifacts.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { ColouredLine } from "../events/code-lines.tsx";
import { languageOf, languageOfType } from "../events/lines.ts";
import { highlightQuery } from "../session/queries.ts";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { LINES, linesQuery } from "./artifact-queries.ts";
import { VirtualLines } from "./virtual-lines.tsx";

export function TextViewer({ artifact }: { artifact: ArtifactView }) {
  const [line] = useQueryState("line", parseAsInteger);
  const language = languageOf(artifact.name ?? "") ?? languageOfType(artifact.contentType);
  const path = `/artifacts/${encodeURIComponent(artifact.pointer)}/highlight?language=${language}`;
  const colours = useQuery(highlightQuery(path, language !== null));
  const count = artifact.lineCount ?? 0;
  const coloured = colours.data?.lines.length ?? 0;
  return (
    <>
      <VirtualLines count={count} label="Text of the artifact" start={line === null ? null : line - 1}>
        {(from, to) => <Lines artifact={artifact} from={from} to={to} colours={colours.data} />}
      </VirtualLines>
      <p className="flex-none border-t border-line px-6 py-1.5 text-12 text-ink-3">
        {formatCount(count, "line")}
        {colours.data?.cutAtBytes != null &&
          `, coloured up to line ${coloured.toLocaleString("en-US")} (${formatBytes(LIMITS.highlightBytes)})`}
        {language === null && ", shown plain"}
      </p>
    </>
  );
}

type LinesProps = { artifact: ArtifactView; from: number; to: number; colours: HighlightAnswer | undefined };

function Lines({ artifact, from, to, colours }: LinesProps) {
  const [chosen, setLine] = useQueryState("line", parseAsInteger);
  const first = Math.floor(from / LINES);
  const last = Math.floor(Math.max(from, to - 1) / LINES);
  const { lines, error } = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, i) =>
      linesQuery(artifact.pointer, artifact.digest, first + i),
    ),
    combine: gather,
  });
  if (error)
    return (
      <div className="p-6">
        <Failure code={failureOf(error).code} title="These lines could not be read">
          {failureOf(error).message}
        </Failure>
      </div>
    );
  const width = String(artifact.lineCount ?? 0).length;
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const number = from + i + 1;
    const line = lines.get(number);
    return (
      <div key={number} className="artifact-line" data-chosen={number === chosen || undefined}>
        <button
          type="button"
          style={{ minWidth: `calc(${width}ch + 36px)` }}
          aria-label={`Line ${number}`}
          title="Put this line in the address"
          onClick={() => void setLine(number)}
        >
          {number}
        </button>
        <code>
          {line === undefined ? (
            ""
          ) : colours?.lines[number - 1] && !line.cut ? (
            <ColouredLine spans={colours.lines[number - 1] ?? []} />
          ) : (
            <SafeText text={line.text} />
          )}
          {line?.cut && (
            <span className="font-sans text-ink-3">
              {" "}
              … {line.chars.toLocaleString("en-US")} characters in this line; the download has them all
            </span>
          )}
        </code>
      </div>
    );
  });
}

type Line = LinesAnswer["lines"][number];

function gather(results: UseQueryResult<LinesAnswer>[]): { lines: ReadonlyMap<number, Line>; error: Error | null } {
  const lines = new Map<number, Line>();
  let error: Error | null = null;
  for (const result of results) {
    result.data?.lines.forEach((line, i) => lines.set((result.data?.from ?? 1) + i, line));
    error ??= result.error;
  }
  return { lines, error };
}
