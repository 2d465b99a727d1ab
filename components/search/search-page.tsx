"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback, useMemo, useRef } from "react";
import { scannedNote } from "#lib/kernel/search/scanned-note.ts";
import { searchAnswer, type SearchAnswer } from "#lib/wire/search-schema.ts";
import { QueryBar } from "../shared/query-bar.tsx";
import { useHasSessions } from "../shared/server-status.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { AT_ONCE, whenTyped } from "../ui/typed.ts";
import { useKeptScroll } from "../ui/use-kept-scroll.ts";
import { NoSessionsYet } from "../shared/no-sessions-yet.tsx";
import { SaveSearch } from "./saved-search-list.tsx";
import { SearchFacets } from "./search-facets.tsx";
import { SearchHelp } from "./search-help.tsx";
import { SearchResult } from "./search-result.tsx";
import { MOST_RESULTS, questionOf, searchParsers } from "./search-state.ts";

/** While sessions are indexed, what is found grows (milliseconds). */
const AGAIN_MS = 2000;

export function SearchPage() {
  const [choices, choose] = useQueryStates(searchParsers);
  const question = questionOf(choices);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["search", question],
    queryFn: ({ signal }) => api(withQuery("/api/search", question), searchAnswer, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: ({ state }) => (state.data !== undefined && isIndexing(state.data) ? AGAIN_MS : false),
  });
  const hasSessions = useHasSessions();
  const box = useRef<HTMLElement>(null);
  useKeptScroll(box, JSON.stringify(question), data !== undefined);
  const step = useCallback((by: 1 | -1) => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>("a[data-hit]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[at < 0 ? (by === 1 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  }, []);
  useShortcuts(
    useMemo<Shortcut[]>(
      () => [
        { keys: "j", label: "Next result", group: "Search", run: () => step(1) },
        { keys: "k", label: "Previous result", group: "Search", run: () => step(-1) },
      ],
      [step],
    ),
  );
  const search = (q: string) => void choose({ q, more: null }, whenTyped(q));
  // A fast answer is opened before the pause of typing ends, and the URL of this page would come back over it. The step waits for that
  // URL: a key that follows at once would be before it on a busy machine.
  const goDown = () => void choose({ q: choices.q }, AT_ONCE).then(() => step(1));
  // The button goes: the keyboard goes on at the last of those that were there.
  const showMore = () => {
    step(-1);
    void choose({ more: true });
  };
  const isAsked = question.q !== "";
  const shown = isAsked && error === null ? data : undefined;
  return (
    <>
      <PageHead title="Search">
        <output aria-live={data !== undefined && isIndexing(data) ? "off" : "polite"}>{headOf(data, isAsked)}</output>
      </PageHead>
      <div className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-6 pt-3 pb-3 max-md:px-4">
        <QueryBar
          label="Search everything"
          group="Search"
          value={choices.q}
          onChange={search}
          page={{ onDown: goDown }}
        />
        {isAsked && error === null && <SaveSearch q={choices.q} />}
        {(isAsked || hasSessions) && (
          <Segmented
            label="Order"
            value={choices.sort}
            options={[
              { value: "rank", label: "Best" },
              { value: "newest", label: "Newest" },
            ]}
            onPick={(sort) => void choose({ sort })}
          />
        )}
      </div>
      {isAsked && error !== null && (
        <div className="px-6 py-3 max-md:px-4">
          <RequestFailure error={error} title="This search could not be run" />
        </div>
      )}
      {!isAsked &&
        (!hasSessions ? (
          <div className="px-6 py-8">
            <NoSessionsYet>Search finds words in prompts, answers and tool results of all sessions.</NoSessionsYet>
          </div>
        ) : (
          <SearchHelp onPick={search} />
        ))}
      {isAsked && error === null && data === undefined && (
        <div className="px-6 py-2 max-md:px-4">
          <Loading rows={8} height={72} label="Searching" />
        </div>
      )}
      {shown !== undefined && (
        <div className={`flex min-h-0 flex-1 max-md:flex-col ${isPlaceholderData ? "opacity-60" : ""}`}>
          {shown.facets !== null && shown.hits.length > 0 && (
            <SearchFacets facets={shown.facets} q={choices.q} onChange={search} />
          )}
          <section ref={box} aria-label="Results" className="min-h-0 min-w-0 flex-1 overflow-auto pb-6">
            <Notes answer={shown} />
            {shown.hits.length === 0 ? (
              <Nothing />
            ) : (
              <ol>
                {shown.hits.map((hit) => (
                  <SearchResult key={`${hit.session.id} ${hit.seq ?? `memory ${hit.snippet}`}`} hit={hit} />
                ))}
              </ol>
            )}
            {shown.total > shown.hits.length && shown.hits.length > 0 && question.limit < MOST_RESULTS && (
              <div className="px-6 py-3 max-md:px-4">
                <Button onClick={showMore}>Show more results</Button>
              </div>
            )}
          </section>
        </div>
      )}
    </>
  );
}

const isIndexing = ({ index }: SearchAnswer): boolean => index.sessions < index.of;

function headOf(answer: SearchAnswer | undefined, isAsked: boolean): string {
  if (answer === undefined) return "\u00a0";
  const { index, total, isWhole, sessions } = answer;
  const indexed = isIndexing(answer)
    ? `${index.sessions.toLocaleString("en-US")} of ${formatCount(index.of, "session")} indexed so far.`
    : `${formatCount(index.of, "session")} indexed, sub-agents included.`;
  if (!isAsked) return indexed;
  const count = total === 1 ? "match" : "matches";
  const found = `${total.toLocaleString("en-US")}${isWhole ? "" : "+"} ${count} in ${formatCount(sessions, "session")}.`;
  return isIndexing(answer) ? `${found} ${indexed}` : found;
}

function Notes({ answer: { notes, scanned, order, hits } }: { answer: SearchAnswer }) {
  const lines = [
    ...notes,
    ...(scanned !== null && !scanned.isWhole ? [scannedNote(scanned)] : []),
    ...(order === "recent" && hits.length > 0 ? ["Too many matches to rank all: older ones come last."] : []),
  ];
  if (lines.length === 0) return null;
  return (
    <ul className="border-b border-line px-6 py-2 text-12 text-ink-2 max-md:px-4">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Nothing() {
  return (
    <div className="px-6 py-8">
      <Empty title="Nothing found">Use fewer words, the beginning of a word with *, or remove a filter.</Empty>
    </div>
  );
}
