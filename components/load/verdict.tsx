"use client";
// The sentence that says why the context blew up. Its parts are links: to the event, or to the call on the chart.
import Link from "next/link";
import type { LedgerAnswer, VerdictClause } from "#lib/wire/ledger.ts";
import { CopyButton } from "../artifact/copy-button.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { callHref, eventHref, onPlainClick, type LoadPlace } from "./load-place.ts";
import { keyOf } from "./ledger-view.ts";

type VerdictProps = { ledger: LedgerAnswer; place: LoadPlace };

export function Verdict({ ledger, place }: VerdictProps) {
  return (
    <p className="verdict" data-testid="verdict">
      {ledger.verdictClauses.map((clause, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the parts of one sentence never move
        <Clause key={i} clause={clause} isHead={i === 0} place={place} />
      ))}
    </p>
  );
}

type ClauseProps = { clause: VerdictClause; isHead: boolean; place: LoadPlace };

/** The head of the sentence is a place on the chart; what is named after it is an event. */
function Clause({ clause, isHead, place }: ClauseProps) {
  const { text, strong, seq, call } = clause;
  if (seq !== null && !(isHead && call !== null))
    return (
      <a href={eventHref(place.session, seq)} onClick={onPlainClick(() => place.openEvent(seq))}>
        <SafeText text={text} />
      </a>
    );
  if (call !== null)
    return (
      <a
        href={callHref(place.session, call)}
        className={strong ? "quiet strong" : "quiet"}
        onClick={onPlainClick(() => place.goToCall(call))}
      >
        <SafeText text={text} />
      </a>
    );
  return strong ? (
    <b>
      <SafeText text={text} />
    </b>
  ) : (
    <SafeText text={text} />
  );
}

/** How far the numbers can be believed, and the verdict for elsewhere. */
export function LedgerNote({ ledger, place }: VerdictProps) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-12 text-ink-3">
      <span className="min-w-60 flex-1">
        {ledger.unattributedShare === null
          ? "The provider reported no usage: every weight here is estimated."
          : `${tenths(ledger.unattributedShare)} of all prompt tokens are unattributed.`}
        {ledger.growthError !== null && (
          <>
            {" "}
            Before it was reconciled the estimate missed growth by{" "}
            <Link prefetch={false} href="/settings?tab=calibration" className="link underline">
              {tenths(ledger.growthError)}
            </Link>
            , over {formatCount(ledger.transitions, "call")}.
          </>
        )}
        {ledger.counting && " Counting still runs; the figures become better."}
      </span>
      <span className="flex flex-none items-center">
        <CopyButton text={() => ledger.verdictMarkdown}>Markdown</CopyButton>
        <CopyButton text={() => verdictJson(ledger)}>JSON</CopyButton>
        <Link
          prefetch={false}
          href={`/sessions/compare?a=${place.session}`}
          className="inline-flex h-6 items-center rounded-1 px-2 font-medium text-ink-2 hover:bg-sunk"
        >
          Compare…
        </Link>
      </span>
    </div>
  );
}

const tenths = (share: number): string => `${(share * 100).toFixed(1)}\u2009%`;

/** The verdict with its figures; the ledger itself, call by call, is `plimsoll load --json`. */
function verdictJson(ledger: LedgerAnswer): string {
  const { sessionId, title, verdict, verdictClauses, loadLine, blowUps, culprits, unattributedShare } = ledger;
  return JSON.stringify(
    {
      sessionId,
      title,
      verdict,
      verdictClauses,
      loadLine,
      unattributedShare,
      growthError: ledger.growthError,
      blowUps: blowUps.map(({ call, seq, kind, tokens, trigger }) => ({ call, seq, kind, tokens, trigger })),
      culprits: culprits.map((culprit) => ({ key: keyOf(culprit), ...culprit })),
    },
    null,
    2,
  );
}
