"use client";
// JSON as its source in the editor: laid out for reading, or as it is stored.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { replaceHidden } from "../ui/hidden-text.ts";
import { Loading } from "../ui/loading.tsx";
import { textQuery } from "./artifact-queries.ts";
import { isJsonLines, type ViewerProps } from "./content-kind.ts";
import { JsonEditor } from "./json-editor.tsx";
import { layOutJson, layOutJsonLines, type Layout } from "./json-source.ts";
import { monacoQuery } from "./monaco.ts";
import { TextViewer } from "./text-viewer.tsx";

/** Laid out for reading. */
export function FormattedViewer({ artifact }: ViewerProps) {
  return <Source artifact={artifact} isFormatted />;
}

/** The characters as they are stored. */
export function StoredViewer({ artifact }: ViewerProps) {
  return <Source artifact={artifact} isFormatted={false} />;
}

const BAR = "flex flex-none items-center border-b border-line px-6 py-1.5 text-12 text-ink-3";

const leave = () => document.querySelector<HTMLElement>("#artifact-views [aria-pressed=true]")?.focus();

function Source({ artifact, isFormatted }: ViewerProps & { isFormatted: boolean }) {
  const stored = useQuery(textQuery(artifact.pointer, artifact.digest));
  const monaco = useQuery(monacoQuery);
  const lines = isJsonLines(artifact);
  const shown = useMemo(
    () => (stored.data === undefined ? null : shownSource(stored.data, isFormatted, lines)),
    [stored.data, isFormatted, lines],
  );
  if (stored.error)
    return (
      <div className="p-6">
        <Failure code={failureOf(stored.error).code} title="This text could not be read">
          {failureOf(stored.error).message}
        </Failure>
      </div>
    );
  if (monaco.error)
    return (
      <>
        <p className={BAR}>
          The editor could not be loaded, so the text stands by lines. Reload the page to try again.
        </p>
        <TextViewer artifact={artifact} />
      </>
    );
  if (!shown || !monaco.data)
    return (
      <div className="flex-1 p-6">
        <Loading rows={8} label="Loading the source" />
      </div>
    );
  return (
    <>
      <JsonEditor
        monaco={monaco.data}
        text={shown.text}
        label="Source of the artifact. Escape leaves it."
        onLeave={leave}
      />
      <p className="flex-none border-t border-line px-6 py-1.5 text-12 text-ink-3">{shown.notes.join(" ")}</p>
    </>
  );
}

type Shown = { readonly text: string; readonly notes: readonly string[] };

/** What the editor shows, and what a reader must know of it. */
function shownSource(stored: string, isFormatted: boolean, lines: boolean): Shown {
  const layout = isFormatted ? (lines ? layOutJsonLines(stored) : layOutJson(stored)) : null;
  let hidden = 0;
  // As JSON would write them itself: the value stays what it is, and the reader sees it.
  const text = replaceHidden(layout?.kind === "laid out" ? layout.text : stored, (found) => {
    hidden += 1;
    return Array.from({ length: found.length }, (_, i) => escapeOf(found.charCodeAt(i))).join("");
  });
  const notes = [layout === null ? "As it is stored." : noteOf(layout, lines)];
  if (hidden > 0)
    notes.push(`${formatCount(hidden, "hidden character is", "hidden characters are")} written as escapes (\\u202e).`);
  return { text, notes };
}

const escapeOf = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;

function noteOf(layout: Layout, lines: boolean): string {
  if (layout.kind === "broken")
    return `It stops being JSON at line ${layout.line}, column ${layout.column}, so it is shown as it is stored.`;
  if (layout.kind === "too long") return "It is nested too deep to be laid out, so it is shown as it is stored.";
  if (!lines) return "Laid out for reading; numbers, keys and their order are as stored.";
  const values = `${formatCount(layout.values, "value")}, one a line in what is stored, shown as a list`;
  if (layout.broken === 0) return `${values}.`;
  return `${values}; ${formatCount(layout.broken, "line that is no JSON stands", "lines that are no JSON stand")} in it unchanged.`;
}
