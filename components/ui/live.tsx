"use client";
// What changed, as it changes. HTTP/1.1 gives a browser six connections to one host, so one tab holds
// the event stream (whoever has the lock) and tells the others over a BroadcastChannel. When that tab
// closes, the lock goes to the next one.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { change, type Change, type ImportProgress } from "#lib/wire/sources-schema.ts";
import { connection, probe } from "./server-connection.ts";

const NAME = "plimsoll-changes";
const GONE = "gone";
const BACK = "back";

// What changes together is asked for together; and while an import runs, with many changes a second, the lists
// ask again once a second at most: 10,000 sessions cost the server some 30 ms a question.
const SETTLE_MS = 300;
const BETWEEN_MS = 1000;

type Listener = (change: Change) => void;
const listeners = new Set<Listener>();

/** Hears every change; returns how to stop. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

let progress: ImportProgress | null = null;
const watchers = new Set<() => void>();
const watch = (notify: () => void) => {
  watchers.add(notify);
  return () => {
    watchers.delete(notify);
  };
};
const notifyWatchers = () => {
  for (const notify of watchers) notify();
};

/** The import that runs or ran last in this visit. */
export function useImportProgress(): ImportProgress | null {
  return useSyncExternalStore(
    watch,
    () => progress,
    () => null,
  );
}

/** Mounted once, in the providers. */
export function Live() {
  const queries = useQueryClient();
  useEffect(() => keepFresh(queries), [queries]);
  return null;
}

function keepFresh(queries: QueryClient): () => void {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = 0;
  const flush = () => {
    timer = undefined;
    flushedAt = Date.now();
    for (const key of stale) void queries.invalidateQueries({ queryKey: JSON.parse(key) as string[] });
    stale.clear();
  };
  const hear = (heard: Change) => {
    for (const key of staleKeys(heard)) stale.add(JSON.stringify(key));
    if (stale.size > 0) timer ??= setTimeout(flush, Math.max(SETTLE_MS, flushedAt + BETWEEN_MS - Date.now()));
    tell(heard);
  };
  // What changed between the making of the page and now was told to nobody: what came with it is asked once more.
  // A session's large answers (its load is 5 MB for 5,000 calls) are asked for only when its summary has moved on.
  const stop = listen(hear, () => {
    void queries.invalidateQueries({
      predicate: ({ state, queryKey }) => state.dataUpdatedAt > 0 && queryKey[0] !== "session",
    });
    for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: ["session"] }))
      if (queryKey[2] === "summary") void catchUp(queries, String(queryKey[1]), versionOf(state.data));
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

export const versionOf = (summary: unknown): unknown => (summary as { version?: unknown } | undefined)?.version;

/** Asks for all of a session anew, when its summary is not of the version that the page was made with. */
export async function catchUp(queries: QueryClient, id: string, before: unknown): Promise<void> {
  const summary = ["session", id, "summary"];
  await queries.refetchQueries({ queryKey: summary, exact: true });
  if (versionOf(queries.getQueryData(summary)) !== before)
    await queries.invalidateQueries({ queryKey: ["session", id] });
}

/** Keys of the answers that a change makes old; a key stands for all that begin with it. */
export function staleKeys(heard: Change): string[][] {
  switch (heard.type) {
    case "session":
      return [["session", heard.id], ["sessions"], ["artifacts"]];
    case "counted":
      // What each artifact weighs is worked out with its session.
      return [["session", heard.id], ["sessions"], ["artifacts"]];
    case "sessions":
      return [["sessions"], ["artifacts"]];
    case "sources":
      return [["sources"]];
    case "import":
      return heard.progress.state === "running" ? [] : [["sources"], ["sessions"], ["artifacts"]];
    case "warning":
      return [];
    case "resync":
      return [[]];
  }
}

function tell(heard: Change): void {
  if (heard.type === "import") {
    progress = heard.progress;
    notifyWatchers();
  }
  for (const listener of listeners) listener(heard);
}

function listen(hear: Listener, onListening: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  const end = new AbortController();
  let stream: EventSource | undefined;
  channel.addEventListener("message", (event: MessageEvent<unknown>) => {
    connection.set(event.data !== GONE);
    if (event.data !== GONE && event.data !== BACK) receive(event.data, hear);
  });
  // A tab without the stream learns from the one that holds it that the server has stopped, or is back.
  const unheard = connection.subscribe((isConnected) => stream && channel.postMessage(isConnected ? BACK : GONE));
  const hold = () =>
    new Promise<void>((release) => {
      // The lock may be granted to a page that has just gone.
      if (end.signal.aborted) return release();
      stream = openStream(onListening, (data) => {
        receive(data, hear);
        channel.postMessage(data);
      });
      end.signal.addEventListener("abort", () => release());
    });
  // A page that is not served from a loopback name or over TLS has no locks: each tab then has its own stream.
  if (navigator.locks) {
    connection.set(true);
    // Another tab may hold the stream; then this one listens to it from here on.
    void navigator.locks.query().then(({ held }) => held?.some((lock) => lock.name === NAME) && onListening());
    navigator.locks.request(NAME, { signal: end.signal }, hold).catch(() => {});
  } else void hold();
  return () => {
    end.abort();
    unheard();
    stream?.close();
    channel.close();
  };
}

function openStream(onFirst: () => void, receive: (data: unknown) => void): EventSource {
  const stream = new EventSource("/api/changes");
  let wasOpen = false;
  stream.addEventListener("open", () => {
    // The browser asks for what it missed (Last-Event-ID); a restarted server has forgotten it and says resync.
    if (!wasOpen) onFirst();
    wasOpen = true;
    connection.set(true);
  });
  stream.addEventListener("error", () => {
    if (wasOpen || stream.readyState === EventSource.CLOSED) connection.set(false);
    // It never opened: it may be late, or the server has stopped since it made the page.
    else void probe();
  });
  stream.addEventListener("message", (event: MessageEvent<string>) => receive(event.data));
  return stream;
}

function receive(data: unknown, hear: Listener): void {
  if (typeof data !== "string") return;
  const parsed = change.safeParse(JSON.parse(data));
  if (parsed.success) hear(parsed.data);
}
