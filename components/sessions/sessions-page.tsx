"use client";
import { Download } from "lucide-react";
import { lazy, Suspense, useState, useSyncExternalStore, type ReactNode } from "react";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { QueryBar } from "../shared/query-bar.tsx";
import { useSessionCounts } from "../shared/server-status.ts";
import { ImportDialog } from "../sources/import-dialog.tsx";
import { useSeesAll } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { fetched } from "../ui/fetched.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { whenTyped } from "../ui/typed.ts";
import { FilterBar } from "./filter-bar.tsx";
import { ListSums } from "./sums-line.tsx";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { isFiltered, NO_FILTER, questionOf } from "./session-filters.ts";
import { SessionsTable } from "./sessions-table.tsx";
import { useChoices } from "./use-choices.ts";
import { useSelection } from "../ui/use-selection.ts";
import { useSessions } from "./use-sessions.ts";

// With its dialog it weighs more than the page has left, and few visits need it.
const SelectionBar = lazy(() => import("./selection-bar.tsx").then((module) => ({ default: module.SelectionBar })));

// Only an empty archive shows it. It comes when its buttons work, not before: a click on what the server drew would be lost.
const NoSessions = fetched(() => import("./no-sessions.tsx").then((module) => module.NoSessions));

/** That a page is alive does not change. */
const never = () => () => undefined;

const idOf = ({ id }: SessionRow): string => id;

/** `isCompact`: this browser's last choice of density. `above`: what stands over the whole list, while nothing is filtered. */
export function SessionsPage({ isCompact, above }: { isCompact: boolean; above: ReactNode }) {
  const [choices, choose] = useChoices(isCompact);
  const [importing, setImporting] = useState(false);
  const question = questionOf(choices);
  const sessions = useSessions(question, choices.open, choices.fold);
  const selection = useSelection(idOf);
  const { answer } = sessions;
  const { data: counts } = useSessionCounts();
  const isEmpty = answer?.total === 0 && !isFiltered(choices);
  const seesAll = useSeesAll();
  const isAlive = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const openImport = () => setImporting(true);

  return (
    <>
      {answer && answer.total > 0 && !isFiltered(choices) && above}
      <PageHead
        title="Sessions"
        aside={
          <>
            {!isEmpty && (
              <QueryBar
                label="Search in all sessions"
                group="Sessions"
                value={choices.q}
                onChange={(q) => void choose({ q }, whenTyped(q))}
                found={!sessions.isOld && choices.q.trim() && answer && foundWords(answer)}
              />
            )}
            {seesAll && (
              <Button onClick={openImport}>
                <Download size={14} aria-hidden="true" />
                Import…
              </Button>
            )}
          </>
        }
      >
        {answer ? <Verdict answer={answer} isFiltered={isFiltered(choices)} /> : <>&nbsp;</>}
      </PageHead>
      {!isEmpty && <FilterBar answer={answer} choices={choices} choose={choose} />}
      {isEmpty ? (
        <Below>{isAlive && <NoSessions onAdd={openImport} />}</Below>
      ) : answer && answer.total === 0 ? (
        <Below>
          <Empty
            title="No session matches"
            actions={isFiltered(choices) && <Button onClick={() => void choose(NO_FILTER)}>Clear the filters</Button>}
          >
            Looked in {answer.isWhole || "parts of "}
            {counts ? formatCount(counts.all, "session") : "all sessions"}
            {question.q === "" ? "." : " for all words in one event."}
          </Empty>
        </Below>
      ) : answer ? (
        <>
          {/* A new question is read from its first row. */}
          <SessionsTable
            key={JSON.stringify(question)}
            sessions={sessions}
            choices={choices}
            choose={choose}
            selection={selection}
          />
          {selection.chosen.size > 0 && (
            <Suspense>
              <SelectionBar selection={selection} />
            </Suspense>
          )}
          {answer.sums !== null && <ListSums sums={answer.sums} />}
        </>
      ) : (
        <Below>
          {sessions.failure === null ? (
            <Loading rows={14} height={48} label="Loading sessions" />
          ) : (
            <RequestFailure
              error={sessions.failure}
              title={question.q === "" ? "The sessions could not be loaded" : "This search could not be run"}
              action={
                isAppError(sessions.failure) ? undefined : (
                  <Button onClick={() => void sessions.retry()}>Try again</Button>
                )
              }
            />
          )}
        </Below>
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

function Below({ children }: { children: ReactNode }) {
  return <div className="relative min-h-0 flex-1 overflow-auto px-6 py-2 max-md:px-4">{children}</div>;
}

/** One sentence about what is listed: how many were refused, compacted, or came near. */
function Verdict({ answer, isFiltered }: { answer: SessionsAnswer; isFiltered: boolean }) {
  const { all, refused, compacted, near, fine } = answer.counts;
  if (all === 0) return isFiltered ? "No session matches." : "Nothing has been read yet.";
  // A session without a known load did not stay under anything.
  if (refused + compacted + near + fine === 0) return <>{formatCount(all, "session")}, no load known.</>;
  if (refused + compacted + near === 0) {
    const sessions = formatCount(all, "session");
    const stayed = fine < all ? `Of ${sessions}: ${formatTokens(fine)}` : all === 1 ? "The session" : `All ${sessions}`;
    return `${stayed} stayed under 80 % of the load line.`;
  }
  const figure = (count: number) => <b className="font-semibold text-ink">{formatTokens(count)}</b>;
  return (
    <>
      Of {formatCount(all, "session")}: {figure(refused)} refused, {figure(compacted)} compacted automatically,{" "}
      {figure(near)} near the limit.
    </>
  );
}

function foundWords(answer: SessionsAnswer): string {
  const sessions = formatCount(answer.total, "session");
  return answer.hits === null ? sessions : `${sessions}, ${formatCount(answer.hits, "hit")}`;
}
