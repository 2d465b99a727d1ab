"use client";
// Searching a document: what is typed is looked for after a pause from where the reader is, and counted beside that.
import { parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useEffect, useRef, useState } from "react";
import type { JsonPlace } from "#lib/wire/json-tree.ts";
import { failureOf } from "../ui/api.ts";
import type { Sought } from "./marked.tsx";
import { find, type Source } from "./queries.ts";

const PAUSE_MS = 180;

type Hit = { readonly at: number; readonly end: number };

export type Finder = {
  readonly sought: Sought;
  /** What was found, in words. */
  readonly found: string | null;
  readonly setQuery: (q: string) => void;
  readonly setExact: (exact: boolean) => void;
  readonly next: () => void;
  readonly back: () => void;
};

/** `onHit` is told where it stands. */
export function useFind(source: Source, sizeBytes: number, onHit: (place: JsonPlace) => void): Finder {
  const [{ find: q, exact }, setAsked] = useQueryStates(
    { find: parseAsString.withDefault(""), exact: parseAsBoolean.withDefault(false) },
    { throttleMs: 300 },
  );
  const [found, setFound] = useState<string | null>(null);
  const hit = useRef<Hit | null>(null);
  const total = useRef<{ count: number; isCapped: boolean } | null>(null);
  const running = useRef<AbortController | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = useRef(onHit);
  useEffect(() => {
    shown.current = onHit;
  }, [onHit]);

  const go = useCallback(
    async (asked: Sought, way: "next" | "back", isFirst: boolean) => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      if (asked.q === "") return setFound(null);
      const from = isFirst
        ? (hit.current?.at ?? 0)
        : way === "next"
          ? (hit.current?.end ?? 0)
          : (hit.current?.at ?? sizeBytes);
      try {
        if (isFirst) total.current = null;
        let answer = await find(source, { ...asked, from, way }, signal);
        // Past the last one the first comes again.
        const isRound = answer.hit === null && (way === "back" || from > 0);
        if (isRound) answer = await find(source, { ...asked, from: way === "next" ? 0 : sizeBytes, way }, signal);
        if (answer.hit === null) {
          hit.current = null;
          return setFound("not found");
        }
        hit.current = answer.hit;
        shown.current(answer.hit.place);
        if (total.current === null) {
          setFound("counting …");
          const counted = await find(source, { ...asked, from: 0, way: "count" }, signal);
          total.current = { count: counted.total ?? 0, isCapped: counted.isCapped };
          const again = await find(source, { ...asked, from: hit.current.at, way: "next" }, signal);
          answer = again.hit?.at === hit.current.at ? again : answer;
        }
        const nth = answer.hit?.nth ?? null;
        const { count, isCapped } = total.current;
        const all = `${count.toLocaleString("en-US")}${isCapped ? "+" : ""}`;
        setFound(
          `${nth === null ? "" : `${nth.toLocaleString("en-US")} of `}${all}${isRound ? ", from the other end" : ""}`,
        );
      } catch (error) {
        if (!signal.aborted) setFound(failureOf(error).message);
      }
    },
    [source, sizeBytes],
  );

  const later = (asked: Sought) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void go(asked, "next", true), PAUSE_MS);
  };
  const first = useRef({ q, exact });
  useEffect(() => {
    // A search that stands in the address is made, but what is chosen there stays in view.
    if (first.current.q !== "") {
      const asked = first.current;
      const before = shown.current;
      shown.current = () => {};
      void go(asked, "next", true).finally(() => (shown.current = before));
    }
    return () => {
      clearTimeout(timer.current);
      running.current?.abort();
    };
  }, [go]);

  return {
    sought: { q, exact },
    found,
    setQuery: (text) => {
      void setAsked({ find: text });
      later({ q: text, exact });
    },
    setExact: (value) => {
      void setAsked({ exact: value });
      later({ q, exact: value });
    },
    next: () => void go({ q, exact }, "next", total.current === null && hit.current === null),
    back: () => void go({ q, exact }, "back", false),
  };
}
