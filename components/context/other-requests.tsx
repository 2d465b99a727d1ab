"use client";
// Requests that are no call's: without an answer in the file, or a compaction's own. Each is a position of the context. One
// that no file holds is named all the same.
import { useQuery } from "@tanstack/react-query";
import type { RequestsAnswer } from "#lib/wire/sent-request-schema.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import { contextHref, onPlainClick } from "../shared/load-cursor.ts";
import { otherRequestsQuery } from "../shared/memory-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam } from "../shared/url-state.ts";
import { formatCount, formatTokens } from "../ui/format.ts";

/** Links before the rest is a count. */
const MOST = 5;

/** `at`: the event that the context stands at. */
export function OtherRequests({ at }: { at: number }) {
  const { id } = useSession();
  const { data } = useQuery(otherRequestsQuery(id));
  if (data === undefined) return null;
  const own = data.compactions.find(({ seq }) => seq === at);
  return (
    <>
      {own !== undefined && <OwnRequest seq={own.requestSeq} />}
      <Hidden answer={data} at={at} />
      {data.requests.some(({ seq }) => seq !== at) && <Unanswered answer={data} />}
    </>
  );
}

function OwnRequest({ seq }: { seq: number | null }) {
  return (
    <p className="mt-0.5 text-12 text-ink-3" data-testid="own-request">
      {seq === null ? (
        "The file does not hold this compaction's own request."
      ) : (
        <>
          This compaction&apos;s own request: event <RequestLink seq={seq} />
        </>
      )}
    </p>
  );
}

/** Compactions elsewhere in the session whose own request is in no record, and what the agent's totals know of them. */
function Hidden({ answer: { compactions, beyond }, at }: { answer: RequestsAnswer; at: number }) {
  const hidden = compactions.filter(({ requestSeq }) => requestSeq === null);
  if (hidden.length === 0) return null;
  const others = hidden.filter(({ seq }) => seq !== at);
  return (
    <p className="mt-0.5 text-12 text-ink-3" data-testid="hidden-requests">
      {others.length > 0 && (
        <>
          Not in the file: the summary {others.length === 1 ? "request" : "requests"} of{" "}
          {formatCount(others.length, "compaction")}, event <Links seqs={others.map(({ seq }) => seq)} />.{" "}
        </>
      )}
      {beyond !== null && (
        <>
          The agent&apos;s totals have {formatTokens(beyond.tokens)} tokens
          {beyond.usd !== null && `, ${dollars(beyond.usd)}`} beyond its calls.
        </>
      )}
    </p>
  );
}

function Unanswered({ answer: { requests, unanswered } }: { answer: RequestsAnswer }) {
  return (
    <p className="mt-0.5 text-12 text-ink-3" data-testid="other-requests">
      {formatCount(unanswered, "request")} without an answer in the file: event{" "}
      <Links seqs={requests.map(({ seq }) => seq)} of={unanswered} />
    </p>
  );
}

/** `of`: how many there are in all. */
function Links({ seqs, of = seqs.length }: { seqs: readonly number[]; of?: number }) {
  const shown = seqs.slice(0, MOST);
  return (
    <>
      {shown.map((seq, index) => (
        <span key={seq}>
          {index > 0 && ", "}
          <RequestLink seq={seq} />
        </span>
      ))}
      {of > shown.length && ` +${formatTokens(of - shown.length)}`}
    </>
  );
}

function RequestLink({ seq }: { seq: number }) {
  const { id } = useSession();
  const [, choose] = useEventParam();
  return (
    <a
      className="link tabular-nums underline decoration-line-strong underline-offset-2"
      href={contextHref(id, seq)}
      title="Show this request"
      onClick={onPlainClick(() => void choose(seq))}
    >
      {seq}
    </a>
  );
}
