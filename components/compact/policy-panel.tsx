"use client";
// The numbers of a policy and who writes the summary.
import { useQuery, queryOptions } from "@tanstack/react-query";
import Link from "next/link";
import { Slider } from "../load/slider.tsx";
import { Button } from "../ui/button.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { BUDGET, EXTRACTIVE, TAIL, type Policy } from "./compact-state.ts";
import type { DryRun } from "./use-dry-run.ts";
import { summarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { useRunsServer } from "../ui/access-context.ts";
import { api } from "../ui/api.ts";

type PolicyPanelProps = { policy: Policy; onPick: (part: Partial<Policy>) => void; run: DryRun };

export function PolicyPanel({ policy, onPick, run }: PolicyPanelProps) {
  // A model is set up for the whole server.
  const runsServer = useRunsServer();
  const setting = useQuery({ ...summarizerQuery, enabled: runsServer });
  const model = setting.data?.kind === "off" ? null : (setting.data?.model ?? null);
  const isModel = policy.by !== EXTRACTIVE;
  return (
    <>
      <div className="[&_.slider]:mt-1">
        <Slider of={TAIL} value={policy.tail} onPick={(tail) => onPick({ tail: Number(tail) })} />
        <Slider of={BUDGET} value={policy.budget} onPick={(budget) => onPick({ budget: Number(budget) })} />
      </div>
      <div className="mt-3 text-12 text-ink-2">Summarizer</div>
      <div className="mt-1">
        <Segmented
          label="Summarizer"
          value={isModel ? "model" : "none"}
          options={[
            { value: "none", label: "No model" },
            ...(model !== null || isModel ? [{ value: "model" as const, label: "Model" }] : []),
          ]}
          onPick={(who) => onPick({ by: who === "none" ? EXTRACTIVE : (model ?? policy.by) })}
        />
      </div>
      {isModel ? (
        <div className="mt-2 text-12 text-ink-2">
          <p>
            <b className="font-medium text-ink">
              <SafeText text={policy.by} />
            </b>{" "}
            {setting.data?.sentTo == null ? (
              "is not set up in Settings."
            ) : (
              <>
                at <SafeText text={setting.data.sentTo} /> receives the turns that are cut, with known secrets masked.
              </>
            )}
          </p>
          <p className="mt-2 flex items-center gap-2">
            {run.isAsking ? (
              <Button small onClick={run.stop}>
                Stop
              </Button>
            ) : (
              <Button small kind={run.waits ? "primary" : "plain"} onClick={run.ask}>
                {run.waits ? "Ask the model" : "Ask again"}
              </Button>
            )}
            {run.isAsking && <span>The model writes…</span>}
          </p>
        </div>
      ) : (
        <p className="mt-2 text-12 text-ink-3">
          Made from lines of the log, without a model. The same input gives the same summary.
          {model === null && runsServer && (
            <>
              {" "}
              A model can be{" "}
              <Link prefetch={false} href="/settings?tab=summarizer" className="link underline">
                set up in Settings
              </Link>
              .
            </>
          )}
        </p>
      )}
    </>
  );
}

/** The model that a person set up, or that none is. */
const summarizerQuery = queryOptions({
  queryKey: ["settings", "summarizer"],
  queryFn: ({ signal }) => api("/api/settings/summarizer", summarizerAnswer, { signal }),
});
