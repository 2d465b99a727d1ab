"use client";
// What is stored of an output: the whole artifact, which the model may have seen a part of; of a short one the text in the log.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Suspense, useMemo } from "react";
import type { EventView } from "#lib/wire/events-schema.ts";
import { eventText } from "#lib/kernel/event.ts";
import { panelsOf } from "../artifact/panels.tsx";
import { viewersOf } from "../artifact/viewers.tsx";
import { GrepPanel } from "../grep/grep-panel.tsx";
import { isReadable } from "../shared/artifact-header.tsx";
import { artifactQuery } from "../shared/artifact-queries.ts";
import { useInspector } from "../shared/inspector-state.ts";
import { useSession } from "../shared/session-context.tsx";
import { artifactPath, rawArtifactPath, wholeEventQuery } from "../shared/session-queries.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AskBar, AskPanel } from "./ask-bar.tsx";
import { outputOf, type RowEvents } from "./inspected-row.ts";
import { Scroller } from "./scroller.tsx";
import { TextAsk } from "./text-ask.tsx";

export function StoredView({ events }: { events: RowEvents }) {
  const output = outputOf(events);
  return output.stored === null ? <LoggedText event={output} /> : <StoredArtifact pointer={output.stored.pointer} />;
}

const waiting = (
  <div className="p-4">
    <Loading rows={6} label="Loading what is stored" />
  </div>
);

function StoredArtifact({ pointer }: { pointer: string }) {
  const { ask } = useInspector();
  const artifact = useQuery(artifactQuery(pointer));
  if (artifact.error)
    return (
      <div className="p-4">
        <RequestFailure error={artifact.error} title="The artifact could not be read" />
      </div>
    );
  if (!artifact.data) return waiting;
  const { data } = artifact;
  const facts = [formatBytes(data.sizeBytes), data.lineCount === null ? "" : formatCount(data.lineCount, "line")];
  const link = (
    <>
      <Link className="link underline" href={artifactPath(pointer)}>
        Artifact page
      </Link>
      , {facts.filter(Boolean).join(", ")},{" "}
      <a className="link underline" href={rawArtifactPath(pointer)} download>
        Download
      </a>
    </>
  );
  if (!isReadable(data))
    return (
      <>
        <AskBar fits={[]} why="Its bytes are gone">
          {link}
        </AskBar>
        <p className="px-4 py-3 text-ink-2">Its bytes are no longer readable. The log keeps what the model saw.</p>
      </>
    );
  const panels = panelsOf(data);
  const open = panels.find((one) => one.id === ask);
  const View = viewersOf(data)[0]?.View;
  return (
    <>
      <AskBar fits={panels.map((one) => one.id)} why="Not JSON: use grep">
        {link}
      </AskBar>
      <Suspense fallback={waiting}>
        {open ? (
          <AskPanel label={open.label}>
            {open.id === "grep" ? (
              <GrepPanel key={pointer} artifact={data} isFull />
            ) : (
              <open.Panel key={pointer} artifact={data} />
            )}
          </AskPanel>
        ) : (
          <div className="flex min-h-0 flex-1 flex-col [&_.px-5]:px-4 [&_.px-6]:px-4">
            {data.sizeBytes === 0 ? (
              <p className="px-4 py-3 text-ink-3">It is empty: 0 bytes.</p>
            ) : (
              View && <View artifact={data} />
            )}
          </div>
        )}
      </Suspense>
    </>
  );
}

function LoggedText({ event }: { event: EventView }) {
  const { id } = useSession();
  const { ask } = useInspector();
  const whole = useQuery({ ...wholeEventQuery(id, event.seq), enabled: event.textCut });
  const text = eventText((whole.data ?? event).body);
  const isJson = useMemo(() => holdsJson(text), [text]);
  if (event.textCut && !whole.data)
    return whole.error ? (
      <div className="p-4">
        <RequestFailure error={whole.error} title="The text could not be read" />
      </div>
    ) : (
      waiting
    );
  return (
    <>
      <AskBar fits={text === "" ? [] : isJson ? ["jq", "grep"] : ["grep"]} why={text === "" ? "No text" : "Not JSON"}>
        Text in the log, {formatBytes(event.bytes)}. No artifact.
      </AskBar>
      {ask !== null && text !== "" && (ask === "grep" || isJson) ? (
        <TextAsk ask={ask} text={text} json={text} />
      ) : (
        <Scroller label="Stored text">
          {text === "" ? (
            <p className="text-ink-3">It has no text. Raw shows the record.</p>
          ) : (
            <pre className="output break-words whitespace-pre-wrap">
              <SafeText text={text} badge />
            </pre>
          )}
        </Scroller>
      )}
    </>
  );
}

function holdsJson(text: string): boolean {
  if (!/^\s*[[{"\d\-tfn]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
