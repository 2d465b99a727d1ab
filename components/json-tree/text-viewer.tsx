"use client";
// JSON laid out for reading, at any size: its lines come from the index, as far as they are on screen. What a bracket
// opens can be folded.
import { useQueries, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import type { JsonLocation, JsonTextLine } from "#lib/wire/json-tree-schema.ts";
import type { ViewerProps } from "../shared/content-kind.ts";
import { VirtualLines } from "../lines/virtual-lines.tsx";
import { Button } from "../ui/button.tsx";
import { Loading } from "../ui/loading.tsx";
import { FindBar } from "./find-in-tree.tsx";
import { foldedTo, lineOfRow, rowOfLine, toggleFold, withoutFoldsAround, type Fold } from "./folds.ts";
import { PathFoot } from "./path-foot.tsx";
import { ROWS } from "./first-rows.ts";
import { locationQuery, textQuery, topQuery } from "./tree-queries.ts";
import { TextLine } from "./text-line.tsx";
import { NotShown } from "./tree-viewer.tsx";
import { useFind } from "./use-find.ts";

export function JsonTextViewer({ artifact }: ViewerProps) {
  const top = useQuery(topQuery(artifact));
  const [path, setPath] = useQueryState("path", parseAsString.withOptions({ throttleMs: 250 }));
  const location = useQuery(locationQuery(artifact, path));
  const [folds, setFolds] = useState<readonly Fold[]>([]);
  const [input, setInput] = useState<{ line: number; serial: number } | null>(null);
  const onHit = useCallback(
    ({ line, path: found, chain }: JsonLocation) => {
      setFolds((now) => withoutFoldsAround(now, line));
      setInput((last) => ({ line, serial: (last?.serial ?? 0) + 1 }));
      void setPath(found ?? `@${chain.at(-1)!.at}`);
    },
    [setPath],
  );
  const finder = useFind(artifact, artifact.sizeBytes, onHit);
  const state = top.data?.state;
  if (top.error) return <NotShown error={top.error} />;
  if (!state?.isWhole || (path !== null && location.isPending))
    return (
      <div className="flex-1 p-6">
        <Loading rows={8} label="Reading the JSON" />
      </div>
    );
  const chosen = path === null ? null : (location.data?.location?.line ?? null);
  const request = input?.line ?? chosen;
  const count = state.lines - foldedTo(folds, state.lines);
  return (
    <>
      <FindBar finder={finder}>
        <Button
          small
          kind="quiet"
          disabled={folds.length === 0}
          title={folds.length === 0 ? "Nothing is folded" : undefined}
          onClick={() => setFolds([])}
        >
          Unfold all
        </Button>
      </FindBar>
      <VirtualLines
        count={count}
        label="Text of the artifact, laid out"
        start={request === null ? null : rowOfLine(folds, request)}
        serial={input?.serial ?? 0}
      >
        {(from, to) => (
          <Lines
            artifact={artifact}
            rows={Array.from({ length: Math.max(0, to - from) }, (_, i) => lineOfRow(folds, from + i))}
            width={String(state.lines).length}
            chosen={chosen}
            folds={folds}
            sought={finder.sought.q === "" ? null : finder.sought}
            onPick={(line) => void setPath(`@${line.at}`)}
            onFold={(number, lines) => setFolds((now) => toggleFold(now, { line: number, lines }))}
          />
        )}
      </VirtualLines>
      <PathFoot artifact={artifact} path={path} state={state} />
    </>
  );
}

type LinesProps = ViewerProps & {
  rows: readonly number[];
  width: number;
  chosen: number | null;
  folds: readonly Fold[];
  sought: { q: string; exact: boolean } | null;
  onPick: (line: JsonTextLine) => void;
  onFold: (number: number, lines: number) => void;
};

function Lines({ artifact, rows, width, chosen, folds, sought, onPick, onFold }: LinesProps) {
  const pages = [...new Set(rows.map((line) => Math.floor(line / ROWS)))];
  const answers = useQueries({ queries: pages.map((page) => textQuery(artifact, page)) });
  return rows.map((number) => {
    const page = Math.floor(number / ROWS);
    const line = answers[pages.indexOf(page)]?.data?.lines[number - page * ROWS];
    return (
      <TextLine
        key={number}
        number={number}
        width={width}
        line={line}
        isChosen={number === chosen}
        isFolded={folds.some((fold) => fold.line === number)}
        sought={sought}
        onPick={onPick}
        onFold={onFold}
      />
    );
  });
}
