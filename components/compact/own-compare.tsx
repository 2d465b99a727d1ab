"use client";
// The summary of this dry run beside the one that the agent wrote itself: tokens, what each keeps, and where the texts differ.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useMemo } from "react";
import type { EvidenceScores, OwnComparison } from "#lib/wire/own-summary-schema.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { ownQuery } from "../shared/memory-queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent, Num } from "../ui/num.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { useCompactState } from "./compact-state.ts";
import type { DryRun } from "./use-dry-run.ts";

type OwnCompareProps = { run: DryRun; target: CompactTarget; isEdited: boolean };

export function OwnCompare({ run, target, isEdited }: OwnCompareProps) {
  const [state, choose] = useCompactState();
  // A model is asked on the page before; its draft is that of the dry run.
  const draft = run.answer?.draft ?? null;
  const request = { ...run.request, ...(draft !== null && run.request.draft === undefined && { draft }) };
  const compared = useQuery(ownQuery(target.session, request, !run.waits));
  const back = (
    <Button small onClick={() => void choose({ own: false })}>
      <ArrowLeft size={12} aria-hidden="true" />
      Back to compaction
    </Button>
  );
  const { data } = compared;
  if (compared.error && !compared.isPlaceholderData)
    return (
      <div className="min-h-0 flex-1 px-6 py-4">
        <RequestFailure error={compared.error} title="The summaries could not be compared" action={back} />
      </div>
    );
  if (data === undefined)
    return (
      <div className="min-h-0 flex-1 px-6 py-4">
        {run.waits ? (
          <p className="text-ink-2">No summary from the model yet. {back}</p>
        ) : (
          <Loading rows={8} label="Comparing the summaries" />
        )}
      </div>
    );
  if (data.own === null)
    return (
      <div className="min-h-0 flex-1 px-6 py-10">
        <Empty title="No summary to compare with" actions={back}>
          {data.whyNone}
        </Empty>
      </div>
    );
  return (
    <div
      className={`flex min-h-0 flex-1 flex-col max-md:overflow-y-auto ${compared.isPlaceholderData ? "opacity-60" : ""}`}
    >
      <div className="flex flex-none flex-wrap items-start gap-x-10 gap-y-3 px-6 py-4">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="text-15 font-semibold">Compared with the agent's own</h2>
          <p className="mt-1 text-ink-2">
            The agent compacted at{" "}
            <button type="button" className="link underline" onClick={() => target.openEvent(data.own!.seq)}>
              event {formatTokens(data.own.seq)}
            </button>
            .{" "}
            {data.own.evidence === null
              ? "The log around it is too long to be judged."
              : `After it the agent needed ${formatCount(data.own.evidence.needed, "name")} from before.`}
          </p>
          {data.ours !== null && data.ours.turnsWhole > 0 && (
            <p className="mt-1 text-12 text-ink-3">
              The last {formatCount(data.ours.turnsWhole, "turn")} stay whole beside this summary and are not judged.
            </p>
          )}
          {!data.isSameCut && (
            <p className="mt-1 text-12 text-ink-2">
              This summary is of another context.{" "}
              <button
                type="button"
                className="link underline"
                onClick={() => void choose({ at: data.own!.at, tail: 0 })}
              >
                Compare the same context
              </button>
            </p>
          )}
          <div className="mt-3">{back}</div>
        </div>
        <Scores comparison={data} own={data.own} isEdited={isEdited} />
      </div>
      {data.ours === null ? (
        <p className="border-t border-line px-6 py-4 text-ink-2">There is nothing to compact here. Keep fewer turns.</p>
      ) : (
        <Texts
          left={data.own.text}
          right={data.ours.text}
          mode={state.ownShow}
          onMode={(ownShow) => void choose({ ownShow })}
        />
      )}
    </div>
  );
}

type TextsProps = {
  left: string;
  right: string;
  mode: "split" | "unified";
  onMode: (mode: "split" | "unified") => void;
};

function Texts({ left, right, mode, onMode }: TextsProps) {
  const ask = useMemo(
    () => ({ left: { text: left, json: null }, right: { text: right, json: null }, layout: "stored" as const }),
    [left, right],
  );
  return (
    <section aria-label="The two summaries" className="flex min-h-80 flex-1 flex-col">
      <DiffView ask={ask} mode={mode} onMode={onMode} layout={null} onLayout={() => {}} />
    </section>
  );
}

const SCORES: readonly {
  readonly key: Exclude<keyof EvidenceScores, "needed">;
  readonly name: string;
  readonly about: string;
}[] = [
  { key: "entity", name: "Names needed later", about: "Names that the agent wrote again after its compaction" },
  {
    key: "contexted",
    name: "Names in context",
    about: "Those that stand among the words that they stood among before",
  },
  { key: "fromOutputs", name: "Names from outputs", about: "Of the names that only tool outputs had said" },
  { key: "filesModified", name: "Files changed", about: "Files that a tool call created, changed or deleted" },
  { key: "userMessages", name: "User messages", about: "Messages of which most words are kept" },
  { key: "commands", name: "Commands", about: "Shell commands, by their first 120 characters" },
  { key: "errors", name: "Error lines", about: "Lines of failed results that tell of an error" },
];

type ScoresProps = { comparison: OwnComparison; own: NonNullable<OwnComparison["own"]>; isEdited: boolean };

function Scores({ comparison: { ours }, own, isEdited }: ScoresProps) {
  return (
    <table className="border-separate border-spacing-0 text-12" aria-label="Evidence kept">
      <thead className="text-ink-3">
        <tr className="[&>th]:border-b [&>th]:border-line-strong [&>th]:px-3 [&>th]:pb-1 [&>th]:font-medium">
          <th scope="col" className="text-left">
            Kept
          </th>
          <th scope="col" className="text-right">
            Agent's own
          </th>
          <th scope="col" className="text-right">
            {isEdited ? "Edited summary" : "This summary"}
          </th>
        </tr>
      </thead>
      <tbody className="[&_td]:border-b [&_td]:border-line [&_td]:px-3 [&_td]:py-0.5">
        <tr>
          <td>Tokens</td>
          <td className="num">
            <Num value={own.tokens} origin={own.origin} />
          </td>
          <td className="num">{ours === null ? <Absent /> : <Num value={ours.tokens} origin={ours.origin} />}</td>
        </tr>
        {SCORES.map(({ key, name, about }) => (
          <tr key={key} title={about}>
            <td>{name}</td>
            <Share value={own.evidence?.[key] ?? null} />
            <Share value={ours?.evidence?.[key] ?? null} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Share = ({ value }: { value: number | null }) => (
  <td className="num">{value === null ? <Absent why="Nothing to keep" /> : formatPercent(value)}</td>
);
