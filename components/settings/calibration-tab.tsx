"use client";
// How wrong the estimates are on the sessions that are here, and constants fitted to them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import { calibrationRun, type CalibrationRun, type CalibrationRunRequest } from "#lib/wire/calibration-run-schema.ts";
import { send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatPercent, formatTokens } from "../ui/format.ts";
import { Progress } from "../ui/gauge.tsx";
import { Loading } from "../ui/loading.tsx";
import { When } from "../ui/when.tsx";
import { SessionErrors } from "./calibration-sessions.tsx";
import { ClassErrors, ModelErrors } from "./calibration-tables.tsx";
import { fitRefusal, headline, runningWords } from "./calibration-words.ts";
import { calibrationQuery } from "./settings-queries.ts";
import Link from "next/link";
import { Absent, Num } from "../ui/num.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { showAnswer } from "../ui/show-answer.ts";

export function CalibrationTab() {
  const run = useQuery(calibrationQuery);
  if (run.error && !run.data) return <RequestFailure error={run.error} title="The calibration could not be read" />;
  if (run.data === undefined) return <Loading rows={8} label="Loading the calibration" />;
  return <Calibration run={run.data} />;
}

function Calibration({ run }: { run: CalibrationRun }) {
  const queries = useQueryClient();
  const asking = useMutation({
    mutationFn: (input: CalibrationRunRequest["do"]) =>
      send("POST", "/api/settings/calibration", calibrationRun, { do: input }),
    onSuccess: (now) => showAnswer(queries, calibrationQuery.queryKey, now),
  });
  const { answer, running, ended } = run;
  const line = answer === null ? null : headline(answer);
  return (
    <div className="pb-8">
      {line !== null && <p className="max-w-220 text-15 text-ink">{line}</p>}
      <p className="mt-1 max-w-220 text-12 text-ink-3">
        Estimate error before reconciliation, by growth per call. Ledgers sum to the provider&rsquo;s figures.
      </p>
      <RunResult run={run} isBusy={asking.isPending} onAsk={(input) => asking.mutate(input)} />
      {asking.error !== null && <RequestFailure error={asking.error} title="It was not done" />}
      {ended?.how === "failed" && running === null && (
        <Failure code="failed" title="The last work did not end well">
          {ended.reason}
        </Failure>
      )}
      {answer === null ? (
        running !== null && <Loading rows={8} label="Measuring the sessions that are here" />
      ) : answer.transitions === 0 ? (
        <Nothing answer={answer} />
      ) : (
        <Tables answer={answer} />
      )}
    </div>
  );
}

type RunResultProps = { run: CalibrationRun; isBusy: boolean; onAsk: (input: CalibrationRunRequest["do"]) => void };

/** What can be asked for, or how far it is. */
function RunResult({ run: { running, answer, madeAt, isStale, ended }, isBusy, onAsk }: RunResultProps) {
  if (running !== null)
    return (
      <div className="my-3 flex h-7 items-center gap-3">
        <Progress done={running.done ?? 0} of={running.total ?? 0} label="Sessions measured" width={160} />
        <span className="text-12 text-ink-2">{runningWords(running)}</span>
        <Button small disabled={isBusy} title={isBusy ? "Stopping" : undefined} onClick={() => onAsk("cancel")}>
          Cancel
        </Button>
      </div>
    );
  const refusal = answer === null ? "Nothing was measured yet" : fitRefusal(answer);
  const isFitted = answer?.families.some((family) => family.isFitted) === true;
  return (
    <div className="my-3 flex flex-wrap items-center gap-2">
      <Button
        kind="primary"
        disabled={isBusy || refusal !== null}
        title={refusal ?? undefined}
        onClick={() => onAsk("fit")}
      >
        {isFitted ? "Fit again" : "Fit to these sessions"}
      </Button>
      {isFitted && (
        <Button disabled={isBusy} title={isBusy ? "Working" : undefined} onClick={() => onAsk("reset")}>
          Back to the shipped constants
        </Button>
      )}
      {(isStale || answer === null) && (
        <Button disabled={isBusy} title={isBusy ? "Working" : undefined} onClick={() => onAsk("look")}>
          {answer === null ? "Measure" : "Measure again"}
        </Button>
      )}
      <span className="text-12 text-ink-3" aria-live="polite">
        {ended?.how === "cancelled" ? "Cancelled: nothing was changed. " : ""}
        {isStale ? "Sessions came or grew since this was measured. " : ""}
        {madeAt !== null && (
          <>
            Measured <When ts={madeAt} />.
          </>
        )}{" "}
        {refusal}
      </span>
    </div>
  );
}

