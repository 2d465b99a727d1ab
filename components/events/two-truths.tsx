"use client";
// One row, two truths: left what the model saw, right what is stored. Narrower than 900 px the halves stack, model first.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { headLinesQuery, lastLinesQuery } from "../shared/artifact-queries.ts";
import { artifactPath, rawArtifactPath } from "../shared/session-queries.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AnsiText } from "./ansi-text.tsx";
import { envelopeLines, shapeIn, type EnvelopeLine } from "./envelope-parts.ts";
import { ReadBacks, Saved } from "./read-backs.tsx";
import { hasMoreStored, type EventOf } from "./view.ts";
import { CapLine } from "./event-parts.tsx";

type TwoTruthsProps = { event: EventOf<"tool_result">; open: boolean; toggle: () => void };

const HEAD =
  "flex h-6 items-center gap-2 overflow-hidden border-b-2 border-ink-2 text-12 whitespace-nowrap max-[900px]:h-auto max-[900px]:min-h-6 max-[900px]:flex-wrap max-[900px]:whitespace-normal";

const LINES = 7;
/** Characters of one value of an envelope while it is folded. */
const VALUE_CHARS = 100;
/** Lines longer than this are no lines to read: their shape says more. */
const LONG_LINE = 400;

export function TwoTruths({ event, open, toggle }: TwoTruthsProps) {
  const isStored = event.stored !== null && hasMoreStored(event);
  const ratio = event.stored && isStored && event.bytes > 0 ? event.stored.sizeBytes / event.bytes : null;
  return (
    <div className="mt-2 grid grid-cols-[minmax(0,5fr)_44px_minmax(0,6fr)] max-[900px]:grid-cols-[minmax(0,1fr)] max-[900px]:gap-y-3">
      <section className="min-w-0" aria-label="What the model saw">
        <Seen event={event} open={open} toggle={toggle} />
        {event.stored && isStored && (
          <div className="mt-2 text-12 text-ink-2">
            <Saved event={event} />
            <ReadBacks pointer={event.stored.pointer} />
          </div>
        )}
      </section>
      <div
        className="grid place-items-center bg-[linear-gradient(var(--line),var(--line))] bg-[length:1px_calc(100%-24px)] bg-center bg-no-repeat max-[900px]:hidden"
        aria-hidden={ratio === null}
      >
        {ratio !== null && (
          <b
            className="bg-bg py-1 text-12 font-semibold text-ink-2 group-data-selected/row:bg-select"
            title="Stored bytes to seen bytes"
          >
            {ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)}×
          </b>
        )}
      </div>
      <section className="min-w-0" aria-label="What is stored">
        {event.stored && isStored ? <Stored event={event} stored={event.stored} /> : <NotFound event={event} />}
      </section>
    </div>
  );
}

function Seen({ event, open, toggle }: TwoTruthsProps) {
  const seen = event.body.text;
  const envelope = envelopeLines(seen, open);
  const lines = seen.split("\n");
  const isLong =
    envelope === null ? lines.length > LINES : open || envelope.some(({ value }) => value.length > VALUE_CHARS);
  return (
    <>
      <h4 className={HEAD}>
        <b className="font-semibold">The model saw</b>
        <span className="text-ink-3">{event.body.offloadedBy === "plimsoll" ? "the envelope" : "a preview"}</span>
        <em className="ml-auto text-ink-2 not-italic">
          <Num value={event.tokens} origin={event.origin ?? "estimated"} textTokens={event.textTokens} /> tokens,{" "}
          {formatBytes(event.bytes)}
        </em>
      </h4>
      {envelope === null ? (
        <pre className="output mt-1.5 overflow-x-auto">
          <AnsiText
            text={
              open
                ? seen
                : lines
                    .slice(0, LINES)
                    .map((line) => line.slice(0, 300))
                    .join("\n")
            }
          />
        </pre>
      ) : (
        <Envelope lines={envelope} open={open} />
      )}
      {isLong && <CapLine says={capWords(envelope !== null, lines.length, open)} open={open} toggle={toggle} />}
    </>
  );
}

function capWords(isEnvelope: boolean, lines: number, open: boolean): string {
  if (isEnvelope) return open ? "All of it shown." : "Long values cut.";
  return open ? `All ${lines} lines shown.` : `First ${LINES} of ${lines} lines shown.`;
}

/** A key a line; spaces are ours, values are as they stand. */
function Envelope({ lines, open }: { lines: readonly EnvelopeLine[]; open: boolean }) {
  return (
    <pre className="output mt-1.5 break-words whitespace-pre-wrap">
      {lines.map(({ indent, key, value }, at) => {
        const isCut = !open && value.length > VALUE_CHARS;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the lines of one envelope never move
          <span key={at} className="block pl-4 -indent-4" style={{ marginLeft: indent * 16 }}>
            <span className="text-syn-key">
              <SafeText text={key} />
            </span>
            {": "}
            <span className={classOfValue(value)}>
              <SafeText text={isCut ? value.slice(0, VALUE_CHARS).toWellFormed() : value} />
            </span>
            {isCut && "…"}
          </span>
        );
      })}
    </pre>
  );
}

