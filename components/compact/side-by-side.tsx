"use client";
// Two policies or summarizers beside each other, on one scale, before either is applied.
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { BeforeAfter, scaleOf } from "./before-after.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { firstPolicy, secondPolicy, useCompactState, type Policy } from "./compact-state.ts";
import { totalsOf } from "./compact-view.ts";
import { Evidence } from "./evidence.tsx";
import { PolicyPanel } from "./policy-panel.tsx";
import { isCut, Refusal } from "./refusal.tsx";
import { LinkedLines } from "./summary-panel.tsx";
import { useDryRun, type DryRun } from "./use-dry-run.ts";
import { Verdict } from "./plan-verdict.tsx";

export function SideBySide({ target }: { target: CompactTarget }) {
  const [state, choose] = useCompactState();
  const policies = [firstPolicy(state), secondPolicy(state)] as const;
  const first = useDryRun(target.session, policies[0], target.at);
  const second = useDryRun(target.session, policies[1], target.at);
  const runs = [first, second];
  const scale = scaleOf(
    runs.flatMap(({ answer }) => (answer === undefined ? [] : [totalsOf(answer, target.calls).before])),
    target.line,
  );
  const pick = (at: number, part: Partial<Policy>) =>
    at === 0
      ? void choose(part)
      : void choose({
          ...(part.tail === undefined ? {} : { tail2: part.tail }),
          ...(part.budget === undefined ? {} : { budget2: part.budget }),
          ...(part.by === undefined ? {} : { by2: part.by }),
        });
  return (
    <div className="grid min-h-0 flex-1 grid-cols-2 items-start gap-8 overflow-y-auto px-6 pt-4 pb-8 max-md:grid-cols-[minmax(0,1fr)]">
      {runs.map((run, at) => {
        const policy = policies[at] as Policy;
        const name = at === 0 ? "First policy" : "Second policy";
        return (
          <section key={name} aria-label={name} className="min-w-0">
            <div className="flex items-center gap-2">
              <h2 className="flex-1 text-15 font-semibold">{name}</h2>
              <Button small onClick={() => void choose({ ...policy, beside: false })}>
                Use this policy
              </Button>
            </div>
            <div className="max-w-110">
              <PolicyPanel policy={policy} onPick={(part) => pick(at, part)} run={run} />
            </div>
            <Side
              run={run}
              target={target}
              scale={scale}
              other={runs[1 - at]?.answer?.lines}
              policy={policy}
              onPick={(part) => pick(at, part)}
            />
          </section>
        );
      })}
    </div>
  );
}

type SideProps = {
  run: DryRun;
  target: CompactTarget;
  scale: number;
  /** Lines of the other summary: what only this one says is marked. */
  other: readonly { readonly text: string }[] | undefined;
  policy: Policy;
  onPick: (part: Partial<Policy>) => void;
};

function Side({ run, target, scale, other, policy, onPick }: SideProps) {
  const { answer, error, isOld, waits } = run;
  if (error !== null)
    return (
      <div className="mt-4">
        <RequestFailure error={error} title="The dry run was refused" />
      </div>
    );
  if (answer === undefined)
    return waits ? (
      <p className="mt-4 text-ink-2">No summary from the model yet.</p>
    ) : (
      <Loading rows={8} height={28} label="Working out the compaction" />
    );
  if (!isCut(answer))
    return (
      <div className="verdict-small mt-4">
        <Refusal answer={answer} target={target} policy={policy} onPick={onPick} />
      </div>
    );
  const said = new Set(other?.map(({ text }) => text));
  const only =
    other === undefined ? 0 : answer.lines.filter(({ text }) => text.trim() !== "" && !said.has(text)).length;
  return (
    <div className={`mt-4 ${isOld ? "opacity-60" : ""}`}>
      <div className="verdict-small">
        <Verdict totals={totalsOf(answer, target.calls)} unit={answer.unit} />
      </div>
      <BeforeAfter answer={answer} calls={target.calls} line={target.line} scale={scale} />
      <div className="mt-3 max-w-110">
        <Evidence kept={answer.kept} />
      </div>
      <h3 className="mt-4 text-13 font-semibold">
        Summary{" "}
        {other !== undefined && (
          <span className="font-normal text-ink-3">
            {only === 0 ? "has no line of its own" : `${only} of its lines are only here`}
          </span>
        )}
      </h3>
      <LinkedLines answer={answer} onOpen={target.openEvent} />
    </div>
  );
}
