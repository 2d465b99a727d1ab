"use client";
// What a search came to, in one line; and what it did not do, with what to do next.
import { ArrowDown, ArrowUp, LoaderCircle } from "lucide-react";
import type { GrepRunEnd } from "#lib/wire/playground-schema.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { rawArtifactPath } from "../shared/session-queries.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Progress } from "../ui/gauge.tsx";
import { LONGER_MS, type Found } from "./grep-search.ts";

type GrepResultProps = {
  found: Found | undefined;
  isRunning: boolean;
  /** Which of the shown matches the chosen line is, from 1; 0: none of them. */
  position: number | null;
  shown: number;
  isEmpty: boolean;
  onStep: (by: 1 | -1) => void;
};

export function GrepResult({ found, isRunning, position, shown, isEmpty, onStep }: GrepResultProps) {
  const end = found?.end ?? null;
  return (
    <div className="flex min-h-8 flex-none flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-6 py-0.5 text-12 text-ink-2 max-md:px-4">
      <output
        aria-label="The search"
        // Its counts go up many times a second: only what came of it is said.
        aria-live={isRunning ? "off" : "polite"}
        className="flex min-w-0 items-center gap-x-3"
      >
        {isEmpty ? (
          <span className="text-ink-3">Lines that match are listed as you type</span>
        ) : end === null ? (
          <span>{isRunning ? `${formatCount(shown, "match", "matches")} so far` : ""}</span>
        ) : (
          <span>
            <b className="font-medium text-ink">{countOf(end)}</b>
            {end.ok && end.matches > shown && `, the first ${formatTokens(shown)} are listed`}
          </span>
        )}
        {isRunning && (
          <span className="after-150 inline-flex items-center gap-1.5 text-ink-3">
            <LoaderCircle size={12} aria-hidden="true" className="motion-safe:animate-spin" />
            Searching
          </span>
        )}
      </output>
      {end !== null && !isRunning && (
        <span className="inline-flex items-center gap-2 text-ink-3 max-sm:hidden">
          {formatTokens(Math.round(end.ms))} ms of {formatTokens(end.deadlineMs)}
          <Progress
            done={Math.min(end.ms, end.deadlineMs)}
            of={end.deadlineMs}
            label="Time of the deadline"
            width={64}
          />
        </span>
      )}
      <span className="flex-1" />
      {shown > 0 && (
        <span className="inline-flex items-center">
          <span className="mr-1 text-ink-3 tabular-nums">
            {position !== null && position > 0 && `${formatTokens(position)} of ${formatTokens(shown)}`}
          </span>
          <IconButton label="Match before (N)" onClick={() => onStep(-1)} className="size-6">
            <ArrowUp size={13} aria-hidden="true" />
          </IconButton>
          <IconButton label="Next match (n)" onClick={() => onStep(1)} className="size-6">
            <ArrowDown size={13} aria-hidden="true" />
          </IconButton>
        </span>
      )}
    </div>
  );
}

function countOf({ ok, failure, matches, isCounted }: GrepRunEnd): string {
  if (!ok) return failure?.kind === "timeout" ? "Stopped at the deadline" : "Not searched";
  if (matches === 0 && isCounted) return "No line matches";
  const counted = formatCount(matches, "line matches", "lines match");
  return isCounted ? counted : `At least ${counted}`;
}

type GrepNotesProps = {
  artifact: ArtifactView;
  found: Found | undefined;
  /** The options were not understood. */
  refused: string | null;
  error: Error | null;
  onLonger: () => void;
  onAgain: () => void;
};

const TITLES: Readonly<Record<NonNullable<GrepRunEnd["failure"]>["kind"], string>> = {
  pattern: "The pattern cannot be searched for",
  option: "An option is not known",
  timeout: "The search was stopped at its deadline",
  too_large: "That is too large to be searched",
  busy: "Too many searches are running",
};

const CODES: Readonly<Record<NonNullable<GrepRunEnd["failure"]>["kind"], string>> = {
  pattern: "invalid",
  option: "invalid",
  timeout: "timeout",
  too_large: "too_large",
  busy: "busy",
};

export function GrepNotes({ artifact, found, refused, error, onLonger, onAgain }: GrepNotesProps) {
  if (refused !== null)
    return (
      <Note>
        <Failure code="invalid" title="An option is not known">{`${refused}. Choose from those above.`}</Failure>
      </Note>
    );
  if (error !== null)
    return (
      <Note>
        <RequestFailure error={error} title="It could not be searched" />
      </Note>
    );
  const end = found?.end ?? null;
  if (end === null) return null;
  const { failure, isCounted, matches } = end;
  const longer = end.deadlineMs < LONGER_MS && (
    <Button small onClick={onLonger}>
      Run longer: up to {LONGER_MS / 1000} s
    </Button>
  );
  if (failure !== null)
    return (
      <Note>
        <Failure
          code={CODES[failure.kind]}
          title={TITLES[failure.kind]}
          action={
            failure.kind === "timeout" ? (
              longer
            ) : failure.kind === "busy" ? (
              <Button small onClick={onAgain}>
                Search again
              </Button>
            ) : undefined
          }
        >
          {failure.message}
        </Failure>
      </Note>
    );
  const shown = found?.lines.filter(({ isContext }) => !isContext).length ?? 0;
  if (isCounted && matches <= shown) return null;
  return (
    <Note>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
        {!isCounted && <span>It was stopped at {formatTokens(end.deadlineMs)} ms, before its end.</span>}
        {matches > shown && (
          <span>
            The first {formatTokens(shown)} of {isCounted ? "" : "at least "}
            {formatTokens(matches)} are listed. A narrower pattern shows the others.
          </span>
        )}
        {!isCounted && longer}
        <a className="link" href={rawArtifactPath(artifact.pointer)} download>
          Download the whole text
        </a>
      </p>
    </Note>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return <div className="flex-none border-b border-line px-6 py-1.5 text-12 max-md:px-4">{children}</div>;
}
