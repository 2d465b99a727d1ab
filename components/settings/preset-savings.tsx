"use client";
// Savings of each preset over all sessions: cells of the presets' table, and the progress of the replay.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { PresetName } from "#lib/kernel/artifacts/offload-presets.ts";
import {
  presetSavingsRun,
  type PresetSavings,
  type PresetSavingsRequest,
  type PresetSavingsRun,
} from "#lib/wire/preset-savings-schema.ts";
import { send } from "../ui/api.ts";
import { NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { Button } from "../ui/button.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Progress } from "../ui/gauge.tsx";
import { Absent } from "../ui/num.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import {
  replayedWords,
  replayingWords,
  savedShare,
  savedTokens,
  savedUsd,
  tokensTitle,
  usdTitle,
} from "./preset-savings-words.ts";
import { savingsQuery } from "./settings-queries.ts";

type SavedCellsProps = { preset: PresetName; savings: PresetSavings | null };

/** Tokens, cost, what reading back leaves of it, and sessions under their line: of one preset. */
export function SavedCells({ preset, savings }: SavedCellsProps) {
  const one = savings?.presets.find((row) => row.preset === preset);
  if (one === undefined || savings === null || savings.sessions === 0)
    return ["Tokens", "Cost", "Half", "Under"].map((column) => (
      <td key={column} className={`num last:pr-0! ${column === "Half" ? "max-lg:hidden" : ""}`}>
        <Absent why="Not replayed yet" />
      </td>
    ));
  const { saved, savedHalfRead, staysUnder } = one;
  return (
    <>
      <td className="num" title={tokensTitle(one)}>
        <Tilde />
        {savedTokens(saved.tokens)}{" "}
        <span className="inline-block w-8 text-ink-3">
          {saved.tokens !== 0 && savedShare(saved.tokens, savings.promptTokens)}
        </span>
      </td>
      <td className="num" title={usdTitle(one)}>
        {saved.usd === null ? (
          <Absent why={NO_PRICE} />
        ) : (
          <>
            <Tilde />
            {savedUsd(saved.usd)}
          </>
        )}
      </td>
      <td className="num text-ink-2 max-lg:hidden" title={tokensTitle(one)}>
        {savedShare(savedHalfRead.tokens, savings.promptTokens)}
      </td>
      <td className="num pr-0!">
        {savings.full === 0 ? (
          <Absent why="No session reached its load line" />
        ) : (
          <>
            {formatTokens(staysUnder)}
            <span className="text-ink-3"> of {formatTokens(savings.full)}</span>
          </>
        )}
      </td>
    </>
  );
}

const Tilde = () => (
  <>
    <span className="text-ink-3" aria-hidden>
      ~
    </span>
    <span className="sr-only">estimated </span>
  </>
);

/** Under the table: how far the replay is and a way to stop it, or what was replayed. */
export function SavingsLine({ run }: { run: PresetSavingsRun }) {
  const queries = useQueryClient();
  const asking = useMutation({
    mutationFn: (input: PresetSavingsRequest["do"]) =>
      send("POST", "/api/settings/presets/savings", presetSavingsRun, { do: input }),
    onSuccess: (now) => showAnswer(queries, savingsQuery.queryKey, now),
  });
  const { running, answer, isStale, ended } = run;
  const again = (label: string) => (
    <Button
      small
      disabled={asking.isPending}
      title={asking.isPending ? "Starting" : undefined}
      onClick={() => asking.mutate("begin")}
    >
      {label}
    </Button>
  );
  return (
    <div className="mt-2 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-3" aria-live="polite">
      {running !== null && (
        <>
          <Progress done={running.done ?? 0} of={running.total ?? 0} label="Sessions replayed" width={160} />
          <span className="text-ink-2">{replayingWords(running)}</span>
          <Button
            small
            disabled={asking.isPending}
            title={asking.isPending ? "Stopping" : undefined}
            onClick={() => asking.mutate("cancel")}
          >
            Cancel
          </Button>
        </>
      )}
      {answer !== null && <span className="max-w-220">{replayedWords(answer)}</span>}
      {running === null && isStale && (
        <>
          <span>Sessions came or changed since.</span>
          {again("Replay those")}
        </>
      )}
      {running === null && ended?.how === "cancelled" && (
        <>
          <span>Cancelled; finished sessions are kept.</span>
          {again("Go on")}
        </>
      )}
      {running === null && ended?.how === "failed" && (
        <Failure code="failed" title="The presets could not be tried on the sessions">
          {ended.reason}
        </Failure>
      )}
      {asking.error !== null && <RequestFailure error={asking.error} title="It was not done" />}
    </div>
  );
}
