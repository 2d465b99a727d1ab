"use client";
// The request as its provider takes it: source, indented, capped, with the whole of it to download.
import { useMemo, useState } from "react";
import type { ContextAnswer, ContextQuery } from "#lib/wire/memory-schema.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { contextRawPath } from "../shared/memory-queries.ts";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { indentJson } from "./indent-json.ts";

/** Lines at first; five times as many with each "Show more". */
const LINES = 400;
/** The browser lays out the chunks on screen alone: all 2,400 lines of a full context at once held the page for 700 ms. */
const CHUNK = 40;

type PayloadProps = { session: string; query: ContextQuery; answer: ContextAnswer };

export function Payload({ session, query: request, answer }: PayloadProps) {
  const [most, setMost] = useState(LINES);
  const { json, isCut, bytes } = answer.payload;
  const isText = answer.as === "text";
  const shown = useMemo(() => (isText ? textLines(json, most) : indentJson(json, most)), [json, most, isText]);
  const isShort = shown.isCut || isCut;
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col border-l border-line pr-6 pl-5 max-[1100px]:border-l-0 max-[1100px]:pl-6 max-[1100px]:group-data-[pane=messages]/context:hidden"
      aria-label="Payload"
    >
      <div className="flex flex-none items-center gap-2 py-2">
        <h2 className="text-13 font-semibold">Payload</h2>
        <span className="text-12 text-ink-3">{formatBytes(bytes)}</span>
        <span className="flex-1" />
        <CopyButton text={() => json}>{isCut ? "Copy the first 1 MB" : "Copy"}</CopyButton>
        <a className="link text-12" href={contextRawPath(session, request)} download>
          Download
        </a>
      </div>
      <pre
        className="mono -mr-6 -ml-5 min-h-0 flex-1 overflow-auto pr-6 pb-4 pl-5 wrap-anywhere whitespace-pre-wrap text-ink-2 focus-visible:-outline-offset-2 max-[1100px]:-ml-6 max-[1100px]:pl-6"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <pre> has no role that may have a name
        role="group"
        aria-label={`Payload as ${answer.as}`}
      >
        {chunksOf(shown.lines).map((lines, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the chunks of one payload never move
          <span key={at} className="block [contain-intrinsic-size:auto_720px] [content-visibility:auto]">
            <SafeText text={lines.join("\n")} badge />
          </span>
        ))}
      </pre>
      {isShort && (
        <p className="flex flex-none flex-wrap gap-3 py-1.5 text-12 text-ink-3">
          <span>
            First {formatTokens(shown.lines.length)} lines of {formatBytes(bytes)} shown.
          </span>
          {shown.isCut && (
            <button type="button" className="link" onClick={() => setMost(most + LINES * 5)}>
              Show more
            </button>
          )}
          {isCut && <span>Only its first 1 MB is here; the download has all of it.</span>}
        </p>
      )}
    </section>
  );
}

function chunksOf(lines: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < lines.length; from += CHUNK) chunks.push(lines.slice(from, from + CHUNK));
  return chunks;
}

const textLines = (json: string, most: number) => {
  const lines = textOf(json).split("\n");
  return { lines: lines.slice(0, most), isCut: lines.length > most };
};

/** The text renderer's payload may be a JSON string of its own. */
function textOf(json: string): string {
  if (!json.startsWith('"')) return json;
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === "string" ? parsed : json;
  } catch {
    return json;
  }
}
