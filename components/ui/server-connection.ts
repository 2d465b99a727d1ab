"use client";
// Whether the server answers. The stream of changes and every request tell it; the banner and the guard of links hear it.
import { useSyncExternalStore } from "react";

let connected = true;
const watchers = new Set<(isConnected: boolean) => void>();

export const connection = {
  get: (): boolean => connected,
  set(next: boolean): void {
    if (connected === next) return;
    connected = next;
    for (const notify of watchers) notify(next);
  },
  subscribe(notify: (isConnected: boolean) => void): () => void {
    watchers.add(notify);
    return () => watchers.delete(notify);
  },
};

/** False while the server does not answer. */
export const useConnected = (): boolean => useSyncExternalStore(connection.subscribe, connection.get, () => true);

/** Asks for the smallest answer there is. */
export async function probe(): Promise<boolean> {
  const isThere = await fetch("/api/health", { cache: "no-store" }).then(
    () => true,
    () => false,
  );
  connection.set(isThere);
  return isThere;
}

/**
 * While the server is stopped no page of it can be loaded: a link would leave for the browser's own error page, and what is
 * on screen would be lost. Returns how to end it.
 */
export function guardLinks(onHeld: () => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  const isOurs = (address: string) => new URL(address, window.location.href).origin === window.location.origin;
  const hold = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    onHeld();
  };
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!connected && link !== null && isOurs((link as HTMLAnchorElement).href)) hold(event);
    },
    { signal, capture: true },
  );
  // Keys and menus navigate without a link. Where the browser tells of navigations, those are held too.
  const { navigation } = window as { navigation?: EventTarget };
  navigation?.addEventListener(
    "navigate",
    (event) => {
      const { destination, navigationType } = event as Event & {
        destination: { url: string; sameDocument: boolean };
        navigationType: string;
      };
      if (connected || destination.sameDocument || navigationType === "reload" || !isOurs(destination.url)) return;
      if (event.cancelable) hold(event);
    },
    { signal },
  );
  return () => end.abort();
}
