// What looks private in an export: a box for each kind and for each value, which masks it, and the words around it.
import { PRIVATE_KINDS, type PrivateKind } from "#lib/kernel/private-spans.ts";
import type { ExportReview } from "#lib/wire/export-schema.ts";
import type { PrivateFinding } from "#lib/wire/redaction-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { isMasked, type ExportState } from "./export-state.ts";

const KINDS: Readonly<Record<PrivateKind, readonly [one: string, all: string]>> = {
  secret: ["secret", "Secrets"],
  user: ["user name", "User names"],
  email: ["e-mail", "E-mail addresses"],
  address: ["address", "Hosts and URLs"],
};

type FindingsProps = {
  review: ExportReview;
  state: ExportState;
  onDecide: (id: string, masked: boolean) => void;
  onDecideKind: (kind: PrivateKind, masked: boolean) => void;
};

export function ExportFindings({ review, state, onDecide, onDecideKind }: FindingsProps) {
  const { findings, leftOut, notSearched, kinds } = review;
  return (
    <>
      {findings.length === 0 ? (
        <p className="py-1 text-13 text-ink-2">Nothing found in a known form.</p>
      ) : (
        <>
          <fieldset className="mb-1.5 flex flex-wrap gap-x-5 gap-y-1 text-13">
            <legend className="sr-only">Mask all of a kind</legend>
            {PRIVATE_KINDS.filter((kind) => kinds[kind] > 0).map((kind) => (
              <label key={kind} className="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  checked={state.kinds.has(kind)}
                  onChange={(event) => onDecideKind(kind, event.target.checked)}
                  className="size-3.5 flex-none accent-ink"
                />
                {KINDS[kind][1]} <span className="text-ink-3 tabular-nums">{formatTokens(kinds[kind])}</span>
              </label>
            ))}
          </fieldset>
          <ul aria-label="Findings" className="max-h-56 overflow-y-auto rounded-2 border border-line">
            {findings.map((finding) => (
              <Finding
                key={finding.id}
                finding={finding}
                masked={isMasked(state, finding)}
                onDecide={(masked) => onDecide(finding.id, masked)}
              />
            ))}
          </ul>
        </>
      )}
      {leftOut > 0 && (
        <p className="mt-1 text-12 text-ink-3">
          {formatCount(leftOut, "more finding")}: the boxes of the kinds decide.
        </p>
      )}
      {notSearched.files > 0 && (
        <p className="mt-1 text-12 text-ink-3">
          Not searched: {formatCount(notSearched.files, "image or binary output", "images or binary outputs")},{" "}
          {formatBytes(notSearched.sizeBytes)}.
        </p>
      )}
    </>
  );
}

type FindingProps = { finding: PrivateFinding; masked: boolean; onDecide: (masked: boolean) => void };

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
            <Badge title={rule === null ? undefined : rule.replaceAll("_", " ")}>{KINDS[kind][0]}</Badge>
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
