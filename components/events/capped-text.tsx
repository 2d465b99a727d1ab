"use client";
// Output of a tool: its head behind a 2-px rule, the cap said, "Show all" and the download beside it.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { EventView } from "#lib/wire/events-schema.ts";
import { numberedLines } from "#lib/kernel/numbered-lines.ts";
import { artifactPath, rawArtifactPath, rawEventPath, wholeEventQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { AnsiText } from "./ansi-text.tsx";
import { hasAnsi } from "./ansi.ts";
import { CodeLines } from "./code-lines.tsx";
import { headOf, languageOfText, withoutExecHeader } from "./event-lines.ts";
import { isType, type EventOf } from "./view.ts";
import { CapLine } from "./event-parts.tsx";

/** More than this is read in the artifact's own page, where lines come as they are scrolled to. */
const INLINE_BYTES = 256 * 1024;

/** Of a line in a folded row; the rest would not be seen. */
const LINE_CHARS = 400;

export type OutputProps = {
  event: EventOf<"tool_result">;
  /** Lines of the folded head. */
  lines: number;
  open: boolean;
  toggle: () => void;
  /** Shown with line numbers, highlighted in this language. */
  language?: string | null;
};

export function Output({ event, lines, open, toggle, language }: OutputProps) {
  const { id } = useSession();
  const isLong = event.bytes > INLINE_BYTES;
  const isNumbered = language !== undefined;
  const whole = useQuery({ ...wholeEventQuery(id, event.seq), enabled: open && event.textCut && !isLong });
  const text = open ? (wholeText(whole.data) ?? event.body.text) : event.body.text;
  if (event.body.text === "" && !event.textCut)
    return event.body.images ? null : <p className="mt-1 text-12 text-ink-3">No output.</p>;
  const head = headOf(
    open ? text : withoutExecHeader(text),
    open ? Number.POSITIVE_INFINITY : lines,
    event.body.isError && !isNumbered,
  );
  const total = event.stored?.lineCount ?? (event.textCut ? null : head.total);
  const isGone = event.stored !== null && event.stored.state !== "live";
  // What is folded is coloured as far as it is shown, and only where it is the beginning of the text, line by line.
  const isWhole = head.lines.every((line) => line.length <= LINE_CHARS) && withoutExecHeader(text) === text;
  const inked = head.first === null && !hasAnsi(text) ? (language ?? languageOfText(event.body.text)) : null;
  const path =
    inked === null ? null : `/api/sessions/${encodeURIComponent(id)}/highlight?seq=${event.seq}&language=${inked}`;
  const isCapped = event.textCut || head.total > lines || text.length > 2000;
  return (
    <div data-partial={open && whole.isLoading ? "" : undefined}>
      <div
        className={open ? "block-rule max-h-[70vh] overflow-auto" : "block-rule"}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- when open it scrolls, so the keyboard must reach it
        tabIndex={open ? 0 : undefined}
      >
        {isNumbered || path !== null ? (
          <CodeLines
            lines={numberedLines(open ? text : head.lines.map((line) => line.slice(0, LINE_CHARS)).join("\n"))}
            highlight={path === null || open ? path : isWhole ? `${path}&lines=${head.lines.length}` : null}
          />
        ) : (
          <pre className="output">
            {head.first !== null && (
              <b>
                <SafeText text={plain(head.first)} />
                {"\n"}
              </b>
            )}
            <AnsiText
              text={open ? head.lines.join("\n") : head.lines.map((line) => line.slice(0, LINE_CHARS)).join("\n")}
            />
          </pre>
        )}
      </div>
      {isGone && event.textCut && event.stored !== null && (
        <CapLine
          says={`Its beginning is all that is left: the whole ${formatBytes(event.stored.sizeBytes)} ${event.stored.state === "expired" ? "have expired" : "were deleted"}.`}
        >
          <Link className="link" href={artifactPath(event.stored.pointer)}>
            What was there
          </Link>
        </CapLine>
      )}
      {isCapped && !(isGone && event.textCut) && (
        <CapLine
          says={capWords(head.lines.length + (head.first === null ? 0 : 1), total, event, open, isLong)}
          open={open}
          toggle={isLong && event.artifact !== null ? undefined : toggle}
        >
          {isLong && event.artifact !== null && (
            <Link className="link" href={artifactPath(event.artifact)}>
              Show all
            </Link>
          )}
          <Download event={event} />
        </CapLine>
      )}
    </div>
  );
}

const wholeText = (event: EventView | undefined): string | null =>
  event && isType(event, "tool_result") ? event.body.text : null;

const plain = (line: string): string => (hasAnsi(line) ? line.replace(/\u001b\[[0-9;:]*m/gu, "") : line);

function capWords(
  shown: number,
  total: number | null,
  event: EventOf<"tool_result">,
  open: boolean,
  isLong: boolean,
): string {
  if (open && !isLong) return total === null ? "All of it shown." : `All ${formatCount(total, "line")} shown.`;
  if (total === null) return `First ${formatCount(shown, "line")} of ${formatBytes(event.bytes)} shown.`;
  return total <= shown
    ? `The head of ${formatBytes(event.bytes)} shown.`
    : `First ${shown} of ${formatCount(total, "line")} shown.`;
}

/** The bytes: the stored output, or the record that holds it. */
function Download({ event, label = "Download" }: { event: EventOf<"tool_result">; label?: string }) {
  const { id } = useSession();
  const pointer = event.stored?.pointer ?? event.artifact;
  return (
    <a
      className="link"
      href={pointer === null ? rawEventPath(id, event.seq) : rawArtifactPath(pointer)}
      download
      title={pointer === null ? "The record in the session file" : "The output, byte for byte"}
    >
      {label}
    </a>
  );
}
