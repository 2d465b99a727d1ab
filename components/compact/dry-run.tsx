"use client";
// One policy: its numbers at the left, its ledger in the middle, its summary at the right, and below what to do with it.
import type { MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { failureOf } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatDuration } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { ApplyBar } from "./apply-bar.tsx";
import { BeforeAfter, scaleOf } from "./before-after.tsx";
import type { CompactPlace } from "./compact-place.ts";
import { firstPolicy, FIRST_POLICY, useCompactState } from "./compact-state.ts";
import { totalsOf } from "./compact-view.ts";
import { Evidence } from "./evidence.tsx";
import { LedgerTable } from "./ledger-table.tsx";
import { PolicyPanel } from "./policy-panel.tsx";
import { isCut, Refusal } from "./refusal.tsx";
import { SummaryPanel } from "./summary-panel.tsx";
import { useDryRun } from "./use-dry-run.ts";
import { Verdict } from "./plan-verdict.tsx";

type DryRunViewProps = { place: CompactPlace; memory: MemoryAnswer | undefined };

export function DryRunView({ place, memory }: DryRunViewProps) {
  const [state, choose] = useCompactState();
  const policy = firstPolicy(state);
  const run = useDryRun(place.session, policy, place.at);
  const { answer, isOld } = run;
  const cut = answer !== undefined && isCut(answer) ? answer : null;
  return (
    <>
      <div className="compact-columns">
        <aside className="compact-policy" aria-label="Policy">
          <div className="flex items-center gap-1">
            <h2 className="flex-1 text-15 font-semibold">Policy</h2>
            <Button small kind="quiet" onClick={() => void choose(FIRST_POLICY)}>
              Reset
            </Button>
          </div>
          <PolicyPanel policy={policy} onPick={(part) => void choose(part)} run={run} />
          {cut !== null && (
            <div className={`mt-5 ${isOld ? "opacity-60" : ""}`}>
              <Evidence kept={cut.kept} />
              <p className="mt-2 text-12 text-ink-3">It took {formatDuration(cut.ms)}.</p>
            </div>
          )}
          <Button
            small
            className="mt-4"
            onClick={() =>
              void choose({ beside: true, tail2: policy.tail, budget2: policy.budget * 2, by2: policy.by })
            }
          >
            Put another policy beside it
          </Button>
        </aside>
        <div className="compact-main" aria-busy={run.isAsking || undefined}>
          {run.error !== null ? (
            <Failure code={failureOf(run.error).code} title="The dry run was refused">
              {failureOf(run.error).message}
            </Failure>
          ) : answer === undefined ? (
            run.waits ? (
              <p className="text-ink-2">The model was not asked yet with this policy.</p>
            ) : (
              <Loading rows={10} height={28} label="Working out the compaction" />
            )
          ) : (
            <div className={isOld ? "opacity-60" : ""}>
              {cut === null ? (
                <Refusal answer={answer} place={place} policy={policy} onPick={(part) => void choose(part)} />
              ) : (
                <>
                  <Verdict totals={totalsOf(cut, place.calls)} unit={cut.unit} />
                  <BeforeAfter
                    answer={cut}
                    calls={place.calls}
                    line={place.line}
                    scale={scaleOf([totalsOf(cut, place.calls).before], place.line)}
                  />
                  <LedgerTable answer={cut} turns={place.turns} calls={place.calls} onOpen={place.openEvent} />
                </>
              )}
            </div>
          )}
        </div>
        <aside className="compact-summary" aria-label="Summary">
          {cut !== null && run.error === null && (
            <div className={isOld ? "opacity-60" : ""}>
              <SummaryPanel
                answer={cut}
                view={state.view}
                onView={(view) => void choose({ view })}
                onOpen={place.openEvent}
              />
            </div>
          )}
        </aside>
      </div>
      <ApplyBar place={place} run={run} memory={memory} />
    </>
  );
}
