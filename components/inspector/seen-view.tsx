"use client";
// The messages of a call's context that hold the row: what the model had of it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SeenMessage } from "#lib/wire/event-lifetime-schema.ts";
import { lifetimeQuery, seenQueryOf } from "../shared/event-queries.ts";
import { useLeaveTo } from "../shared/inspector-state.ts";
import { contextHref, onPlainClick } from "../shared/load-cursor.ts";
import { useSession } from "../shared/session-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import type { InspectedRow } from "./inspected-row.ts";
import { Scroller } from "./scroller.tsx";

export function SeenView({ row }: { row: InspectedRow }) {
  const { id } = useSession();
  const leaveTo = useLeaveTo();
  const [which, setWhich] = useState<"first" | "last">("first");
  const lifetime = useQuery(lifetimeQuery(id, row.seq));
  const last = lifetime.data?.calls.at(-1)?.call ?? null;
  const seen = useQuery(seenQueryOf(id, row.seq, which === "last" ? last : null));
  if (seen.error)
    return (
      <div className="p-4">
        <RequestFailure error={seen.error} title="The context could not be loaded" />
      </div>
    );
  if (!seen.data)
    return (
      <div className="p-4">
        <Loading rows={6} label="Loading the context" />
      </div>
    );
  const { call, messages } = seen.data;
  if (call === null)
    return (
      <p className="px-4 py-3 text-ink-2" data-testid="seen">
        No model call was sent this event.
      </p>
    );
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-12">
        <span className="min-w-0 flex-1 text-ink-2" data-testid="seen">
          Sent with call {formatTokens(call.call)}, {call.isSentKnown ? "as sent" : "as reconstructed"}.{" "}
          <a
            className="link underline"
            href={contextHref(id, call.seq)}
            onClick={onPlainClick(() => leaveTo("context", { seq: call.seq, from: row.seq }))}
          >
            Context at call {formatTokens(call.call)}
          </a>
        </span>
        {(lifetime.data?.calls.length ?? 0) > 1 && (
          <Segmented
            label="Call"
            value={which}
            options={[
              { value: "first", label: "First call" },
              { value: "last", label: "Last call" },
            ]}
            onPick={setWhich}
          />
        )}
      </div>
      <Scroller label="What the model saw">
        {messages.length === 0 ? (
          <p className="text-ink-3">No message of that call holds it: its weight is part of the prefix.</p>
        ) : (
          messages.map((message) => <Message key={message.index} message={message} of={call.messages} row={row} />)
        )}
      </Scroller>
    </>
  );
}

type MessageProps = { message: SeenMessage; of: number; row: InspectedRow };

function Message({ message, of, row }: MessageProps) {
  const { role, text, chars, index, tokens, origin, textTokens, seqs, hasLeft } = message;
  const others = seqs.filter((seq) => seq !== row.seq && seq !== row.pair);
  return (
    <section className="mb-4 last:mb-0" aria-label={`Message ${index + 1}`}>
      <h3 className="flex flex-wrap items-baseline gap-x-2 border-b border-line pb-1 text-12 text-ink-3">
        <b className="font-semibold text-ink">{role}</b>
        <span>
          message {index + 1} of {formatTokens(of)}
        </span>
        {hasLeft && <Badge title="The reported prompt is too small for it">cleared</Badge>}
        {others.length > 0 && <span>with events {others.slice(0, 6).join(", ")}</span>}
        <span className="ml-auto">
          <Num value={tokens} origin={origin} textTokens={textTokens} /> tokens
        </span>
      </h3>
      <pre className="output mt-1.5 break-words whitespace-pre-wrap">
        <SafeText text={text} badge />
      </pre>
      {text.length < chars && (
        <p className="mt-1 text-12 text-ink-3">
          First {formatTokens(text.length)} of {formatTokens(chars)} characters shown. Context has the payload.
        </p>
      )}
    </section>
  );
}
