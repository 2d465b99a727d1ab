"use client";
// Searching a document: what is typed is looked for after a pause from where the reader is, and counted beside that.
import { parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useEffect, useRef, useState } from "react";
import type { JsonLocation } from "#lib/wire/json-tree-schema.ts";
import { failureOf } from "../ui/api.ts";
import type { Sought } from "./marked.tsx";
import { find, type Source } from "./tree-queries.ts";

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
export function useFind(source: Source, sizeBytes: number, onHit: (location: JsonLocation) => void): Finder {
  const [{ find: q, exact }, setQuery] = useQueryStates(
    { find: parseAsString.withDefault(""), exact: parseAsBoolean.withDefault(false) },
    { throttleMs: 300 },
  );
  const [found, setFound] = useState<string | null>(null);
  const hit = useRef<Hit | null>(null);
  const total = useRef<{ count: number; isCapped: boolean } | null>(null);
  const running = useRef<AbortController | null>(null);
  const steps = useRef<Promise<void>>(Promise.resolve());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = useRef(onHit);
  useEffect(() => {
    shown.current = onHit;
  }, [onHit]);

  const say = useCallback((nth: number | null, isRound: boolean) => {
    if (total.current === null) return setFound("counting …");
    const all = `${total.current.count.toLocaleString("en-US")}${total.current.isCapped ? "+" : ""}`;
    const position = nth === null ? all : `${nth.toLocaleString("en-US")} of ${all}`;
    setFound(isRound ? `${position}, from the other end` : position);
  }, []);

  /** How many there are, beside the steps from one to the next. */
  const count = useCallback(
    async (request: Sought, signal: AbortSignal) => {
      const counted = await find(source, { ...request, from: 0, way: "count" }, signal);
      total.current = { count: counted.total ?? 0, isCapped: counted.isCapped };
      if (hit.current === null) return;
      const again = await find(source, { ...request, from: hit.current.at, way: "next" }, signal);
      say(again.hit?.at === hit.current?.at ? (again.hit?.nth ?? null) : null, false);
    },
    [source, say],
  );

  const step = useCallback(
    async (request: Sought, way: "next" | "back" | "first", signal: AbortSignal) => {
      const from =
        way === "back" ? (hit.current?.at ?? sizeBytes) : ((way === "first" ? hit.current?.at : hit.current?.end) ?? 0);
      const to = way === "back" ? "back" : "next";
      let answer = await find(source, { ...request, from, way: to }, signal);
      // Past the last one the first comes again.
      const isRound = answer.hit === null && (way === "back" || from > 0);
      if (isRound) answer = await find(source, { ...request, from: way === "back" ? sizeBytes : 0, way: to }, signal);
      hit.current = answer.hit;
      if (answer.hit === null) return setFound("not found");
      shown.current(answer.hit.location);
      say(answer.hit.nth, isRound);
    },
    [source, sizeBytes, say],
  );

  const go = useCallback(
    async (request: Sought, way: "next" | "back" | "first") => {
      // Another text ends what was asked before; two quick steps are two.
      if (way === "first") {
        running.current?.abort();
        running.current = new AbortController();
        total.current = null;
        steps.current = Promise.resolve();
      }
      const { signal } = (running.current ??= new AbortController());
      if (request.q === "") return setFound(null);
      steps.current = steps.current.then(async () => {
        try {
          if (signal.aborted) return;
          await step(request, way, signal);
          if (way === "first" && hit.current !== null) void count(request, signal).catch(() => setFound(null));
        } catch (error) {
          if (!signal.aborted) setFound(failureOf(error).message);
        }
      });
      await steps.current;
    },
    [step, count],
  );

  const later = (request: Sought) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void go(request, "first"), PAUSE_MS);
  };
  const standing = useRef({ q, exact });
  useEffect(() => {
    standing.current = { q, exact };
  }, [q, exact]);
  useEffect(() => {
    // A search that stands in the address is made, but what is chosen there stays in view.
    if (standing.current.q !== "") {
      const request = standing.current;
      const before = shown.current;
      shown.current = () => {};
      void go(request, "first").finally(() => (shown.current = before));
    }
    return () => {
      clearTimeout(timer.current);
      running.current?.abort();
      // Steps that come later are of another document, or of the same one asked anew.
      running.current = null;
    };
  }, [go]);

  return {
    sought: { q, exact },
    found,
    setQuery: (text) => {
      void setQuery({ find: text });
      later({ q: text, exact });
    },
    setExact: (value) => {
      void setQuery({ exact: value });
      later({ q, exact: value });
    },
    next: () => void go({ q, exact }, "next"),
    back: () => void go({ q, exact }, "back"),
  };
}