const classOfValue = (value: string): string =>
  value.startsWith('"') ? "text-syn-str" : /^[-\d]/u.test(value) ? "text-syn-num" : "text-ink-2";

/** Agents keep a part in the record where the whole is too long. Stated sizes are rounded, and count a last newline. */
const isPart = ({ body, stored }: EventOf<"tool_result">): boolean =>
  stored !== null && body.offloadedBy === "agent" && (body.storedBytes ?? 0) > stored.sizeBytes * 1.01;

type StoredProps = { event: EventOf<"tool_result">; stored: NonNullable<EventOf<"tool_result">["stored"]> };

function Stored({ event, stored }: StoredProps) {
  const isGone = stored.state !== "live";
  return (
    <>
      <h4 className={HEAD}>
        <b className="font-semibold">Stored</b>
        {isGone && <Badge tone="error">{stored.state}</Badge>}
        <Link className="link mono text-11" href={artifactPath(stored.pointer)}>
          art_{stored.digest.slice(0, 16)}
        </Link>
        <em className="ml-auto text-ink-2 not-italic">
          {formatBytes(stored.sizeBytes)}
          {isPart(event) && ` of ${formatBytes(event.body.storedBytes!)}: the rest was not found`}
          {stored.lineCount !== null && `, ${formatCount(stored.lineCount, "line")}`}
          {stored.tokens !== null && (
            <>
              , <Num value={stored.tokens} origin={stored.origin ?? "estimated"} /> tokens
            </>
          )}
        </em>
      </h4>
      {isGone ? (
        <p className="mt-1.5 text-12 text-ink-2">
          {stored.state === "expired" ? "It has expired" : "It was deleted"}: no longer readable. What the model saw
          stays.
        </p>
      ) : (
        <Glimpse event={event} stored={stored} />
      )}
      <div className="mt-2 flex items-center gap-1">
        {!isGone && (
          <a className={buttonClass("plain", true)} href={rawArtifactPath(stored.pointer)} download>
            Download
          </a>
        )}
        <Link className={buttonClass("quiet", true)} href={artifactPath(stored.pointer)}>
          {isGone
            ? "What was there"
            : stored.lineCount === null || stored.lineCount < 2
              ? "Show all"
              : `Show all ${formatCount(stored.lineCount, "line")}`}
        </Link>
      </div>
    </>
  );
}

/** Its shape, and its first lines; of an error its last, where the reason stands. */
function Glimpse({ event, stored }: StoredProps) {
  const count = LINES - 1;
  const isEnd = event.body.isError && (stored.lineCount ?? 0) > count;
  const shape = shapeIn(event.body.text);
  const query = isEnd
    ? lastLinesQuery(stored.pointer, stored.digest, count, stored.lineCount ?? 0)
    : headLinesQuery(stored.pointer, stored.digest, count);
  const lines = useQuery({ ...query, enabled: stored.head === null && stored.lineCount !== null });
  if (lines.error) return <p className="mt-1.5 text-12 text-ink-2">{failureOf(lines.error).message}</p>;
  const found =
    stored.head === null
      ? (lines.data?.lines.map((line) => line.text) ?? [])
      : stored.head.split("\n").slice(0, LINES - 1);
  const isOneLong = found.length === 1 && (found[0]?.length ?? 0) > LONG_LINE;
  return (
    <>
      {shape !== null && (
        <p className={`mono mt-1.5 text-ink-3 ${isOneLong ? "line-clamp-4" : "truncate"}`} title={shape}>
          <SafeText text={shape} />
        </p>
      )}
      <pre className={`output mt-1 overflow-hidden ${isOneLong ? "line-clamp-5 break-all whitespace-pre-wrap" : ""}`}>
        {isEnd && <span className="text-ink-3">⋮ {"\n"}</span>}
        <AnsiText text={found.map((line) => line.slice(0, isOneLong ? 600 : 300)).join("\n")} />
      </pre>
    </>
  );
}

function NotFound({ event }: { event: EventOf<"tool_result"> }) {
  const { storedPath, storedBytes, detail, offloadedBy } = event.body;
  return (
    <>
      <h4 className={HEAD}>
        <b className="font-semibold">Stored</b>
        <em className="ml-auto text-ink-2 not-italic">
          {storedBytes !== undefined
            ? `${offloadedBy === "plimsoll" ? "the tool returned" : "the agent said"} ${formatBytes(storedBytes)}`
            : detail?.originalTokens !== undefined
              ? `the agent said ~${formatCount(detail.originalTokens, "token")}`
              : ""}
        </em>
      </h4>
      <p className="mt-1.5 text-12 text-ink-2">
        {offloadedBy === "plimsoll" ? (
          "Cut, not stored: by policy, or because storing failed. Only what the model saw is left."
        ) : storedPath === undefined ? (
          "The agent cut this output and did not store the rest. Only what the model saw is left."
        ) : (
          <>
            Full output not found. Import it from{" "}
            <span className="mono break-all">
              {" "}
              <SafeText text={storedPath} />{" "}
            </span>{" "}
            while the file exists.
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
