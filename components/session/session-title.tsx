"use client";
// A session's title: one line with the whole of it on hover, on a narrow screen two lines with a button for the rest.
import Link from "next/link";
import { useCallback, useState } from "react";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";

/** About what a phone shows of it: the button stands there before it is measured. */
const CHARS_OF_TWO_LINES = 80;

type TitleProps = { session: SessionSummary; slim: boolean };

export function SessionTitle({ session, slim }: TitleProps) {
  const [isWhole, setWhole] = useState(false);
  const [isCut, heading] = useIsCut(session.title.length > CHARS_OF_TWO_LINES);
  // Wider it is one line, whose own words alone are cut: at their end, also where they run from right to left.
  const look = isWhole ? "max-md:wrap-anywhere" : "max-md:line-clamp-2";
  return (
    <div className="min-w-0 max-md:basis-full">
      <h1
        ref={heading}
        title={shownText(session.title)}
        className={`min-w-0 font-semibold md:flex md:whitespace-nowrap ${look} ${slim ? "text-15" : "text-20 max-md:text-15"}`}
      >
        <Link href="/" className="font-normal text-ink-3 hover:text-ink">
          Sessions
        </Link>
        <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
        {session.parentId !== null && (
          <>
            <Link
              href={`/sessions/${session.parentId}${at(session.parentToolCallSeq)}`}
              className="font-normal text-accent hover:underline"
            >
              parent
            </Link>
            <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
          </>
        )}
        {session.earlierOf !== null && session.earlierOf.id !== null && (
          <>
            <Link href={`/sessions/${session.earlierOf.id}`} className="font-normal text-accent hover:underline">
              current version
            </Link>
            <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
          </>
        )}
        <span className="md:truncate md:[&>bdi[dir=rtl]]:inline-block md:[&>bdi[dir=rtl]]:max-w-full md:[&>bdi[dir=rtl]]:truncate md:[&>bdi[dir=rtl]]:align-bottom">
          <SafeText text={session.title || "Untitled session"} />
        </span>
      </h1>
      {(isCut || isWhole) && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="text-12 text-accent hover:underline md:hidden"
        >
          {isWhole ? "Show less" : "Show full title"}
        </button>
      )}
    </div>
  );
}

const at = (seq: number | null): string => (seq === null ? "" : `?event=${seq}`);

/** Whether lines of an element are cut off below, as its width changes. */
function useIsCut(isLikely: boolean): [boolean, (element: HTMLElement | null) => (() => void) | undefined] {
  const [isCut, setCut] = useState(isLikely);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => setCut(element.scrollHeight > element.clientHeight + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [isCut, ref];
}
