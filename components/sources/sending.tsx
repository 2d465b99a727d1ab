"use client";
// Whether sessions are sent to a fleet as they come, and how it goes. Nothing is shown where it was never set up.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { sendingAnswer, type SendingAnswer } from "#lib/wire/sending-schema.ts";
import { send } from "../ui/api.ts";
import { Badge, LiveDot } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { fetched } from "../ui/fetched.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { When } from "../ui/when.tsx";
import { sendingQuery } from "./sending-query.ts";

export const SendingDialog = fetched(() => import("./sending-layer.tsx").then((module) => module.SendingLayer));

/** While it is on, it changes without a word of the page. */
const EVERY_MS = 3000;

export function Sending({ onChange }: { onChange: () => void }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    ...sendingQuery,
    refetchInterval: ({ state }) => (state.data?.on === true ? EVERY_MS : false),
  });
  const sending = useMutation({
    mutationFn: () => send("POST", "/api/sending/now", sendingAnswer, {}),
    onSuccess: (answer) => showAnswer(queries, sendingQuery.queryKey, answer),
  });
  if (error !== null) return <RequestFailure error={error} title="Whether sessions are sent could not be read" />;
  if (data === undefined || data.to === "") return null;
  const { phase, reason } = data.state;
  return (
    <section aria-label="Sending" className="flex-none px-6 pt-3 text-13 max-md:px-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {phase === "sending" && <LiveDot />}
        {phase === "stopped" && <Badge tone="error">stopped</Badge>}
        {phase === "away" && <Badge>away</Badge>}
        {phase === "off" && <Badge>off</Badge>}
        <span>
          Sessions {data.on ? "go" : "would go"} to <span className="mono">{new URL(data.to).host}</span>, project{" "}
          <SafeText text={data.project ?? data.state.project ?? "of the token"} />
        </span>
        <Progress answer={data} />
        <span className="flex gap-1">
          {data.on && (
            <Button small disabled={phase === "sending" || sending.isPending} onClick={() => sending.mutate()}>
              Send now
            </Button>
          )}
          <Button small onClick={onChange}>
            Change…
          </Button>
        </span>
      </div>
      {reason !== null && (
        <p className="pt-1 text-12 text-ink-2">
          <SafeText text={reason} />
        </p>
      )}
      {sending.error !== null && <RequestFailure error={sending.error} title="Nothing was sent" />}
    </section>
  );
}

function Progress({ answer: { on, state } }: { answer: SendingAnswer }) {
  const { phase, last, nextAt } = state;
  if (!on) return null;
  return (
    <span className="flex flex-wrap gap-x-3 text-ink-2">
      {phase === "sending" && <span>sending now</span>}
      {phase === "away" && nextAt !== null && (
        <span>
          asked again <When ts={nextAt} />
        </span>
      )}
      {last !== null && (
        <span>
          last <When ts={last.at} />: {formatCount(last.sent, "session")} sent
          {last.bytes > 0 && `, ${formatBytes(last.bytes)}`}
          {last.failed > 0 && `, ${last.failed.toLocaleString("en-US")} failed`}
        </span>
      )}
    </span>
  );
}
