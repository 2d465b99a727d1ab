"use client";
// Where the agent itself cleared old results the prompt fell, and the fall tries the ledger: nobody told it.
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { formatTokens } from "../ui/format.ts";
import { eventHref, onPlainClick, type LoadPlace } from "../shared/load-place.ts";

/** More are in `plimsoll load --json`. */
const SHOWN = 4;

export function Clearings({ ledger, place }: { ledger: LedgerAnswer; place: LoadPlace }) {
  if (ledger.clearings.length === 0) return null;
  return (
    <ul className="mt-1 text-12 text-ink-2">
      {ledger.clearings.slice(0, SHOWN).map(({ seq, call, predicted, replayed, reported, agentSaid }) => (
        <li key={seq}>
          The agent{" "}
          <a
            className="link underline"
            href={eventHref(place.session, seq)}
            onClick={onPlainClick(() => place.openEvent(seq))}
          >
            cleared results itself
          </a>
          {call !== null && ` before call ${formatTokens(call)}`}: ~{formatTokens(predicted)} tokens by this ledger
          {replayed !== null && `, ~${formatTokens(replayed)} by the what-if replay`}
          {reported !== null && `, ${formatTokens(reported)} by what the provider reported`}
          {agentSaid !== null && `, ${formatTokens(agentSaid)} by the agent's own word`}.
        </li>
      ))}
    </ul>
  );
}
