"use client";
// One policy: its numbers at the left, its ledger in the middle, its summary at the right, and below what to do with it.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { CompactAnswer, MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { carryOnPlanQuery, type CarryOnChoice } from "../shared/carry-on-queries.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatDuration } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { ApplyBar } from "./apply-bar.tsx";
import { BeforeAfter, scaleOf } from "./before-after.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { firstPolicy, FIRST_POLICY, useCompactState } from "./compact-state.ts";
import { totalsOf } from "./compact-view.ts";
import { Evidence } from "./evidence.tsx";
import { LedgerTable } from "./ledger-table.tsx";
import { PolicyPanel } from "./policy-panel.tsx";
import { isCut, Refusal } from "./refusal.tsx";
import { SummaryAside, SummaryPanel } from "./summary-panel.tsx";
import { useDryRun, type DryRun, type EditedSummary } from "./use-dry-run.ts";
import { Verdict } from "./plan-verdict.tsx";

/** Fetched when they are first opened; the first with what compares texts. */
const OwnCompare = lazy(() => import("./own-compare.tsx").then((module) => ({ default: module.OwnCompare })));

const CarryOnPlanView = lazy(() =>
  import("./carry-on-plan.tsx").then((module) => ({ default: module.CarryOnPlanView })),
);
const CarryOnBar = lazy(() => import("./carry-on-plan.tsx").then((module) => ({ default: module.CarryOnBar })));

type DryRunViewProps = { target: CompactTarget; memory: MemoryAnswer | undefined };

