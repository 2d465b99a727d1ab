"use client";
// grep over a text: lines that match as one types, marked there and in the viewer, and a step from one to the next.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, useQueryState, useQueryStates } from "nuqs";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { isText } from "../shared/content-kind.ts";
import { Failure } from "../ui/failure.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { GrepBar } from "./grep-bar.tsx";
import { GrepList } from "./grep-list.tsx";
import { GrepNotes, GrepResult } from "./grep-notes.tsx";
import { keepSearch, LONGER_MS, searchQuery, TYPED_MS, type Search } from "./grep-search.ts";
import { useFinder, useGrepWords, usePattern } from "../lines/grep-state.ts";
import { NO_OPTIONS, readWords, wordsFor, type GrepChoice } from "./grep-words.ts";

const LinesAround = lazy(() =>
  import("../lines/text-lines-viewer.tsx").then((module) => ({ default: module.TextViewer })),
);

/** From the last key to the search; a search of 100 MB takes some 60 ms. */
const PAUSE_MS = 120;

type GrepPanelProps = {
  artifact: ArtifactView;
  /** By itself, with the lines around a result below; else the viewer of the page shows them. */
  isFull?: boolean;
};

export function GrepPanel({ artifact, isFull = false }: GrepPanelProps) {
  if (!isText(artifact))
    return (
      <div className="p-5 max-md:px-4">
        <Failure code="unsupported" title="grep searches lines of text">
          {`This artifact is ${artifact.contentType}, not text. Look at its bytes in the hex view, or download it.`}
        </Failure>
      </div>
    );
  return <TextPanel artifact={artifact} isFull={isFull} />;
}

function TextPanel({ artifact, isFull }: Required<GrepPanelProps>) {
  const [pattern, setPattern] = usePattern();
  const [typedWords, setWords] = useGrepWords();
  const [line, setLine] = useQueryState("line", parseAsInteger);
  const [, setView] = useQueryStates({ view: parseAsString, to: parseAsInteger });
  const field = useRef<HTMLInputElement>(null);
  const read = readWords(typedWords);
  const choice = typeof read === "string" ? NO_OPTIONS : read;
  const words = wordsFor(choice).join(" ");
  const wanted = useMemo(() => ({ pattern, words }), [pattern, words]);
  const settled = useSettled(wanted, PAUSE_MS);
  const [longer, setLonger] = useState<typeof settled | null>(null);
  const search = useMemo<Search>(
    () => ({
      pattern: settled.pattern,
      words: settled.words.split(" ").filter(Boolean),
      deadlineMs: longer === settled ? LONGER_MS : TYPED_MS,
    }),
    [settled, longer],
  );
  const client = useQueryClient();
  const request = useQuery({
    ...searchQuery(artifact, search),
    enabled: search.pattern !== "" && typeof read !== "string",
  });
  const found = search.pattern === "" ? undefined : request.data;
  const matches = useMemo(
    () => (found?.lines ?? []).filter(({ isContext }) => !isContext).map((one) => one.line),
    [found],
  );
  const finder = useFinder(search.pattern, search.words.join(" "));

  const goTo = useCallback(
    (next: number | ((was: number | null) => number | null)) => {
      void setLine(next);
      void setView(isFull ? { to: null } : { to: null, view: "lines" });
    },
    [setLine, setView, isFull],
  );
  const step = useCallback(
    (by: 1 | -1) =>
      // From where the step before went, which may not have been drawn yet.
      goTo((was) =>
        by === 1
          ? (matches.find((match) => match > (was ?? 0)) ?? matches[0] ?? was)
          : (matches.findLast((match) => match < (was ?? 0)) ?? matches.at(-1) ?? was),
      ),
    [matches, goTo],
  );
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "/", label: "Search its lines", group: "grep", run: () => field.current?.select() },
      { keys: "n", label: "Next match", group: "grep", run: () => step(1) },
      { keys: "N", label: "Match before", group: "grep", run: () => step(-1) },
    ],
    [step],
  );
  useShortcuts(shortcuts);
  // Opened without a pattern, it waits for one.
  useEffect(() => {
    if (pattern === "") field.current?.focus();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- when it opens
  }, []);
  const keep = () => {
    if (search.pattern === "" || search.pattern !== pattern) return;
    void keepSearch(artifact.pointer, search).then(
      () => client.invalidateQueries({ queryKey: ["playground", "history"] }),
      () => {},
    );
  };
  const change = (next: Partial<GrepChoice>) => {
    const text = wordsFor({ ...choice, ...next }).join(" ");
    void setWords(text === "" ? null : text);
  };
  const isOld = request.isPlaceholderData || settled !== wanted;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <GrepBar
        artifact={artifact}
        pattern={pattern}
        choice={choice}
        field={field}
        onPattern={(next) => void setPattern(next === "" ? null : next)}
        onChoice={change}
        onEnter={(isBack) => {
          keep();
          step(isBack ? -1 : 1);
        }}
      />
      <GrepResult
        found={found}
        isRunning={request.isFetching}
        position={line === null ? null : matches.indexOf(line) + 1}
        onStep={step}
        shown={matches.length}
        isEmpty={search.pattern === ""}
      />
      <GrepNotes
        artifact={artifact}
        found={isOld ? undefined : found}
        refused={typeof read === "string" ? read : null}
        error={isOld ? null : request.error}
        onLonger={() => setLonger(settled)}
        onAgain={() => void request.refetch()}
      />
      <GrepList
        lines={found?.lines ?? []}
        isOld={isOld && search.pattern !== ""}
        finder={choice.invert ? null : finder}
        chosen={line}
        onOpen={goTo}
        onStep={step}
      />
      {isFull && line !== null && (
        <section
          aria-label="The lines around"
          className="flex h-[45%] min-h-0 flex-none flex-col border-t border-line-strong"
        >
          <Suspense fallback={<Loading rows={4} label="Loading the lines" />}>
            <LinesAround artifact={artifact} />
          </Suspense>
        </section>
      )}
    </div>
  );
}

/** The value that it has had for so long; at first, at once. It must stay the same object while it says the same. */
function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (settled === value) return;
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, settled, ms]);
  return settled;
}
