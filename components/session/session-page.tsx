"use client";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, type ReactNode } from "react";
import { CompactAtCursor, CompactLink } from "../shared/compact-link.tsx";
import { PanelSwitch } from "../load/panel-switch.tsx";
import { ToolsTab } from "../tools/tools-tab.tsx";
import { FindBar } from "../transcript/find-bar.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { fetched } from "../ui/fetched.tsx";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { CHART_ROW, LoadSection } from "./load-section.tsx";
import { LoadTab, LoadTabWait } from "./load-tab.tsx";
import { sessionQuery, useLoad } from "../shared/session-queries.ts";
import { SessionProvider, useSession } from "../shared/session-context.tsx";
import { SessionHeader } from "./session-header.tsx";
import { sessionTabTitle } from "./tab-title.ts";
import { useEventParam, useTab, useTranscriptState, TABS, type Tab } from "../shared/url-state.ts";

const loading = (
  <div className="px-6 py-3">
    <Loading rows={8} />
  </div>
);

// Fetched when they are opened: most readers of a transcript open neither.
const MemoryTab = fetched(() => import("../memory/memory-tab.tsx").then((tab) => tab.MemoryTab), loading);
const ContextTab = fetched(() => import("../context/context-tab.tsx").then((tab) => tab.ContextTab), loading);

/** Sessions that Plimsoll holds are compacted at their end, where their agent goes on. */
const OURS = "plimsoll";

export function SessionPage({ id }: { id: string }) {
  return (
    <SessionProvider key={id} id={id}>
      <SessionView />
    </SessionProvider>
  );
}

function SessionView() {
  const { id, goTo } = useSession();
  const [tab, setTab] = useTab();
  const [event] = useEventParam();
  const [{ raw, find }, setTranscript] = useTranscriptState();
  const session = useQuery(sessionQuery(id));
  const load = useLoad(id);
  const openEvent = useCallback(
    (seq: number) => {
      void setTab("transcript");
      goTo(seq);
    },
    [setTab, goTo],
  );
  const turns = useMemo(
    () => new Map((load.view?.load.turns ?? []).map(({ turn, title }) => [turn, title])),
    [load.view],
  );
  const title = session.data?.title;
  useEffect(() => {
    // Tabs change without a new page from the server.
    if (title !== undefined) document.title = `${sessionTabTitle(title, tab)} · Plimsoll`;
  }, [title, tab]);
  if (session.error) {
    return (
      <div className="p-6">
        <RequestFailure error={session.error} title="This session cannot be shown" />
      </div>
    );
  }
  const summary = session.data;
  const counts = summary ? { tools: summary.toolCalls + summary.hostedToolCalls, artifacts: summary.artifacts } : {};
  return (
    <div
      // On Load the chart may leave too little room below it: then the whole view scrolls.
      className={`flex min-h-0 flex-1 flex-col ${tab === "load" ? "cramped:overflow-y-auto" : ""}`}
    >
      {summary ? <SessionHeader session={summary} slim={tab !== "load"} /> : <div className="h-11 flex-none" />}
      {load.view ? (
        <LoadSection view={load.view} tab={tab} />
      ) : (
        <div className={tab === "load" ? CHART_ROW : "h-14 flex-none px-6 max-[560px]:h-20"}>
          {load.error && <RequestFailure error={load.error} title="The load could not be worked out" />}
        </div>
      )}
      <SessionTabs tab={tab} counts={counts} onPick={(next) => void setTab(next)}>
        {tab === "transcript" && (
          <>
            <FindBar find={find} onFind={(text) => void setTranscript({ find: text })} event={event} />
            <Segmented
              label="How events are shown"
              value={raw ? "raw" : "formatted"}
              options={[
                { value: "formatted", label: "Formatted" },
                { value: "raw", label: "Raw" },
              ]}
              onPick={(value) => void setTranscript({ raw: value === "raw" })}
            />
          </>
        )}
        {tab === "load" && load.view?.calls.length !== 0 && (
          <span className="max-lg:hidden">
            <PanelSwitch />
          </span>
        )}
        {(tab === "memory" || tab === "context" || tab === "load") && (
          <span className="max-md:hidden">
            {load.view !== null && summary?.format !== OURS ? (
              <CompactAtCursor view={load.view} tab={tab} />
            ) : (
              <CompactLink small />
            )}
          </span>
        )}
      </SessionTabs>
      <div
        id="session-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        className={`flex min-h-0 flex-1 flex-col ${tab === "load" ? "cramped:flex-none cramped:overflow-visible" : ""}`}
      >
        {tab === "transcript" && (
          <Transcript running={summary?.status === "running"} opened={find === "" ? null : event} />
        )}
        {tab === "load" &&
          (load.view ? load.view.calls.length > 0 && <LoadTab view={load.view} onOpen={openEvent} /> : <LoadTabWait />)}
        {tab === "tools" && <ToolsTab onOpen={openEvent} />}
        {tab === "memory" && <MemoryTab view={load.view} turns={turns} onOpen={openEvent} />}
        {tab === "context" && load.view && <ContextTab view={load.view} onOpen={openEvent} />}
        {tab === "artifacts" && <ArtifactsTab onOpen={openEvent} />}
      </div>
    </div>
  );
}

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

function SessionTabs({ tab, counts, onPick, children }: SessionTabsProps) {
  const move = (by: number) => {
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] as Tab;
    onPick(next);
    document.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div className="flex min-h-9 flex-none flex-wrap items-stretch gap-x-5 border-b border-line px-6 max-md:px-4">
      <div
        role="tablist"
        aria-label="Views of this session"
        className="flex min-w-0 flex-wrap items-stretch gap-x-5 max-md:gap-x-4"
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
            className="-mb-px flex h-9 items-center max-md:h-8  gap-1.5 border-b-2 border-transparent text-ink-2 hover:text-ink aria-selected:border-ink aria-selected:font-semibold aria-selected:text-ink"
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
