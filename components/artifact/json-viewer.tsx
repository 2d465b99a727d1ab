"use client";
// JSON as its source: laid out for reading, or as it is stored. Large ones stand by lines, as other text does.
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo, useRef } from "react";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { replaceHidden } from "../ui/hidden-text.ts";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { textQuery } from "./artifact-queries.ts";
import { JsonEditor } from "./json-editor.tsx";
import { layOutJson, layOutJsonLines, type Layout } from "./json-source.ts";
import { monacoQuery } from "./monaco.ts";
import { TextViewer } from "./text-viewer.tsx";

/** 5 MB stand there 1.4 s after the page was asked for, 0.1 to 0.5 s of it for laying them out, which holds the page. */
const SOURCE_BYTES = 5_000_000;

const JSON_LINES = "application/x-ndjson";
const typeOf = (artifact: ArtifactView): string => artifact.contentType.split(";")[0] ?? "";

export const isJson = (artifact: ArtifactView): boolean => ["application/json", JSON_LINES].includes(typeOf(artifact));

const VIEWS = [
  { value: "formatted", label: "Formatted" },
  { value: "stored", label: "As stored" },
  { value: "lines", label: "Lines" },
] as const;

export function JsonViewer({ artifact }: { artifact: ArtifactView }) {
  const bar = useRef<HTMLDivElement>(null);
  const [line] = useQueryState("line", parseAsInteger);
  const [asked, setView] = useQueryState("view", parseAsStringLiteral(VIEWS.map(({ value }) => value)));
  if (artifact.sizeBytes > SOURCE_BYTES)
    return (
      <>
        <p className={BAR}>
          The source view goes up to {formatBytes(SOURCE_BYTES)}; this has {formatBytes(artifact.sizeBytes)} and stands
          by lines.
        </p>
        <TextViewer artifact={artifact} />
      </>
    );
  // An address of a line is an address of a stored line.
  const view = asked ?? (line === null ? "formatted" : "lines");
  const leave = () => bar.current?.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
  return (
    <>
      <div ref={bar} className={BAR}>
        <Segmented label="View" value={view} options={VIEWS} onPick={(next) => void setView(next)} />
      </div>
      {view === "lines" ? (
        <TextViewer artifact={artifact} />
      ) : (
        <Source artifact={artifact} isFormatted={view === "formatted"} onLeave={leave} />
      )}
    </>
  );
}

const BAR = "flex flex-none items-center border-b border-line px-6 py-1.5 text-12 text-ink-3";

type SourceProps = { artifact: ArtifactView; isFormatted: boolean; onLeave: () => void };

function Source({ artifact, isFormatted, onLeave }: SourceProps) {
  const stored = useQuery(textQuery(artifact.pointer, artifact.digest));
  const monaco = useQuery(monacoQuery);
  const lines = typeOf(artifact) === JSON_LINES;
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
        onLeave={onLeave}
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
