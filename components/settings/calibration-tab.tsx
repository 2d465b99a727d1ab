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
import { PlainTable, ROW, type Column } from "./plain-table.tsx";

export function CalibrationTab() {
  const run = useQuery(calibrationQuery);
  if (run.error) return <RequestFailure error={run.error} title="The calibration could not be read" />;
  if (run.data === undefined) return <Loading rows={8} label="Loading the calibration" />;
  return <Calibration run={run.data} />;
}

function Calibration({ run }: { run: CalibrationRun }) {
  const queries = useQueryClient();
  const asking = useMutation({
    mutationFn: (input: CalibrationRunRequest["do"]) =>
      send("POST", "/api/settings/calibration", calibrationRun, { do: input }),
    onSuccess: (now) => queries.setQueryData(calibrationQuery.queryKey, now),
  });
  const { answer, running, ended } = run;
  const line = answer === null ? null : headline(answer);
  return (
    <div className="pb-8">
      {line !== null && <p className="max-w-220 text-15 text-ink">{line}</p>}
      <p className="mt-1 max-w-220 text-12 text-ink-3">
        A transition is what a prompt grew by from one call to the next. The provider reports it; the error here is what
        the estimates of all that came in miss it by, before they are put right with it. Every ledger meets the
        provider&rsquo;s sum whatever stands here: the constants decide how it is shared out among its items.
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
        <Progress done={running.done ?? 0} of={running.total ?? 0} label="Sessions looked at" width={160} />
        <span className="text-12 text-ink-2">{runningWords(running)}</span>
        <Button
          small
          disabled={isBusy}
          title={isBusy ? "It is being stopped" : undefined}
          onClick={() => onAsk("cancel")}
        >
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
        <Button disabled={isBusy} title={isBusy ? "It is being done" : undefined} onClick={() => onAsk("reset")}>
          Back to the shipped constants
        </Button>
      )}
      {(isStale || answer === null) && (
        <Button disabled={isBusy} title={isBusy ? "It is being done" : undefined} onClick={() => onAsk("look")}>
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
        A transition counts for a class that brought four fifths of it. Tokens are those that were counted, times the
        first number, and the second for what stands around each item.
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
  const least = formatTokens(answer.leastTransitions);
  return (
    <Empty title="Nothing to measure yet">
      {answer.looked === 0
        ? "No session with two model calls is here. "
        : "No session here reported its prompts twice in a row. "}
      A fit needs {least} transitions of one kind of model: {least} are missing. Until then the shipped constants hold.
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
      <h2 className="text-15 font-semibold">Held against reality</h2>
      <p className="mt-0.5 text-12 text-ink-3">
        Here agents cleared old tool results by themselves: what the ledger had for them, what the prompt fell by, and
        what the agent said.
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
        These sessions hold what was sent, system prompt and tools too. What the provider charged beyond their text is
        its own framing, and the error of the estimate.
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
