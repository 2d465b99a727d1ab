"use client";
// One row, two truths: left what the model saw, right what is stored. Narrower than 900 px the halves stack, model first.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { headLinesQuery } from "../artifact/artifact-queries.ts";
import { artifactPath, rawArtifactPath } from "../session/queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AnsiText } from "./ansi-text.tsx";
import { holdsMore, type EventOf } from "./view.ts";

type TwoTruthsProps = { event: EventOf<"tool_result">; open: boolean; toggle: () => void };

const LINES = 7;

export function TwoTruths({ event, open, toggle }: TwoTruthsProps) {
  const seen = event.body.text;
  const lines = seen.split("\n");
  const shown = open
    ? seen
    : lines
        .slice(0, LINES)
        .map((line) => line.slice(0, 300))
        .join("\n");
  const ratio = event.stored && holdsMore(event) && event.bytes > 0 ? event.stored.sizeBytes / event.bytes : null;
  return (
    <div className="two-truths">
      <section className="min-w-0" aria-label="What the model saw">
        <h4>
          <b>The model saw</b>
          <span className="text-ink-3">{event.body.offloadedBy === "plimsoll" ? "the envelope" : "a preview"}</span>
          <em>
            <Num value={event.tokens} origin={event.origin ?? "estimated"} /> tokens, {formatBytes(event.bytes)}
          </em>
        </h4>
        <pre className="output mt-1.5 overflow-x-auto">
          <AnsiText text={shown} />
        </pre>
        {lines.length > LINES && (
          <p className="cap-line">
            <span>{open ? `All ${lines.length} lines shown.` : `First ${LINES} of ${lines.length} lines shown.`}</span>
            <button type="button" className="link" aria-expanded={open} onClick={toggle}>
              {open ? "Show less" : "Show all"}
            </button>
          </p>
        )}
      </section>
      <div className="between" aria-hidden={ratio === null}>
        {ratio !== null && (
          <b title="Stored bytes to seen bytes">{ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)}×</b>
        )}
      </div>
      <section className="min-w-0" aria-label="What is stored">
        {event.stored && holdsMore(event) ? <Stored stored={event.stored} /> : <NotFound event={event} />}
      </section>
    </div>
  );
}

function Stored({ stored }: { stored: NonNullable<EventOf<"tool_result">["stored"]> }) {
  const lines = useQuery({
    ...headLinesQuery(stored.pointer, stored.digest, LINES - 1),
    enabled: stored.head === null && stored.lineCount !== null,
  });
  const head =
    stored.head === null
      ? (lines.data?.lines.map((line) => line.text) ?? [])
      : stored.head.split("\n").slice(0, LINES - 1);
  return (
    <>
      <h4>
        <b>Stored</b>
        <Link className="link mono text-11" href={artifactPath(stored.pointer)}>
          art_{stored.digest.slice(0, 16)}
        </Link>
        <em>
          {formatBytes(stored.sizeBytes)}
          {stored.lineCount !== null && `, ${formatCount(stored.lineCount, "line")}`}
          {stored.tokens !== null && (
            <>
              , <Num value={stored.tokens} origin={stored.origin ?? "estimated"} /> tokens
            </>
          )}
        </em>
      </h4>
      <pre className="output mt-1.5 overflow-hidden">
        <AnsiText text={head.map((line) => line.slice(0, 300)).join("\n")} />
      </pre>
      <div className="mt-2 flex items-center gap-1">
        <a className={buttonClass("plain", true)} href={rawArtifactPath(stored.pointer)} download>
          Download
        </a>
        <Link className={buttonClass("quiet", true)} href={artifactPath(stored.pointer)}>
          {stored.lineCount === null ? "Show all" : `Show all ${formatCount(stored.lineCount, "line")}`}
        </Link>
      </div>
    </>
  );
}

function NotFound({ event }: { event: EventOf<"tool_result"> }) {
  const { storedPath, storedBytes, detail } = event.body;
  return (
    <>
      <h4>
        <b>Stored</b>
        <em>
          {storedBytes !== undefined
            ? `the agent said ${formatBytes(storedBytes)}`
            : detail?.originalTokens !== undefined
              ? `the agent said ~${formatCount(detail.originalTokens, "token")}`
              : ""}
        </em>
      </h4>
      <p className="mt-1.5 text-12 text-ink-2">
        {storedPath === undefined ? (
          "The agent cut this output and kept the rest nowhere. What the model saw is all there is."
        ) : (
          <>
            The whole output could not be found. The agent kept it at{" "}
            <span className="mono break-all">
              <SafeText text={storedPath} />
            </span>
            ; import it from there while it exists, and it will stand here.
          </>
        )}
      </p>
      {event.stored !== null && (
        <div className="mt-2 flex items-center gap-1">
          <a className={buttonClass("plain", true)} href={rawArtifactPath(event.stored.pointer)} download>
            Download what the model saw
          </a>
          <Link className={buttonClass("quiet", true)} href={artifactPath(event.stored.pointer)}>
            Open it
          </Link>
        </div>
      )}
    </>
  );
}
