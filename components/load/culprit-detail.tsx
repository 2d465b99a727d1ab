"use client";
// Below the chosen culprit: who says so and how surely, what would be without it, and its bytes.
import { useQuery } from "@tanstack/react-query";
import { alsoWords } from "#lib/kernel/load/load-labels.ts";
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { rawArtifactPath, rawEventPath, wholeEventQuery } from "../shared/session-queries.ts";
import { formatCount, formatTokens, formatUsd } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { useInspector } from "../shared/inspector-state.ts";
import { callHref, eventHref, lifetimeHref, onPlainClick, type LoadCursor } from "../shared/load-cursor.ts";

type CulpritDetailProps = { culprit: CulpritRow; columns: number; cursor: LoadCursor };

/** Events that are linked one by one; more are counted. */
const LINKED = 8;

export function CulpritDetail({ culprit, columns, cursor }: CulpritDetailProps) {
  const { detector, confidence, fromCall, toCall, seq, seqs, fix } = culprit;
  return (
    <tr className="border-b border-line bg-select">
      <td colSpan={columns} className="pr-2 pb-1.5 pl-10 text-12 text-ink-2">
        <b className="font-medium text-ink">{DETECTOR_WORDS[detector]}</b>,{" "}
        <span title={`Confidence ${confidence.toFixed(2)}`}>{confidenceWords(confidence)}</span>, in the prompts of
        calls <CallLink call={fromCall} cursor={cursor} />–<CallLink call={toCall} cursor={cursor} />.{" "}
        <b className="font-medium text-ink">
          <SafeText text={fix} />.
        </b>{" "}
        {withoutWords(culprit)}
        {culprit.also.length > 0 && <> Also avoids: {alsoWords(culprit.also)}.</>}
        {seqs.length > 1 && (
          <>
            {" "}
            Made of{" "}
            {seqs.slice(0, LINKED).map((one, i) => (
              <span key={one}>
                {i > 0 && ", "}
                <EventLink seq={one} cursor={cursor} />
              </span>
            ))}
            {seqs.length > LINKED && ` and ${formatCount(seqs.length - LINKED, "more event", "more events")}`}.
          </>
        )}{" "}
        {seq !== null && <CarriedLink seq={seq} cursor={cursor} />}{" "}
        {seq !== null && culprit.kind === "result" && <Download seq={seq} cursor={cursor} />}
      </td>
    </tr>
  );
}

/** What would be other without it: only what changes. */
function withoutWords({ whatIf, avoidableTokens, offPeak }: CulpritRow): string {
  const said = [
    offPeak > 0 ? `peak ~${formatTokens(whatIf.peak, true)}` : "",
    avoidableTokens > 0 ? `~${formatTokens(avoidableTokens, true)} fewer tokens` : "",
    whatIf.usd === null ? "" : `input cost ~${formatUsd(whatIf.usd)}`,
  ].filter((words) => words !== "");
  return said.length === 0 ? "" : `Without it: ${said.join(", ")}.`;
}

function CallLink({ call, cursor }: { call: number; cursor: LoadCursor }) {
  return (
    <a
      className="link underline"
      href={callHref(cursor.session, call)}
      onClick={onPlainClick(() => cursor.goToCall(call))}
    >
      {call}
    </a>
  );
}

/** To the inspector: each call with its tokens and cost. */
function CarriedLink({ seq, cursor }: { seq: number; cursor: LoadCursor }) {
  const { show } = useInspector();
  return (
    <a
      className="link underline"
      href={lifetimeHref(cursor.session, seq)}
      onClick={onPlainClick(() => {
        cursor.openEvent(seq);
        show("lifetime");
      })}
    >
      List its calls
    </a>
  );
}

function EventLink({ seq, cursor }: { seq: number; cursor: LoadCursor }) {
  return (
    <a
      className="link underline"
      href={eventHref(cursor.session, seq)}
      onClick={onPlainClick(() => cursor.openEvent(seq))}
    >
      event {seq}
    </a>
  );
}

/** The output byte for byte where it is kept as one, else the record that holds it. Not before that is known. */
function Download({ seq, cursor }: { seq: number; cursor: LoadCursor }) {
  const { data: event } = useQuery(wholeEventQuery(cursor.session, seq));
  if (event === undefined) return null;
  const { artifact } = event;
  return (
    <a
      className="link underline"
      href={artifact === null ? rawEventPath(cursor.session, seq) : rawArtifactPath(artifact)}
      download
      title={artifact === null ? "Its record" : "The output, byte for byte"}
    >
      Download
    </a>
  );
}

// Detectors in a reader's words.
const DETECTOR_WORDS: Record<CulpritRow["detector"], string> = {
  "oversized-output": "Oversized output",
  "stale-result": "Stale result",
  "re-read": "Read again",
  "fan-out": "Many of one tool",
  "unused-schemas": "Unused tool schemas",
  "memory-file": "Memory file",
  reasoning: "Reasoning kept",
  "cache-break": "Cache lost",
  "compaction-thrash": "Compacted over and over",
  "retry-loop": "Same failure again",
};

/** How sure it is that this was waste. */
function confidenceWords(confidence: number): string {
  if (confidence >= 0.95) return "certain";
  if (confidence >= 0.75) return "likely";
  return confidence >= 0.5 ? "probable" : "possible";
}
