"use client";
// Markdown as it reads, by the parts that show it in a transcript: no HTML is run, no image fetched, links say where they
// go. Parts are drawn when they come near the screen, so that a long document opens at once.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import { Markdown } from "../events/markdown.tsx";
import { rawArtifactPath } from "../shared/session-queries.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { textQuery } from "../shared/artifact-queries.ts";
import type { ViewerProps } from "../shared/content-kind.ts";
import { markdownParts } from "./markdown-blocks.ts";
import { TextViewer } from "../lines/text-lines-viewer.tsx";
import "./markdown-viewer.css";

/** Parts that stand at once; the rest come as they are scrolled to. */
const FIRST_PARTS = 2;
/** Pixels of a character of running text in a column of this page, for the height of what is not drawn yet. */
const PX_PER_CHAR = 0.24;

export function MarkdownViewer({ artifact }: ViewerProps) {
  if (artifact.sizeBytes <= LIMITS.markdownBytes) return <Rendered artifact={artifact} />;
  return (
    <>
      <p className="flex-none border-b border-line px-6 py-1.5 text-12 text-ink-2 max-md:px-4">
        It has {formatBytes(artifact.sizeBytes)}: over {formatBytes(LIMITS.markdownBytes)} Markdown is shown by its
        lines.{" "}
        <a className="link" href={rawArtifactPath(artifact.pointer)} download>
          Download
        </a>
      </p>
      <TextViewer artifact={artifact} />
    </>
  );
}

function Rendered({ artifact }: ViewerProps) {
  const text = useQuery(textQuery(artifact.pointer, artifact.digest));
  const parts = useMemo(() => markdownParts(text.data ?? ""), [text.data]);
  if (text.error)
    return (
      <div className="p-6">
        <RequestFailure error={text.error} title="This text could not be read" />
      </div>
    );
  if (text.data === undefined)
    return (
      <div className="flex-1 p-6">
        <Loading rows={8} label="Loading the text" />
      </div>
    );
  return (
    <section
      aria-label="The document"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto px-6 py-4 focus-visible:-outline-offset-2 max-md:px-4"
    >
      <div className="markdown-document max-w-190">
        {parts.map((part, at) => (
          <Part key={part.line} text={part.text} isFirst={at < FIRST_PARTS} />
        ))}
      </div>
    </section>
  );
}

function Part({ text, isFirst }: { text: string; isFirst: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const element = box.current;
    if (!element || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: "800px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <div ref={box} style={isNear ? undefined : { height: Math.ceil(text.length * PX_PER_CHAR) }}>
      {isNear && <Markdown text={text} />}
    </div>
  );
}
