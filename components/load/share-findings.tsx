// What looks private in a report, each with a box that masks it, and the words around it.
import { Badge } from "../ui/badge.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { ReportFinding, ReportReview } from "#lib/wire/report-schema.ts";
import { isMasked, type ShareState } from "./share-state.ts";

const KINDS: Readonly<Record<ReportFinding["kind"], string>> = {
  secret: "secret",
  user: "user name",
  email: "e-mail",
  address: "address",
};

type FindingsProps = {
  review: ReportReview;
  state: ShareState;
  onDecide: (id: string, masked: boolean) => void;
};

export function ShareFindings({ review, state, onDecide }: FindingsProps) {
  const { findings, leftOut } = review;
  if (findings.length === 0) return <p className="py-2 text-13 text-ink-2">Nothing in the report looks private.</p>;
  return (
    <>
      <ul aria-label="Findings" className="max-h-64 overflow-y-auto rounded-2 border border-line">
        {findings.map((finding) => (
          <Finding
            key={finding.id}
            finding={finding}
            masked={isMasked(state, finding)}
            onDecide={(masked) => onDecide(finding.id, masked)}
          />
        ))}
      </ul>
      {leftOut > 0 && (
        <p className="mt-1 text-12 text-ink-3">{formatCount(leftOut, "more finding")}: the choice above decides.</p>
      )}
    </>
  );
}

type FindingProps = { finding: ReportFinding; masked: boolean; onDecide: (masked: boolean) => void };

function Finding({ finding, masked, onDecide }: FindingProps) {
  const { kind, rule, value, valueCut, times, places } = finding;
  const [first] = places;
  return (
    <li className="border-b border-line last:border-b-0">
      <label className="flex items-start gap-2.5 px-2.5 py-1.5 hover:bg-sunk">
        <input
          type="checkbox"
          checked={masked}
          onChange={(event) => onDecide(event.target.checked)}
          className="mt-0.75 size-3.5 flex-none accent-ink"
        />
        <span className="min-w-0 flex-1">
          <span className="flex min-w-0 items-center gap-2">
            <span className={`min-w-0 truncate font-mono text-12 ${masked ? "text-ink-3 line-through" : ""}`}>
              <SafeText text={value} />
              {valueCut && "…"}
            </span>
            <Badge title={rule === null ? undefined : rule.replaceAll("_", " ")}>{KINDS[kind]}</Badge>
            <span className="ml-auto flex-none text-12 text-ink-3">{formatCount(times, "time")}</span>
          </span>
          {first && (
            <span className="block truncate text-12 text-ink-3">
              {first.where}: <SafeText text={oneLine(first.before)} />
              <b className="font-medium text-ink-2">
                <SafeText text={oneLine(value)} />
              </b>
              <SafeText text={oneLine(first.after)} />
            </span>
          )}
        </span>
      </label>
    </li>
  );
}

const oneLine = (text: string): string => text.replace(/\s+/gu, " ");
