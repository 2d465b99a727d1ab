"use client";
// The views of a session. On a narrow screen they are one row that scrolls, below the title on every tab.
import { useEffect, useRef, type ReactNode } from "react";
import { TABS, type Tab } from "../shared/url-state.ts";

const NAMES: Record<Tab, string> = {
  transcript: "Transcript",
  load: "Load",
  tools: "Tools",
  memory: "Memory",
  context: "Context",
  artifacts: "Artifacts",
};

type SessionTabsProps = {
  tab: Tab;
  counts: Partial<Record<Tab, number>>;
  onPick: (tab: Tab) => void;
  /** What belongs to the shown tab, at the right. */
  children?: ReactNode;
};

export function SessionTabs({ tab, counts, onPick, children }: SessionTabsProps) {
  const list = useRef<HTMLDivElement>(null);
  // Where the tabs scroll, the shown one is in view; only the row of tabs moves.
  useEffect(() => {
    const shown = list.current?.querySelector<HTMLElement>(`[data-tab=${tab}]`);
    if (list.current && shown)
      list.current.scrollLeft = shown.offsetLeft - (list.current.clientWidth - shown.offsetWidth) / 2;
  }, [tab]);
  const move = (by: number) => {
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] as Tab;
    onPick(next);
    document.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div className="flex min-h-9 flex-none flex-wrap items-stretch gap-x-5 border-b border-line bg-bg px-6 cramped:sticky cramped:top-0 cramped:z-10 max-[900px]:-order-1 max-md:px-4">
      <div
        ref={list}
        role="tablist"
        aria-label="Views of this session"
        className="relative -mb-px flex min-w-0 items-stretch gap-x-5 overflow-x-auto max-md:w-full max-md:mask-[linear-gradient(to_right,#000_calc(100%-28px),transparent)] max-md:pr-7 max-md:[scrollbar-width:none]"
      >
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            data-tab={name}
            aria-selected={name === tab}
            aria-controls="session-panel"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onPick(name)}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") move(1);
              if (event.key === "ArrowLeft") move(-1);
            }}
            className="flex h-9 flex-none items-center gap-1.5 max-md:h-10 border-b-2 border-transparent text-ink-2 hover:text-ink aria-selected:border-ink aria-selected:font-semibold aria-selected:text-ink"
          >
            {NAMES[name]}
            {counts[name] !== undefined && (
              <span className="text-12 font-normal text-ink-3">{counts[name]?.toLocaleString("en-US")}</span>
            )}
          </button>
        ))}
      </div>
      <span className="flex-1" />
      <span className="flex min-w-0 flex-wrap items-center gap-2 py-1">{children}</span>
    </div>
  );
}
