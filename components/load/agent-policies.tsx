"use client";
// What could be given to the session's agent: texts to copy, each with its measured effect. Nothing is written.
import { useQuery } from "@tanstack/react-query";
import type { AgentPolicyRow } from "#lib/wire/agent-policies-schema.ts";
import { effectText } from "#lib/wire/policy-effect-text.ts";
import { eventHref, onPlainClick, type LoadCursor } from "../shared/load-cursor.ts";
import { policiesQuery } from "../shared/session-queries.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";

export function AgentPolicies({ cursor }: { cursor: LoadCursor }) {
  const answer = useQuery(policiesQuery(cursor.session));
  if (answer.error) return <RequestFailure error={answer.error} title="The settings could not be replayed" />;
  if (!answer.data) return <Loading rows={6} height={48} label="Replaying settings" />;
  const { policies, agent } = answer.data;
  if (policies.length === 0)
    return <p className="mt-5 text-ink-2">No setting that is known for {agent} would have changed this session.</p>;
  return (
    <section className="mt-4" aria-label="Agent settings">
      <p className="text-12 text-ink-2">
        Each effect is of one setting alone. It is an upper bound: same turns assumed.
      </p>
      <ul className="mt-2">
        {policies.map((policy) => (
          <Policy key={policy.id} policy={policy} cursor={cursor} />
        ))}
      </ul>
    </section>
  );
}

/** Events that are linked; more are counted. */
const LINKED = 4;

function Policy({ policy: { title, where, text, reason, note, seqs, effect }, cursor }: PolicyProps) {
  return (
    <li className="border-t border-line py-3">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="text-13 font-semibold">{title}</h3>
        <span className="mono text-12 text-ink-3">{where}</span>
        <span className="ml-auto">
          <CopyButton text={() => text}>Copy</CopyButton>
        </span>
      </div>
      <p className={`mt-0.5 tabular-nums ${effect === null ? "text-ink-3" : ""}`}>{effectText(effect)}</p>
      <p className="mt-0.5 text-12 text-ink-2">
        <SafeText text={reason} /> {note}
        {seqs.length > 0 && <Events seqs={seqs} cursor={cursor} />}
      </p>
      <pre className="mono mt-1.5 rounded-4 bg-sunk px-3 py-2 text-12 wrap-anywhere whitespace-pre-wrap">
        <SafeText text={text} />
      </pre>
    </li>
  );
}

type PolicyProps = { policy: AgentPolicyRow; cursor: LoadCursor };

function Events({ seqs, cursor }: { seqs: readonly number[]; cursor: LoadCursor }) {
  return (
    <>
      {" Events: "}
      {seqs.slice(0, LINKED).map((seq, i) => (
        <span key={seq}>
          {i > 0 && ", "}
          <a
            className="link underline"
            href={eventHref(cursor.session, seq)}
            onClick={onPlainClick(() => cursor.openEvent(seq))}
          >
            {seq}
          </a>
        </span>
      ))}
      {seqs.length > LINKED && ` and ${seqs.length - LINKED} more`}.
    </>
  );
}
