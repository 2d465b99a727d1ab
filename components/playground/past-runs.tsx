"use client";
// What was asked before, by people and by agents, and the programs that have a name. A click asks it again.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import type { PastRun, SavedProgram } from "#lib/wire/playground-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { When } from "../ui/when.tsx";
import { FAILURES } from "./failure-words.ts";
import { dropProgram, historyQuery, programsQuery, type Who } from "./playground-queries.ts";

const PROGRAM_CHARS = 200;

type PastRunsProps = { onRun: (run: PastRun) => void; onProgram: (program: SavedProgram) => void };

export function PastRuns({ onRun, onProgram }: PastRunsProps) {
  return (
    <>
      <History onRun={onRun} />
      <Saved onProgram={onProgram} />
    </>
  );
}

function History({ onRun }: Pick<PastRunsProps, "onRun">) {
  const [who, setWho] = useState<Who>("all");
  const history = useQuery(historyQuery(who));
  const runs = history.data?.runs ?? [];
  return (
    <section aria-label="History" className="flex-none">
      <div className="flex flex-wrap items-center gap-2 pr-6 pb-2 pl-4">
        <h2 className="flex-1 text-15 font-semibold">History</h2>
        <Segmented
          label="Whose runs"
          value={who}
          options={[
            { value: "all", label: "All" },
            { value: "mine", label: "Mine" },
            { value: "agent", label: "The agent’s" },
          ]}
          onPick={setWho}
        />
      </div>
      {history.error ? (
        <div className="px-4">
          <RequestFailure error={history.error} title="The history could not be loaded" />
        </div>
      ) : history.data === undefined ? (
        <div className="px-4">
          <Loading rows={5} height={46} label="Loading the history" />
        </div>
      ) : runs.length === 0 ? (
        <p className="pr-6 pl-4 text-12 text-ink-3">{NONE[who]}</p>
      ) : (
        <ul>
          {runs.map((run) => (
            <Past key={run.id} run={run} onRun={onRun} />
          ))}
          {history.data.total > runs.length && (
            <li className="py-1.5 pr-6 pl-4 text-12 text-ink-3">
              The newest {formatTokens(runs.length)} of {formatTokens(history.data.total)}.
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

const NONE: Record<Who, string> = {
  all: "No runs yet. Your programs and the queries of agents are listed here.",
  mine: "No runs of yours yet. A program is saved when you stop typing.",
  agent: "No agent has used artifact_jq or artifact_grep yet.",
};

function Past({ run, onRun }: { run: PastRun; onRun: (run: PastRun) => void }) {
  const { who, kind, program, results, ms, failure, at, sessionId, seq } = run;
  return (
    <li className="relative border-b border-line text-12 text-ink-3 first:border-t hover:bg-sunk">
      <button
        type="button"
        title={shownText(program.slice(0, 2000))}
        onClick={() => onRun(run)}
        className="block w-full py-1.5 pr-6 pl-4 text-left focus-visible:-outline-offset-2"
      >
        <span className="mono block truncate text-ink">
          <SafeText text={oneLine(program)} />
        </span>
        <span className="mt-px flex items-center gap-2 pr-18 whitespace-nowrap">
          {who === "agent" && <span className="text-ink-2">agent</span>}
          {kind === "grep" && <span className="text-ink-2">grep</span>}
          {failure !== null ? (
            <>
              <Badge tone="error">{FAILURES[failure]}</Badge>
              {failure === "timeout" && <span>at the deadline</span>}
            </>
          ) : (
            results !== null && (
              <span>
                {formatCount(results, kind === "jq" ? "value" : "match", kind === "jq" ? "values" : "matches")}
              </span>
            )
          )}
          {ms !== null && failure === null && <span>{formatTokens(Math.round(ms))} ms</span>}
        </span>
      </button>
      <span className="absolute right-6 bottom-1.5">
        {sessionId !== null && seq !== null ? (
          <Link className="link" href={`/sessions/${encodeURIComponent(sessionId)}?event=${seq}`} prefetch={false}>
            event {formatTokens(seq)}
          </Link>
        ) : (
          at !== null && <When ts={at} show="ago" />
        )}
      </span>
    </li>
  );
}

/** As a row shows it: without its comments and line ends. */
const oneLine = (program: string): string =>
  program
    .slice(0, 4 * PROGRAM_CHARS)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .join(" ")
    .slice(0, PROGRAM_CHARS) || program.slice(0, PROGRAM_CHARS);

function Saved({ onProgram }: Pick<PastRunsProps, "onProgram">) {
  const queries = useQueryClient();
  const programs = useQuery(programsQuery);
  const dropping = useMutation({
    mutationFn: dropProgram,
    onSuccess: () => queries.invalidateQueries({ queryKey: programsQuery.queryKey }),
  });
  const named = (programs.data?.programs ?? []).filter(({ name }) => name !== null);
  const failure = programs.error ?? dropping.error;
  return (
    <section aria-label="Saved" className="flex-none pt-4">
      <h2 className="pr-6 pb-1 pl-4 text-15 font-semibold">Saved</h2>
      {failure !== null && (
        <div className="px-4 pb-1">
          <RequestFailure
            error={failure}
            title={programs.error ? "The programs could not be loaded" : "It was not deleted"}
          />
        </div>
      )}
      {programs.data && named.length === 0 && (
        <p className="pr-6 pl-4 text-12 text-ink-3">No saved programs. “Save program” adds one.</p>
      )}
      <ul>
        {named.map((program) => (
          <li key={program.id} className="group flex items-center pr-4 hover:bg-sunk">
            <button
              type="button"
              title={shownText(program.program.slice(0, 2000))}
              onClick={() => onProgram(program)}
              className="flex min-w-0 flex-1 items-baseline gap-2 py-0.5 pl-4 text-left text-12 focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1 truncate text-13 text-ink">
                <SafeText text={program.name ?? ""} />
              </span>
              <span className="text-ink-3">{program.kind === "grep" ? "grep" : program.fits}</span>
            </button>
            <button
              type="button"
              aria-label={`Delete the program ${shownText(program.name ?? "")}`}
              title="Delete it"
              disabled={dropping.isPending}
              onClick={() => dropping.mutate(program.id)}
              className="ml-1 inline-grid size-5 flex-none place-items-center rounded-1 text-ink-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100"
            >
              <Trash2 size={12} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
