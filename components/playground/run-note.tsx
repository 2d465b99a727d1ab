"use client";
// What a run did not do: an error and its position, what stopped it, what was left out, each with what to do next.
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { JqRunEnd } from "#lib/wire/playground-schema.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { downloadAll } from "./download.ts";
import { DidYouMean } from "./did-you-mean.tsx";
import type { Known } from "./language/register.ts";
import { adviceOf, FAILURES, titleOf } from "./failure-words.ts";
import { LONGER_MS, type RunState } from "./runner.ts";
import type { Desk } from "./use-desk.ts";

/** A message of jq may quote the value that it failed on. */
const MESSAGE_CHARS = 600;

type RunNotesProps = { desk: Desk; run: RunState; shape: Known["shape"]; action?: ReactNode };

export function RunNotes({ desk, run, shape, action }: RunNotesProps) {
  const { end, refusal, phase, isOld, output } = run;
  if (refusal !== null)
    return (
      <Note code={refusal.code} title="The program was not run" action={action}>
        {refusal.message}
      </Note>
    );
  if (end === null) {
    if (phase !== "ended") return null;
    return (
      <Note code="stopped" title="You stopped it">
        {output.text === "" || isOld ? "No output." : "Output so far is below."}
      </Note>
    );
  }
  if (phase === "running") return null;
  const { failure } = end;
  const messages = besidesFailure(end);
  const canWait = (failure?.kind === "timeout" && end.deadlineMs < LONGER_MS) || failure?.kind === "busy";
  return (
    <>
      {failure !== null && (
        <Note
          code={FAILURES[failure.kind]}
          title={titleOf(end)}
          action={
            canWait ? (
              <Button small onClick={failure.kind === "busy" ? desk.runNow : desk.runLonger}>
                {failure.kind === "busy" ? "Run it again" : `Run longer: up to ${LONGER_MS / 1000} s`}
              </Button>
            ) : (
              action
            )
          }
        >
          {failure.kind === "compile" || failure.kind === "runtime" ? (
            <Said text={failure.message.slice(0, MESSAGE_CHARS)} />
          ) : (
            <SafeText text={adviceOf(failure).slice(0, MESSAGE_CHARS)} />
          )}
          {run.request !== null && (
            <DidYouMean request={run.request} failure={failure} shape={shape} store={desk.store} />
          )}
        </Note>
      )}
      {failure?.kind === "compile" && isOld && output.text !== "" && (
        <p className="border-t border-line px-5 py-1.5 text-12 text-ink-3 max-md:px-4">Showing previous result</p>
      )}
      {end.isCut && !isOld && <CutNote desk={desk} end={end} text={output.text} />}
      {messages !== "" && (
        <details className="border-t border-line px-5 py-1.5 text-12 text-ink-2 max-md:px-4">
          <summary>Messages from debug, stderr and errors</summary>
          <pre className="mono mt-1 max-h-32 overflow-auto whitespace-pre-wrap">
            <SafeText text={messages.slice(0, 10_000)} />
          </pre>
        </details>
      )}
    </>
  );
}

/** jq says a failure among its messages too. */
function besidesFailure({ messages, failure }: JqRunEnd): string {
  if (failure?.kind === "compile") return "";
  const said = failure?.message ?? "";
  return messages
    .split("\n")
    .filter((line) => said === "" || !said.includes(line.replace(/^jq: /, "")))
    .join("\n")
    .trim();
}

/** Message from jq, as it says it: its caret points at a column of the line above, so neither is wrapped. */
function Said({ text }: { text: string }) {
  return (
    <pre
      className="mono max-h-32 overflow-auto whitespace-pre"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <pre> has no role that may have a name
      role="group"
      aria-label="Message from jq"
    >
      <SafeText text={text} />
    </pre>
  );
}

type NoteProps = { code: string; title: string; children: ReactNode; action?: ReactNode };

function Note({ code, title, children, action }: NoteProps) {
  return (
    <div role="alert" className="flex items-start gap-2 border-t border-line px-5 py-2 max-md:px-4">
      <Badge tone="error">{code}</Badge>
      <div className="min-w-0 flex-1">
        <div className="font-medium">{title}</div>
        <div className="text-12 break-words whitespace-pre-wrap text-ink-2">
          {typeof children === "string" ? <SafeText text={children} /> : children}
        </div>
      </div>
      {action}
    </div>
  );
}

/** The cap, and the way round it. */
function CutNote({ desk, end, text }: { desk: Desk; end: JqRunEnd; text: string }) {
  const shown = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const [state, setState] = useState<{ bytes: number } | string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    const control = new AbortController();
    stop.current = control;
    setState({ bytes: 0 });
    try {
      const ended = await downloadAll(desk.request(), control.signal, (bytes) => setState({ bytes }));
      if (ended === null) setState("The answer was interrupted; nothing was saved.");
      else if (ended.failure !== null)
        setState(
          `The file ends after ${formatBytes(ended.outputBytes)}: ${ended.failure.message.slice(0, MESSAGE_CHARS)}`,
        );
      else setState(ended.isCut ? "Download limit of 256 MB reached." : null);
    } catch (error) {
      setState(control.signal.aborted ? null : failureOf(error).message);
    }
  };
  const isRunning = typeof state === "object" && state !== null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-5 py-1.5 text-12 text-ink-2 max-md:px-4">
      <span>
        The first {formatBytes(shown)} of {formatBytes(end.outputBytes)} are shown.
      </span>
      {isRunning ? (
        <>
          <span>{formatBytes(state.bytes)} came</span>
          <button type="button" className="link" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        </>
      ) : (
        <button type="button" className="link" onClick={() => void start()}>
          Download all
        </button>
      )}
      {typeof state === "string" && <span role="alert">{state}</span>}
    </div>
  );
}
