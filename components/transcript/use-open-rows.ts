"use client";
// Which rows are open: all or none, but for those that were turned by hand. Arrows open and close the row that has the
// focus, else the chosen one, else the top one; with Shift, all of them.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../shared/session-context.tsx";
import { stepsFrom, type Rows } from "../shared/transcript-rows.ts";
import { useEventParam } from "../shared/url-state.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

type OpenRows = { readonly all: boolean; readonly turned: ReadonlySet<number> };

export function useOpenRows(rows: Rows): {
  readonly isOpen: (seq: number) => boolean;
  readonly toggle: (seq: number) => void;
} {
  const { goTo, visible } = useSession();
  const [chosen] = useEventParam();
  const [open, setOpen] = useState<OpenRows>({ all: false, turned: new Set() });
  const latest = useRef(chosen);
  useEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  const isOpen = useCallback((seq: number) => open.all !== open.turned.has(seq), [open]);
  const toggle = useCallback((seq: number) => setOpen((now) => ({ ...now, turned: flipped(now.turned, seq) })), []);
  const shortcuts = useMemo<Shortcut[]>(() => {
    const here = () => {
      const focused = document.activeElement?.closest<HTMLElement>("article[data-seq]")?.dataset["seq"];
      if (focused !== undefined) return Number(focused);
      return rows.outline.seq[rows.shown[stepsFrom(rows, latest.current, visible.get()).at] ?? 0] ?? null;
    };
    const turnOne = (isWanted: boolean) => {
      const seq = here();
      if (seq === null) return;
      latest.current = seq;
      goTo(seq, { align: "auto" });
      setOpen((now) =>
        (now.all !== now.turned.has(seq)) === isWanted ? now : { ...now, turned: flipped(now.turned, seq) },
      );
    };
    const turnAll = (all: boolean) => {
      const seq = here();
      setOpen({ all, turned: new Set() });
      // Every row above may change its height: the one that is read stays.
      if (seq !== null) goTo(seq, { align: "start", remember: false });
    };
    const group = "Transcript";
    return [
      { keys: "ArrowRight", label: "Expand event", group, isFor: takesNoArrows, run: () => turnOne(true) },
      { keys: "ArrowLeft", label: "Collapse event", group, isFor: takesNoArrows, run: () => turnOne(false) },
      { keys: "shift+ArrowRight", label: "Expand all events", group, isFor: takesNoArrows, run: () => turnAll(true) },
      { keys: "shift+ArrowLeft", label: "Collapse all events", group, isFor: takesNoArrows, run: () => turnAll(false) },
    ];
  }, [rows, goTo, visible]);
  useShortcuts(shortcuts);
  return { isOpen, toggle };
}

/** Tabs, the chart's slider and an open output, which scrolls sideways, take arrows themselves. */
const takesNoArrows = (target: EventTarget | null): boolean =>
  !(target instanceof Element) || target.closest('[role="tab"], [role="slider"], [tabindex="0"]') === null;

function flipped(set: ReadonlySet<number>, seq: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(seq)) next.add(seq);
  return next;
}
