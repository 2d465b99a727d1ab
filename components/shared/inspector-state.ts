"use client";
// The inspector of the transcript, as it stands in the URL. The row that it shows is the chosen event.
import { parseAsInteger, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { useSession } from "./session-context.tsx";
import { useTab, type Tab } from "./url-state.ts";

export const INSPECTOR_VIEWS = ["rendered", "raw", "stored", "seen", "lifetime"] as const;
export type InspectorView = (typeof INSPECTOR_VIEWS)[number];

/** What is asked of the bytes, in their place. */
export const ASKS = ["jq", "grep"] as const;
export type Ask = (typeof ASKS)[number];

/** What jq and grep keep in the address: it goes with the inspector. */
const ASK_KEYS = ["program", "saved", "options", "arg", "argjson", "result", "stages", "pattern", "grep", "line", "to"];
const clearing = Object.fromEntries(ASK_KEYS.map((key) => [key, parseAsStringLiteral([""])]));
const CLEARED = Object.fromEntries(ASK_KEYS.map((key) => [key, null]));

export type InspectorState = {
  /** Null while it is closed. */
  readonly view: InspectorView | null;
  readonly ask: Ask | null;
  readonly show: (view: InspectorView) => void;
  readonly setAsk: (ask: Ask | null) => void;
  readonly close: () => void;
};

export function useInspector(): InspectorState {
  const [{ inspect, ask }, set] = useQueryStates(
    { inspect: parseAsStringLiteral(INSPECTOR_VIEWS), ask: parseAsStringLiteral(ASKS) },
    { history: "replace" },
  );
  const [, clear] = useQueryStates(clearing, { history: "replace" });
  return useMemo(
    () => ({
      view: inspect,
      ask,
      // Back closes what was opened, which a phone's reader tries first.
      show: (view) => void set({ inspect: view }, { history: inspect === null ? "push" : "replace" }),
      setAsk: (next) => void set({ ask: next }),
      close: () => {
        void set({ inspect: null, ask: null });
        void clear(CLEARED);
      },
    }),
    [inspect, ask, set, clear],
  );
}

/** The event that another tab was opened from: the way back to it. */
export const useBackParam = () => useQueryState("back", parseAsInteger.withOptions({ history: "replace" }));

/** Opens another tab at a call or an event, and remembers where from. */
export function useLeaveTo(): (tab: Tab, at: { readonly seq: number; readonly from: number }) => void {
  const { goTo } = useSession();
  const [, setTab] = useTab();
  const [, setBack] = useBackParam();
  return useCallback(
    (tab, { seq, from }) => {
      void setBack(from);
      void setTab(tab);
      goTo(seq);
    },
    [goTo, setTab, setBack],
  );
}
