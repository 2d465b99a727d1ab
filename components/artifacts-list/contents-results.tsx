"use client";
// What a search through many artifacts found, grouped by artifact: each line opens the artifact at that line.
import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import { useMemo, useRef } from "react";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import type { GrepManyFound } from "#lib/wire/grep-many-schema.ts";
import { AnsiText } from "../events/ansi-text.tsx";
import { useFinder } from "../lines/grep-state.ts";
import { useMarks } from "../lines/use-marks.ts";
import { Button } from "../ui/button.tsx";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Progress } from "../ui/gauge.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { ContentsFound } from "./contents-search.ts";
import { leftWords, lineHref, stateWords } from "./contents-words.ts";

type ContentsResultsProps = {
  found: ContentsFound;
  pattern: string;
  words: readonly string[];
  onStop: () => void;
  onAgain: () => void;
};

export function ContentsResults({ found, pattern, words, onStop, onAgain }: ContentsResultsProps) {
  const box = useRef<HTMLElement>(null);
  const finder = useFinder(pattern, words.join(" "));
  useMarks(box, words.includes("-v") ? null : finder, "grep-list");
  const shortcuts = useMemo<Shortcut[]>(() => {
    const step = (by: 1 | -1) => {
      const links = [...(box.current?.querySelectorAll<HTMLElement>("a[data-line]") ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[at < 0 ? (by === 1 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
    };
    return [
      { keys: "n", label: "Next match", group: "Search in contents", run: () => step(1) },
      { keys: "N", label: "Match before", group: "Search in contents", run: () => step(-1) },
    ];
  }, []);
  useShortcuts(shortcuts);
  const { end, error, isRunning, artifacts, searched } = found;
  const failure = end?.failure ?? null;
  return (
    <>
      <div className="flex min-h-8 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-6 py-1 text-12 text-ink-2 max-md:px-4">
        {error === null && failure === null && (
          <output
            aria-label="The search"
            // Its counts go up many times a second: only what came of it is said.
            aria-live={isRunning ? "off" : "polite"}
            className={end ? "font-medium text-ink" : ""}
          >
            {stateWords(found)}
          </output>
        )}
        {isRunning && (
          <>
            <LoaderCircle size={12} aria-hidden="true" className="motion-safe:animate-spin" />
            {artifacts !== null && <Progress done={searched} of={artifacts} label="Artifacts searched" />}
            <Button small onClick={onStop}>
              Stop
            </Button>
          </>
        )}
        {end !== null && failure === null && leftWords(end).map((text) => <span key={text}>{text}</span>)}
        {error !== null && (
          <RequestFailure error={error} title="It could not be searched" action={<Again onAgain={onAgain} />} />
        )}
        {failure !== null && (
          <Failure
            code={failure.kind === "busy" ? "timeout" : "invalid"}
            title={failure.kind === "pattern" ? "The pattern is not valid" : "It could not be searched"}
            action={failure.kind === "busy" ? <Again onAgain={onAgain} /> : undefined}
          >
            {failure.message}
          </Failure>
        )}
      </div>
      <section
        ref={box}
        aria-label="Artifacts with matches"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto pb-4 focus-visible:-outline-offset-2"
      >
        {found.found.map((one) => (
          <Group key={one.artifact.pointer} found={one} pattern={pattern} words={words} />
        ))}
      </section>
    </>
  );
}

function Again({ onAgain }: { onAgain: () => void }) {
  return (
    <Button small onClick={onAgain}>
      Search again
    </Button>
  );
}

const NAME_CHARS = 300;

type GroupProps = { found: GrepManyFound; pattern: string; words: readonly string[] };

function Group({ found: { artifact, lines, matches, omitted, sameBytes }, pattern, words }: GroupProps) {
  const digits = String(lines.at(-1)?.line ?? 0).length;
  const title = artifactTitle(artifact).slice(0, NAME_CHARS);
  return (
    <article
      aria-label={title}
      className="border-b border-line py-1.5 [contain-intrinsic-size:auto_120px] [content-visibility:auto]"
    >
      <h2 className="flex items-baseline gap-x-2 px-6 text-13 max-md:flex-wrap max-md:px-4">
        <Link
          prefetch={false}
          className="min-w-0 truncate font-medium hover:underline"
          href={lineHref(artifact.pointer, null, pattern, words)}
        >
          <SafeText text={title} />
        </Link>
        <span className="min-w-0 flex-1 shrink-[99] truncate text-12 text-ink-3">
          <SafeText text={artifact.sessionTitle ?? artifact.sessionId} />, {formatBytes(artifact.sizeBytes)}
          {sameBytes > 0 && `, ${formatCount(sameBytes, "more artifact")} with the same bytes`}
        </span>
        <span className="flex-none text-12 text-ink-2 tabular-nums">{formatCount(matches, "line")}</span>
      </h2>
      <ul className="mono mt-0.5 overflow-x-auto text-12">
        {lines.map(({ line, text, isContext, cut, start }) => (
          <li key={`${line} ${start}`} className="artifact-line">
            <Link
              prefetch={false}
              data-line={isContext ? undefined : line}
              href={lineHref(artifact.pointer, line, pattern, words)}
              className="flex min-w-max pr-6 whitespace-pre hover:bg-sunk focus-visible:-outline-offset-2"
            >
              <span
                className="flex-none pr-3 pl-6 text-right text-ink-3 max-md:pl-4"
                style={{ minWidth: `calc(${digits}ch + 36px)` }}
              >
                {line}
              </span>
              <code className={isContext ? "text-ink-3" : ""}>
                {cut && start > 0 && <span className="text-ink-3">… </span>}
                <span data-text={isContext ? undefined : true}>
                  <AnsiText text={text} />
                </span>
                {cut && <span className="font-sans text-ink-3"> …</span>}
              </code>
            </Link>
          </li>
        ))}
      </ul>
      {omitted > 0 && (
        <Link
          prefetch={false}
          className="link ml-6 text-12 max-md:ml-4"
          href={lineHref(artifact.pointer, null, pattern, words)}
        >
          {formatCount(omitted, "more line")} in this artifact
        </Link>
      )}
    </article>
  );
}
