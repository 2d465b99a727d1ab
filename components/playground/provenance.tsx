"use client";
// Where a value of the result stands in what was read: the lines of the artifact that hold it, found by grep as fixed text.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import Link from "next/link";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { failureOf } from "../ui/api.ts";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { byOthers, marked, positionsQuery } from "./value-positions.ts";

type ProvenanceProps = {
  artifact: ArtifactView;
  /** What is looked up: a line, a row. */
  name: string;
  /** The value that is looked for, as JSON; null when there is none that would tell a position. */
  wanted: string | null;
  /** All values of the same object, as JSON. */
  around: readonly string[];
  /** Absent where what it stands in is closed. */
  onClose?: () => void;
  /** What else can be done with it. */
  children?: ReactNode;
};

/** Lines that are shown. */
const SHOWN = 3;

export function Provenance({ artifact, name, wanted, around, onClose, children }: ProvenanceProps) {
  const positions = useQuery({ ...positionsQuery(artifact, wanted ?? ""), enabled: wanted !== null });
  const raw = `/artifacts/${encodeURIComponent(artifact.pointer)}`;
  const found = positions.data;
  const others = around.filter((text) => text !== wanted);
  const lines = byOthers(found?.lines ?? [], others);
  const first = lines[0]?.line;
  return (
    <section
      aria-label="Source"
      className="flex-none border-t border-line-strong py-2 pr-4 pl-5 text-12 text-ink-2 max-md:px-4"
    >
      <div className="flex flex-wrap items-center gap-2">
        <b className="font-medium text-ink">{name}</b>
        <span aria-live="polite">
          {wanted === null
            ? "Choose a line with a value."
            : positions.error
              ? failureOf(positions.error).message
              : found === undefined
                ? "Looking for it …"
                : summaryOf(found.matches, artifact.lineCount ?? 0, lines[0], others.length)}
        </span>
        <span className="flex-1" />
        {children}
        {first !== undefined && (
          <Link className="link" href={`${raw}?view=lines&line=${first.line}`}>
            Open in the artifact
          </Link>
        )}
        {artifact.seq !== null && (
          <Link
            className="link"
            href={`/sessions/${encodeURIComponent(artifact.sessionId)}?event=${artifact.seq}`}
            prefetch={false}
          >
            Event {formatTokens(artifact.seq)}
          </Link>
        )}
        {onClose !== undefined && (
          <button
            type="button"
            aria-label="Close"
            title="Close"
            onClick={onClose}
            className="inline-grid size-5 place-items-center rounded-1 text-ink-3 hover:bg-sunk hover:text-ink"
          >
            <X size={12} aria-hidden="true" />
          </button>
        )}
      </div>
      {found !== undefined && found.lines.length > 0 && (
        <div className="mt-1.5">
          {lines.slice(0, SHOWN).map(({ line: one }) => (
            <div key={one.line} className="mono flex overflow-hidden whitespace-pre">
              <span className="w-14 flex-none pr-3 text-right text-ink-3">{one.line}</span>
              <code className="truncate text-ink">
                {marked(one.text, wanted ?? "").map((part, at) =>
                  part.isHit ? (
                    // eslint-disable-next-line react/no-array-index-key -- the parts of one line never move
                    <b key={at} className="font-semibold">
                      <SafeText text={part.text} />
                    </b>
                  ) : (
                    // eslint-disable-next-line react/no-array-index-key -- as above
                    <SafeText key={at} text={part.text} />
                  ),
                )}
              </code>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

type Best = { readonly line: { readonly line: number }; readonly held: number } | undefined;

function summaryOf(matches: number, lines: number, best: Best, others: number): string {
  if (matches === 0 || best === undefined)
    return "value not found in the input: computed by the program, or written differently there";
  const where = `line ${formatTokens(best.line.line)}`;
  if (matches === 1) return `value found in ${where} of ${formatTokens(lines)}`;
  const held =
    best.held > 0
      ? `; ${where} holds ${best.held === others ? "all" : best.held} of the ${others} others beside it`
      : `, first in ${where}`;
  return `value found in ${formatTokens(matches)} of ${formatTokens(lines)} lines${held}`;
}
