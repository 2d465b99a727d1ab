"use client";
// Requests that are no call's: without an answer in the file, or a compaction's own. Each is a position of the context.
import { useQuery } from "@tanstack/react-query";
import type { RequestsAnswer } from "#lib/wire/sent-request-schema.ts";
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
  if (data === undefined || data.why !== null) return null;
  const own = data.compactions.find(({ seq }) => seq === at);
  return (
    <>
      {own !== undefined && <OwnRequest seq={own.requestSeq} />}
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

function Unanswered({ answer: { requests, unanswered } }: { answer: RequestsAnswer }) {
  const shown = requests.slice(0, MOST);
  return (
    <p className="mt-0.5 text-12 text-ink-3" data-testid="other-requests">
      {formatCount(unanswered, "request")} without an answer in the file: event{" "}
      {shown.map(({ seq }, index) => (
        <span key={seq}>
          {index > 0 && ", "}
          <RequestLink seq={seq} />
        </span>
      ))}
      {unanswered > shown.length && ` +${formatTokens(unanswered - shown.length)}`}
    </p>
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