export function DryRunView({ target, memory }: DryRunViewProps) {
  const [state, choose] = useCompactState();
  const policy = firstPolicy(state);
  // Of this policy at this event alone: another one has another summary.
  const policyKey = JSON.stringify([policy, target.at]);
  const [kept, setKept] = useState<(EditedSummary & { readonly policyKey: string }) | null>(null);
  const edited = kept?.policyKey === policyKey ? kept : null;
  const run = useDryRun(target.session, policy, target.at, edited);
  const { answer, isOld } = run;
  const cut = answer !== undefined && isCut(answer) ? answer : null;
  const showOwn = () => void choose({ own: true });
  const hasOwn =
    memory?.compactions.some(
      ({ kind, status, summary }) => kind === "agent" && status === "complete" && summary !== "",
    ) ?? false;
  const carryOn = state.show === "carry-on" ? { target, request: carryOnRequestOf(run, state.envelopes) } : null;
  // The view of the new file fetches it; the summary below it comes after it.
  const plan = useQuery(carryOnPlanQuery(target.session, carryOn?.request ?? {}, false));
  const isPlanned = carryOn === null || plan.data !== undefined || plan.error !== null;
  if (state.own)
    return (
      <>
        <Suspense fallback={<Loading rows={8} label="Loading the comparison" />}>
          <OwnCompare run={run} target={target} isEdited={edited !== null} />
        </Suspense>
        <ApplyBar target={target} run={run} memory={memory} />
      </>
    );
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-[256px_minmax(0,1fr)_448px] max-md:block max-[1200px]:grid-cols-[256px_minmax(0,1fr)] max-[1200px]:overflow-y-auto">
        <aside
          className="min-w-0 overflow-y-auto border-r border-line py-4 pr-5 pb-6 pl-6 max-md:border-r-0 max-md:border-b max-md:px-4 max-[1200px]:overflow-visible"
          aria-label="Policy"
        >
          <div className="flex items-center gap-1">
            <h2 className="flex-1 text-15 font-semibold">Policy</h2>
            <Button small kind="quiet" onClick={() => void choose(FIRST_POLICY)}>
              Reset
            </Button>
          </div>
          <PolicyPanel policy={policy} onPick={(part) => void choose(part)} run={run} />
          <Button
            small
            className="mt-4"
            onClick={() =>
              void choose({ beside: true, tail2: policy.tail, budget2: policy.budget * 2, by2: policy.by })
            }
          >
            Compare policies
          </Button>
          {cut !== null && <Kept cut={cut} className={`max-md:hidden ${isOld ? "opacity-60" : ""}`} />}
        </aside>
        <div
          className="min-w-0 overflow-y-auto px-5 pt-4 pb-6 max-md:px-4 max-[1200px]:overflow-visible"
          aria-busy={run.isAsking || undefined}
        >
          {run.error !== null ? (
            <RequestFailure error={run.error} title="The dry run was refused" />
          ) : carryOn !== null && !run.waits ? (
            <Suspense fallback={<Loading rows={10} height={28} label="Working out the new file" />}>
              <CarryOnPlanView {...carryOn} />
            </Suspense>
          ) : answer === undefined ? (
            run.waits ? (
              <p className="text-ink-2">No summary from the model yet.</p>
            ) : (
              <>
                <p className="mb-2 text-ink-2">Working out the compaction…</p>
                <Loading rows={10} height={28} label="Working out the compaction" />
              </>
            )
          ) : (
            <div className={isOld ? "opacity-60" : ""}>
              {cut === null ? (
                <>
                  <Refusal answer={answer} target={target} policy={policy} onPick={(part) => void choose(part)} />
                  {hasOwn && (
                    <Button small className="mt-4" onClick={showOwn}>
                      Compare with agent's own
                    </Button>
                  )}
                </>
              ) : (
                <>
                  <Verdict totals={totalsOf(cut, target.calls)} unit={cut.unit} />
                  <BeforeAfter
                    answer={cut}
                    calls={target.calls}
                    line={target.line}
                    scale={scaleOf([totalsOf(cut, target.calls).before], target.line)}
                  />
                  <LedgerTable answer={cut} turns={target.turns} calls={target.calls} onOpen={target.openEvent} />
                  {/* On a phone the policy stands above: what comes into it would push the ledger down. */}
                  <Kept cut={cut} className="max-w-100 md:hidden" />
                </>
              )}
            </div>
          )}
        </div>
        <SummaryAside isThere={cut !== null && run.error === null && isPlanned}>
          {answer === undefined && !run.waits && run.error === null && <Loading rows={6} height={28} label="Summary" />}
          {cut !== null && run.error === null && (
            <div className={isOld ? "opacity-60" : ""}>
              <SummaryPanel
                answer={cut}
                view={state.view}
                onView={(view) => void choose({ view })}
                onOpen={target.openEvent}
                onOwn={hasOwn ? showOwn : undefined}
                editing={{
                  lines: edited?.lines ?? null,
                  onEdit: (lines) =>
                    setKept(
                      lines === null
                        ? null
                        : { policyKey, lines, draft: edited?.draft ?? cut.draft, at: edited?.at ?? cut.at },
                    ),
                }}
              />
            </div>
          )}
        </SummaryAside>
      </div>
      {carryOn === null ? (
        <ApplyBar target={target} run={run} memory={memory} />
      ) : (
        <Suspense fallback={<footer className="min-h-13 flex-none border-t border-line-strong" />}>
          <CarryOnBar {...carryOn} />
        </Suspense>
      )}
    </>
  );
}

function Kept({ cut, className }: { cut: CompactAnswer; className: string }) {
  return (
    <div className={`mt-5 ${className}`}>
      <Evidence kept={cut.kept} />
      <p className="mt-2 text-12 text-ink-3">It took {formatDuration(cut.ms)}.</p>
    </div>
  );
}

/** Everything up to the event in a new file: there is no policy and no summary. */
export function ForkView({ target }: { target: CompactTarget }) {
  const [{ envelopes }] = useCompactState();
  const request = {
    mode: "fork" as const,
    ...(target.at !== null && target.at > 0 && { at: target.at }),
    ...(envelopes !== null && { envelopes }),
  };
  return (
    <Suspense fallback={<Loading rows={10} height={28} label="Working out the new file" />}>
      <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 pb-6">
        <CarryOnPlanView target={target} request={request} />
      </div>
      <CarryOnBar target={target} request={request} />
    </Suspense>
  );
}

/** With the summary that is shown here: a model is not asked again. Null while there is none. */
function carryOnRequestOf(run: DryRun, envelopes: boolean | null): CarryOnChoice | null {
  if (run.waits || run.isOld || run.answer === undefined) return null;
  const { dryRun: _, ...request } = run.request;
  return {
    ...request,
    mode: "summary",
    ...(run.answer.draft !== null && { draft: run.answer.draft }),
    ...(envelopes !== null && { envelopes }),
  };
}
