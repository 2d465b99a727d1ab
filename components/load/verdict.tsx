"use client";
// The lines that say why the context filled up. Their parts are links: to the event, or to the call on the chart.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import type { LedgerAnswer, VerdictClause } from "#lib/wire/ledger-schema.ts";
import { logSurplus } from "#lib/kernel/load/log-surplus.ts";
import { verdictMarkdown } from "#lib/wire/verdict-markdown.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { sessionQuery } from "../shared/session-queries.ts";
import { fetched } from "../ui/fetched.tsx";
import { formatCount, formatPercent } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { callHref, eventHref, onPlainClick, type LoadCursor } from "../shared/load-cursor.ts";
import { keyOf } from "../shared/ledger-view.ts";
import "./verdict.css";

// Fetched when somebody shares: most readers do not.
const ExportLayer = fetched(() => import("../export/export-layer.tsx").then((layer) => layer.ExportLayer), null);

type VerdictProps = { ledger: LedgerAnswer; cursor: LoadCursor };

export function Verdict({ ledger, cursor }: VerdictProps) {
  return (
    <div className="verdict" data-testid="verdict">
      {[...Map.groupBy(ledger.verdictClauses, ({ line }) => line)].map(([line, clauses]) => (
        <p key={line}>
          {clauses.map((clause, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- the parts of one line never move
            <Clause key={i} clause={clause} isHead={line === 0} cursor={cursor} />
          ))}
        </p>
      ))}
    </div>
  );
}

type ClauseProps = { clause: VerdictClause; isHead: boolean; cursor: LoadCursor };

/** The first line is about calls on the chart; what is named after it is an event. */
function Clause({ clause, isHead, cursor }: ClauseProps) {
  const { text, strong, seq, call } = clause;
  if (seq !== null && !(isHead && call !== null))
    return (
      <a href={eventHref(cursor.session, seq)} onClick={onPlainClick(() => cursor.openEvent(seq))}>
        <SafeText text={text} />
      </a>
    );
  if (call !== null)
    return (
      <a
        href={callHref(cursor.session, call)}
        className={strong ? "quiet strong" : "quiet"}
        onClick={onPlainClick(() => cursor.goToCall(call))}
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

/** Parts of the base that are told; the rest of it is small. */
const PARTS = 5;

/** What stands before the conversation in every prompt, as far as the session's file says what it is. */
export function BaseNote({ ledger, cursor }: VerdictProps) {
  const { base, calls } = ledger;
  const all = calls.reduce((sum, { sum: prompt }) => sum + prompt, 0);
  // Over 1 where the log holds more than the reported prompts: the verdict says that.
  if (all === 0 || base.parts.length === 0 || base.share > 1) return null;
  return (
    <p className="mt-1 text-12 text-ink-2" data-testid="base">
      Before the conversation: <b className="font-medium text-ink">{formatPercent(base.share)}</b> of everything sent.{" "}
      {base.parts.slice(0, PARTS).map(({ label, seq, sent }, i) => (
        <span key={label}>
          {i > 0 && " · "}
          {seq === null ? (
            <SafeText text={label} />
          ) : (
            <a
              className="link underline"
              href={eventHref(cursor.session, seq)}
              onClick={onPlainClick(() => cursor.openEvent(seq))}
            >
              <SafeText text={label} />
            </a>
          )}{" "}
          {formatPercent(sent / all)}
        </span>
      ))}
      {base.parts.length > PARTS && ` · ${formatCount(base.parts.length - PARTS, "more part")}`}
    </p>
  );
}

/** How far the numbers can be believed, and the verdict for elsewhere. */
export function LedgerNote({ ledger, cursor }: VerdictProps) {
  const session = useQuery(sessionQuery(ledger.sessionId));
  const seesAll = useSeesAll();
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-12 text-ink-3">
      <span className="min-w-60 flex-1">
        {restWords(ledger)}
        {ledger.growthError !== null && (
          <>
            {" "}
            Estimate error before reconciliation:{" "}
            {seesAll ? (
              <Link prefetch={false} href="/settings?tab=calibration" className="link underline">
                {tenths(ledger.growthError)}
              </Link>
            ) : (
              tenths(ledger.growthError)
            )}
            , over {formatCount(ledger.transitions, "call")}.
          </>
        )}
        {ledger.counting && " Counting still runs; the figures become better."}
      </span>
      <span className="flex flex-wrap items-center">
        <CopyButton text={() => verdictMarkdown(ledger, session.data)}>Copy Markdown</CopyButton>
        <CopyButton text={() => verdictJson(ledger)}>Copy JSON</CopyButton>
        <Share ledger={ledger} />
        <Link
          prefetch={false}
          href={`/sessions/compare?a=${cursor.session}`}
          className="inline-flex h-6 items-center rounded-1 px-2 font-medium text-ink-2 hover:bg-sunk"
        >
          Compare…
        </Link>
      </span>
    </div>
  );
}

function Share({ ledger }: { ledger: LedgerAnswer }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small kind="quiet" onClick={() => setOpen(true)}>
        Share…
      </Button>
      {isOpen && <ExportLayer id={ledger.sessionId} format="html" onClose={() => setOpen(false)} />}
    </>
  );
}

function restWords({ unattributedShare, calls }: LedgerAnswer): string {
  if (unattributedShare === null) return "No prompt tokens were reported: every weight here is estimated.";
  const surplus = logSurplus(calls);
  return surplus === null
    ? `${tenths(unattributedShare)} of all prompt tokens are unattributed.`
    : `The log holds ${tenths(surplus)} more than the reported prompts.`;
}

const tenths = (share: number): string => `${(share * 100).toFixed(1)}\u2009%`;

/** The verdict with its figures; the ledger itself, call by call, is `plimsoll load --json`. */
function verdictJson(ledger: LedgerAnswer): string {
  const {
    sessionId,
    title,
    state,
    stateText,
    verdict,
    verdictClauses,
    base,
    loadLine,
    blowUps,
    culprits,
    unattributedShare,
  } = ledger;
  return JSON.stringify(
    {
      sessionId,
      title,
      verdict,
      state,
      stateText,
      verdictClauses,
      base,
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
