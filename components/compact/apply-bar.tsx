"use client";
// What to do with the dry run: apply it, or take back the one before.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CompactAnswer, CompactionRow, MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { compact } from "../shared/memory-queries.ts";
import { canUndo } from "../memory/memory-view.ts";
import { useUndo } from "../memory/use-memory-changes.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { When } from "../ui/when.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { useCompactState } from "./compact-state.ts";
import { isCut } from "./refusal.tsx";
import type { DryRun } from "./use-dry-run.ts";

type ApplyBarProps = { target: CompactTarget; run: DryRun; memory: MemoryAnswer | undefined };

export function ApplyBar({ target, run, memory }: ApplyBarProps) {
  const seesAll = useSeesAll();
  const [, choose] = useCompactState();
  const queries = useQueryClient();
  const undo = useUndo(target.session);
  const apply = useMutation({
    // What is shown here is applied: of a model its words, and not what came into the session since.
    mutationFn: () =>
      compact(target.session, { ...run.request, at: run.answer?.at, draft: run.answer?.draft ?? undefined }),
    onSuccess: (answer) => {
      if (isCut(answer)) void queries.invalidateQueries({ queryKey: ["session", target.session] });
    },
  });
  // Not after the page was left: the address is then another session's.
  const onSuccess = (answer: CompactAnswer) => void (isCut(answer) && choose({ done: answer.id }));
  const { answer } = run;
  const isPlan = answer === undefined ? memory?.held === false : answer.kind === "plan";
  const last = lastOf(memory);
  const why = whyNot(run) ?? (apply.isPending ? "Applying" : null);
  const refused = apply.data !== undefined && !isCut(apply.data) ? apply.data : null;
  const failure = apply.error ?? undo.error;
  return (
    <footer className="flex min-h-13 flex-none flex-wrap items-center gap-x-3 gap-y-2 border-t border-line-strong px-6 py-2 max-md:px-4">
      {last !== undefined && (
        <>
          <Button kind="quiet" disabled={undo.isPending} onClick={() => undo.mutate(last.id)}>
            {last.kind === "plan" ? "Discard the last plan" : "Undo the last one"}
          </Button>
          <span className="text-12 text-ink-3 max-lg:hidden">
            {last.startedAt !== null && <When ts={last.startedAt} />}
            {last.tokensBefore !== null &&
              last.tokensAfter !== null &&
              `, ${last.kind === "plan" ? "would free" : "freed"} ${formatTokens(last.tokensBefore - last.tokensAfter, true)}`}
          </span>
        </>
      )}
      <span className="flex-1 max-sm:hidden" />
      {failure !== null ? (
        <div className="max-w-150">
          <RequestFailure
            error={failure}
            title={apply.error === null ? "It was not undone" : "Not applied; nothing changed"}
          />
        </div>
      ) : refused !== null ? (
        <div className="max-w-150">
          <Failure code={refused.status} title="Not applied; nothing changed">
            {refused.reason ?? ""}
          </Failure>
        </div>
      ) : (
        <span className="max-w-160 text-12 text-ink-2 max-sm:basis-full">
          {isPlan
            ? "Imported sessions are read-only; this is saved as a plan."
            : "Applies to new calls. The log keeps every event; undo restores this context exactly."}
          {answer?.draft != null && " This summary is applied; the model is not called again."}
        </span>
      )}
      <Button
        kind={isPlan ? "plain" : "primary"}
        disabled={why !== null}
        title={why ?? undefined}
        onClick={() => apply.mutate(undefined, { onSuccess })}
      >
        {isPlan ? "Save as a plan" : "Compact"}
      </Button>
      {isPlan && seesAll && (
        <Button kind="primary" title="Go on in a new session file" onClick={() => void choose({ show: "carry-on" })}>
          Carry on…
        </Button>
      )}
    </footer>
  );
}

function whyNot({ answer, isOld, waits, error, isAsking }: DryRun): string | null {
  if (waits) return "Ask the model first";
  if (error !== null) return "The dry run was refused";
  if (answer === undefined || isOld)
    return isAsking ? "The dry run is not ready yet" : "No dry run for this policy yet";
  return isCut(answer) ? null : "Nothing to apply";
}

/** The last that stands and may be taken back. */
const lastOf = (memory: MemoryAnswer | undefined): CompactionRow | undefined =>
  memory?.compactions
    .filter(canUndo)
    .toSorted((a, b) => (a.startedAt ?? "").localeCompare(b.startedAt ?? ""))
    .at(-1);
