"use client";
// What each stage of the program gives: how many values, and the first of them. Each runs by itself with the limits of a
// program that is typed, one after the other, so that they do not take the threads of the result.
import { useQuery } from "@tanstack/react-query";
import { pipeStages, type PipeStage } from "#lib/kernel/jq/pipe-stages.ts";
import { failureOf } from "../ui/api.ts";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { titleOf } from "./failure-words.ts";
import { runOnce, type RunOnce } from "./run-once.ts";
import type { RunRequest } from "./runner.ts";

const MOST_STAGES = 30;
/** Of each stage. */
const FIRST_VALUES = 3;
const VALUE_CHARS = 200;
/** Messages of jq may quote a value. */
const MESSAGE_CHARS = 200;

export function StagesPanel({ request }: { request: RunRequest }) {
  const stages = pipeStages(request.program).slice(0, MOST_STAGES);
  return (
    <section aria-label="Stages" className="flex-none border-t border-line-strong px-5 py-2 text-12 max-md:px-4">
      <h2 className="font-semibold">Values after each stage</h2>
      {stages.length === 0 ? (
        <p className="text-ink-3">This program has no stages.</p>
      ) : (
        <ol>
          <Stages stages={stages} request={request} at={0} />
        </ol>
      )}
    </section>
  );
}

type StagesProps = { stages: readonly PipeStage[]; request: RunRequest; at: number };

/** The stage at an index, and when it is through the ones behind it. */
function Stages({ stages, request, at }: StagesProps) {
  const stage = stages[at];
  const ofStage: RunRequest = {
    ...request,
    program: stage?.program ?? ".",
    options: { ...request.options, compact: true, raw: false },
  };
  const run = useQuery({
    queryKey: ["playground", "stage", ofStage],
    queryFn: ({ signal }) => runOnce(ofStage, signal),
    enabled: stage !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
    structuralSharing: false,
  });
  if (stage === undefined) return null;
  const isThrough = run.data !== undefined && run.data.end.failure === null;
  return (
    <>
      <li className="grid grid-cols-[minmax(0,2fr)_90px_minmax(0,3fr)] gap-x-4 border-b border-line py-1 max-md:grid-cols-[minmax(0,1fr)_auto]">
        <code className="mono truncate text-ink">
          <SafeText text={stage.text} />
        </code>
        <span className="num text-ink-2">{run.data ? formatCount(run.data.end.values, "value") : ""}</span>
        <span className="min-w-0 max-md:col-span-2">
          {run.error ? (
            <SafeText text={failureOf(run.error).message} />
          ) : run.data === undefined ? (
            <span className="text-ink-3">Running…</span>
          ) : (
            <FirstValues run={run.data} />
          )}
        </span>
      </li>
      {isThrough && <Stages stages={stages} request={request} at={at + 1} />}
    </>
  );
}

function FirstValues({ run: { text, end } }: { run: RunOnce }) {
  const lines = text.split("\n").filter((line) => line !== "");
  return (
    <>
      {lines.slice(0, FIRST_VALUES).map((line, at) => (
        // eslint-disable-next-line react/no-array-index-key -- the lines of one output never move
        <code key={at} className="mono block truncate text-ink-2">
          <SafeText text={line.slice(0, VALUE_CHARS)} />
        </code>
      ))}
      {end.failure !== null && (
        <span className="block text-ink">
          {titleOf(end)}: <SafeText text={end.failure.message.slice(0, MESSAGE_CHARS)} />
        </span>
      )}
    </>
  );
}
