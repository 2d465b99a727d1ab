"use client";
import type { ReactNode } from "react";
import { TABS, type Tab } from "./url-state.ts";

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

/** On a narrow screen the tabs scroll sideways, and the one that was linked to must be seen. */
const intoView = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: "nearest", inline: "nearest" });

export function SessionTabs({ tab, counts, onPick, children }: SessionTabsProps) {
  const move = (by: number) => {
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] as Tab;
    onPick(next);
    document.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div className="flex h-9 flex-none items-stretch gap-5 border-b border-line px-6">
      <div
        role="tablist"
        aria-label="Views of this session"
        className="flex min-w-0 items-stretch gap-5 max-md:flex-1 max-md:overflow-x-auto max-md:overflow-y-hidden"
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
            ref={name === tab ? intoView : undefined}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onPick(name)}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") move(1);
              if (event.key === "ArrowLeft") move(-1);
            }}
            className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent text-ink-2 hover:text-ink aria-selected:border-ink aria-selected:font-semibold aria-selected:text-ink"
          >
            {NAMES[name]}
            {counts[name] !== undefined && (
              <span className="text-12 font-normal text-ink-3">{counts[name]?.toLocaleString("en-US")}</span>
            )}
          </button>
        ))}
      </div>
      <span className="flex-1" />
      <span className="flex min-w-0 items-center gap-2">{children}</span>
    </div>
  );
}