function Tables({ answer }: { answer: CalibrationAnswer }) {
  return (
    <>
      <h2 className="mt-4 text-15 font-semibold">By model</h2>
      <ModelErrors answer={answer} />
      <h2 className="mt-6 text-15 font-semibold">By class, with its constants</h2>
      <p className="text-12 text-ink-3">
        A transition counts for the class that is ≥ 80 % of it. Tokens = counted × factor + overhead per item.
      </p>
      <ClassErrors answer={answer} />
      <h2 className="mt-6 text-15 font-semibold">By session</h2>
      <SessionErrors answer={answer} />
      <Clearings clearings={answer.clearings} />
      <Overheads overheads={answer.overheads} />
    </>
  );
}

function Nothing({ answer }: { answer: CalibrationAnswer }) {
  return (
    <Empty title="Nothing to measure yet">
      {answer.looked === 0
        ? "No session with two model calls is here."
        : "No session here reported its prompts twice in a row."}
    </Empty>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Before call" },
  { name: "The ledger" },
  { name: "The prompt fell by" },
  { name: "The agent said" },
];

/** Reality's own test: agents that cleared old results by themselves. Nothing where none did. */
function Clearings({ clearings }: Pick<CalibrationAnswer, "clearings">) {
  if (clearings.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="text-15 font-semibold">Clearings by agents</h2>
      <p className="mt-0.5 text-12 text-ink-3">
        Agents cleared old tool results: the ledger's weight, the prompt's fall, the agent's figure.
      </p>
      <PlainTable label="Clearings by agents" width="min-w-160" columns={COLUMNS}>
        {clearings.map(({ sessionId, seq, call, predicted, reported, agentSaid }) => (
          <tr key={`${sessionId} ${seq}`} className={ROW}>
            <td className="pl-0! text-left!">
              <Link prefetch={false} className="link" href={`/sessions/${sessionId}?tab=load&event=${seq}`}>
                {call ?? "–"} of {sessionId}
              </Link>
            </td>
            <td className="text-right">
              <Num value={predicted} origin="estimated" />
            </td>
            <td className="text-right">
              {reported === null ? (
                <Absent why="Another compaction came in the same interval" />
              ) : (
                <Num value={reported} origin="reported" />
              )}
            </td>
            <td className="text-right">
              {agentSaid === null ? (
                <Absent why="The file does not say" />
              ) : (
                <Num value={agentSaid} origin="reported" />
              )}
            </td>
          </tr>
        ))}
      </PlainTable>
    </section>
  );
}

const OVERHEAD_COLUMNS = [
  { name: "Model", left: true },
  { name: "Requests" },
  { name: "Text, estimated" },
  { name: "Charged" },
  { name: "Beyond the text" },
];

/** Sessions whose files hold whole requests: nothing of those prompts is hidden. */
function Overheads({ overheads }: Pick<CalibrationAnswer, "overheads">) {
  if (overheads.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="text-15 font-semibold">Whole requests</h2>
      <p className="mt-0.5 text-12 text-ink-3">
        Sessions with recorded requests: tokens charged beyond the text sent (framing and estimate error).
      </p>
      <PlainTable label="Charged beyond the text" width="min-w-160" columns={OVERHEAD_COLUMNS}>
        {overheads.map(({ model, requests, text, charged }) => (
          <tr key={model} className={ROW}>
            <td className="pl-0! text-left!">{model}</td>
            <td className="text-right">{formatTokens(requests)}</td>
            <td className="text-right">
              <Num value={text} origin="estimated" />
            </td>
            <td className="text-right">
              <Num value={charged} origin="reported" />
            </td>
            <td className="text-right">{text === 0 ? "–" : formatPercent(charged / text - 1)}</td>
          </tr>
        ))}
      </PlainTable>
    </section>
  );
}
