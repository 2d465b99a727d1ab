"use client";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { CompactAtCursor, CompactLink } from "../shared/compact-link.tsx";
import { PanelSwitch } from "../load/panel-switch.tsx";
import { ToolsTab } from "../tools/tools-tab.tsx";
import { FindBar } from "../transcript/find-bar.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { useIsNode } from "../ui/access-context.ts";
import { failureOf } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { fetched } from "../ui/fetched.tsx";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { CHART_ROW, ChartWait, LoadSection } from "./load-section.tsx";
import { LoadTab, LoadTabWait } from "./load-tab.tsx";
import { sessionQuery, useLoad } from "../shared/session-queries.ts";
import { SessionProvider, useSession } from "../shared/session-context.tsx";
import { useBackParam } from "../shared/inspector-state.ts";
import { BackToEvent } from "./back-to-event.tsx";
import { FirstHints } from "./first-hints-row.tsx";
import { RunningStrip } from "./running-strip.tsx";
import { NoCalls } from "./no-calls.tsx";
import { SessionHeader } from "./session-header.tsx";
import { SessionTabs } from "./session-tabs.tsx";
import { sessionTabTitle } from "./tab-title.ts";
import { useEventParam, useTab, useTranscriptState } from "../shared/url-state.ts";

const loading = (
  <div className="px-6 py-3">
    <Loading rows={8} />
  </div>
);

// Fetched when they are opened: most readers of a transcript open neither.
const MemoryTab = fetched(() => import("../memory/memory-tab.tsx").then((tab) => tab.MemoryTab), loading);
const ContextTab = fetched(() => import("../context/context-tab.tsx").then((tab) => tab.ContextTab), loading);

// Of a fleet's node alone.
const TakeoverStrip = fetched(() => import("./takeover-strip.tsx").then((strip) => strip.TakeoverStrip));
const AskAgain = fetched(() => import("./takeover-strip.tsx").then((strip) => strip.AskAgain));

/** Sessions that Plimsoll holds are compacted at their end, where their agent goes on. */
const OURS = "plimsoll";

/** `hints`: the cookie of the first hints, as it came with the request of the page. */
export function SessionPage({ id, hints }: { id: string; hints: string | null }) {
  return (
    <SessionProvider key={id} id={id}>
      <SessionTitle />
      <SessionView hints={hints} />
    </SessionProvider>
  );
}

/**
 * Tabs change without a new page from the server, so the title is of the browser's side, and the server's head has none: React hydrates
 * that head last, on a busy machine after the first click, and wrote the old tab's title over the new one.
 */
function SessionTitle() {
  const { id } = useSession();
  const [tab] = useTab();
  const { data } = useQuery(sessionQuery(id));
  return data && <title>{`${sessionTabTitle(data.title, tab)} · Plimsoll`}</title>;
}

function SessionView({ hints }: { hints: string | null }) {
  const { id, goTo } = useSession();
  const isNode = useIsNode();
  const [tab, setTab] = useTab();
  const [event] = useEventParam();
  const [, setBack] = useBackParam();
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
  if (session.error) {
    return (
      <div className="p-6">
        <RequestFailure error={session.error} title="This session cannot be shown" />
        {isNode && failureOf(session.error).code === "timeout" && <AskAgain id={id} />}
      </div>
    );
  }
  const summary = session.data;
  const counts = summary ? { tools: summary.toolCalls + summary.hostedToolCalls, artifacts: summary.artifacts } : {};
  return (
    <div
      // On Load the chart may leave too little room below it: then it is as high as it needs, and the page scrolls.
      className={`flex min-h-0 flex-1 flex-col ${tab === "load" ? "cramped:flex-none" : ""}`}
    >
      {summary ? (
        <SessionHeader session={summary} slim={tab !== "load"} />
      ) : (
        <div className="h-11 flex-none max-[900px]:-order-2" />
      )}
      {summary?.takeover && <TakeoverStrip id={id} takeover={summary.takeover} />}
      {summary?.status === "running" && <RunningStrip id={summary.id} />}
      {load.view ? (
        <LoadSection view={load.view} tab={tab} />
      ) : (
        <div className={tab === "load" ? CHART_ROW : "h-14 flex-none px-6 max-[560px]:h-20"}>
          {load.error ? (
            <RequestFailure error={load.error} title="The load could not be worked out" />
          ) : (
            tab === "load" && <ChartWait />
          )}
        </div>
      )}
      {summary && summary.modelCalls.own + summary.modelCalls.inherited > 0 && (
        <FirstHints hasLine={summary.peak.loadLine !== null} sent={hints} />
      )}
      <SessionTabs
        tab={tab}
        counts={counts}
        onPick={(next) => {
          if (next === "transcript") void setBack(null);
          void setTab(next);
        }}
      >
        {tab !== "transcript" && <BackToEvent onOpen={openEvent} />}
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
          (load.view === null ? (
            <LoadTabWait />
          ) : load.view.calls.length > 0 ? (
            <LoadTab view={load.view} onOpen={openEvent} />
          ) : (
            summary && <NoCalls session={summary} />
          ))}
        {tab === "tools" && <ToolsTab onOpen={openEvent} />}
        {tab === "memory" && <MemoryTab view={load.view} turns={turns} onOpen={openEvent} />}
        {tab === "context" && load.view && <ContextTab view={load.view} onOpen={openEvent} />}
        {tab === "artifacts" && <ArtifactsTab onOpen={openEvent} />}
      </div>
    </div>
  );
}
