"use client";
import { Search } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import type { SessionsAnswer } from "#lib/wire/sessions.ts";
import { ImportDialog } from "../sources/import-dialog.tsx";
import { failureOf } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { isFiltered, NO_FILTER, questionOf, useChoices, type Choices, type Choose } from "./filters.ts";
import { NoSessions } from "./no-sessions.tsx";
import { SessionsTable } from "./sessions-table.tsx";
import { useSessions } from "./use-sessions.ts";

export function SessionsPage() {
  const [choices, choose] = useChoices();
  const [importing, setImporting] = useState(false);
  const question = questionOf(choices);
  const sessions = useSessions(question, choices.open);
  const { answer } = sessions;
  const openImport = () => setImporting(true);

  return (
    <>
      <header className="flex flex-none flex-wrap items-end gap-x-4 gap-y-2 px-6 pt-4 max-md:px-4">
        <div className="min-w-0 flex-1">
          <h1 className="text-20 font-semibold">Sessions</h1>
          <p className="mt-0.5 text-ink-2">{answer ? <Verdict answer={answer} /> : <>&nbsp;</>}</p>
        </div>
        <SearchField choices={choices} choose={choose} answer={answer} />
      </header>
      <FilterBar answer={answer} choices={choices} choose={choose} onImport={openImport} />
      {answer && answer.counts.all === 0 ? (
        <Below>
          <NoSessions onAdd={openImport} />
        </Below>
      ) : answer && answer.total === 0 ? (
        <Below>
          <Empty
            title="No session matches"
            actions={isFiltered(choices) && <Button onClick={() => void choose(NO_FILTER)}>Clear the filters</Button>}
          >
            Looked in {formatCount(answer.counts.all, "session")}. The search takes whole words and beginnings of words.
          </Empty>
        </Below>
      ) : answer ? (
        // A new question is read from its first row.
        <SessionsTable key={JSON.stringify(question)} sessions={sessions} choices={choices} choose={choose} />
      ) : (
        <Below>
          {sessions.failure === null ? (
            <Loading rows={14} height={48} label="Loading sessions" />
          ) : (
            <Failure
              {...failureOf(sessions.failure)}
              title="The sessions could not be asked for"
              action={<Button onClick={() => void sessions.retry()}>Try again</Button>}
            >
              {failureOf(sessions.failure).message}
            </Failure>
          )}
        </Below>
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

function Below({ children }: { children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-auto px-6 py-2 max-md:px-4">{children}</div>;
}

/** One sentence: how many went over, and how many came near. */
function Verdict({ answer }: { answer: SessionsAnswer }) {
  const { all, over, near } = answer.counts;
  if (all === 0) return "Nothing has been read yet.";
  const figure = (count: number) => <b className="font-semibold text-ink">{formatTokens(count)}</b>;
  if (over === 0 && near === 0) return <>None of {formatCount(all, "session")} came near its load line.</>;
  return (
    <>
      {figure(over)} of {formatTokens(all)} went over the load line, {figure(near)} came near it.
    </>
  );
}

type SearchFieldProps = { choices: Choices; choose: Choose; answer: SessionsAnswer | undefined };

function SearchField({ choices, choose, answer }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "/", label: "Search all sessions", group: "Sessions", run: () => field.current?.focus() }],
    [],
  );
  useShortcuts(shortcuts);
  const found =
    choices.q.trim() === "" || !answer
      ? null
      : `${formatCount(answer.total, "session")}${answer.hits === null ? "" : `, ${formatCount(answer.hits, "hit")}`}`;
  return (
    <label className="flex h-7 w-80 max-w-full items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
      <Search size={14} aria-hidden="true" />
      <span className="sr-only">Search in all sessions</span>
      <input
        ref={field}
        type="search"
        value={choices.q}
        placeholder="Search in all sessions"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => void choose({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          void choose({ q: "" });
          event.currentTarget.blur();
        }}
        className="min-w-0 flex-1 bg-transparent text-13 text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
      />
      {found !== null && (
        <output className="flex-none text-12" aria-label="Found">
          {found}
        </output>
      )}
    </label>
  );
}
