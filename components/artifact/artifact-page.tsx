"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsStringLiteral, useQueryState } from "nuqs";
import { lazy, Suspense, useMemo, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { CompareWith } from "../diff/compare-with.tsx";
import { failureOf } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ArtifactAside } from "./artifact-aside.tsx";
import { ArtifactHeader, isReadable } from "../shared/artifact-header.tsx";
import { artifactQuery } from "../shared/artifact-queries.ts";
import { Gone } from "./gone.tsx";
import { PANELS, panelsOf } from "./panels.tsx";
import { VIEWS, viewersOf, type Viewer } from "./viewers.tsx";
import "../transcript/transcript.css";

/** Fetched when it is first asked for: a dialog is some 15 kB. */
const DeleteLayer = lazy(() => import("./delete-layer.tsx").then((layer) => ({ default: layer.DeleteLayer })));

const SIDES = ["content", "history"] as const;

export function ArtifactPage({ pointer }: { pointer: string }) {
  const artifact = useQuery(artifactQuery(pointer));
  const [isAsking, setAsking] = useState(false);
  // On a wide page both stand side by side.
  const [side, setSide] = useQueryState("side", parseAsStringLiteral(SIDES).withDefault("content"));
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "Delete", label: "Delete it, after a question", group: "Artifact", run: () => setAsking(true) }],
    [],
  );
  useShortcuts(shortcuts);
  if (artifact.error) {
    const { code, message } = failureOf(artifact.error);
    return (
      <div className="p-6">
        <Failure code={code} title="This artifact cannot be shown">
          {message}
        </Failure>
      </div>
    );
  }
  if (!artifact.data)
    return (
      <div className="p-6">
        <Loading rows={8} label="Loading the artifact" />
      </div>
    );
  return (
    <>
      <ArtifactHeader artifact={artifact.data} onDelete={() => setAsking(true)} />
      <div className="flex-none border-b border-line px-6 py-2 lg:hidden max-md:px-4">
        <Segmented
          label="What is shown"
          value={side}
          options={[
            { value: "content", label: "Content" },
            { value: "history", label: "History" },
          ]}
          onPick={(next) => void setSide(next)}
        />
      </div>
      <div className="flex min-h-0 flex-1">
        <div className={`min-h-0 min-w-0 flex-1 flex-col ${side === "content" ? "flex" : "flex max-lg:hidden"}`}>
          <Content artifact={artifact.data} />
        </div>
        <aside
          aria-label="History of the artifact"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
          className={`min-h-0 overflow-y-auto border-line focus-visible:-outline-offset-2 max-lg:flex-1 lg:w-92 lg:flex-none lg:border-l ${side === "history" ? "" : "max-lg:hidden"}`}
        >
          <ArtifactAside artifact={artifact.data} />
        </aside>
      </div>
      {isAsking && artifact.data.state !== "deleted" && (
        <Suspense>
          <DeleteLayer artifact={artifact.data} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}

function Content({ artifact }: { artifact: ArtifactView }) {
  const [line] = useQueryState("line", parseAsInteger);
  const [asked, setView] = useQueryState("view", parseAsStringLiteral(VIEWS));
  const [panel, setPanel] = useQueryState("panel", parseAsStringLiteral(PANELS));
  if (!isReadable(artifact)) return <Gone artifact={artifact} />;
  if (artifact.sizeBytes === 0) return <p className="px-6 py-4 text-ink-3">It is empty: 0 bytes.</p>;
  const viewers = viewersOf(artifact);
  const of = (id: string | null) => viewers.find((viewer) => viewer.id === id);
  // An address of a line is an address of a stored line.
  const { id, View } = of(asked) ?? (line === null ? undefined : of("lines")) ?? (viewers[0] as Viewer);
  const panels = panelsOf(artifact);
  const open = panels.find((one) => one.id === panel);
  return (
    <>
      {viewers.length + panels.length > 1 && (
        <div
          id="artifact-views"
          className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-6 py-1.5 text-12 max-md:px-4"
        >
          <Segmented
            label="View"
            value={id}
            options={viewers.map((viewer) => ({ value: viewer.id, label: viewer.label }))}
            onPick={(next) => void setView(next)}
          />
          <span className="flex-1" />
          <CompareWith artifact={artifact} />
          {panels.map((one) => (
            <Button
              key={one.id}
              small
              aria-pressed={one === open}
              onClick={() => void setPanel(one === open ? null : one.id)}
            >
              {one.label}
            </Button>
          ))}
        </div>
      )}
      <div className="flex min-h-0 flex-1 flex-col">
        <Suspense fallback={<Loading rows={8} label="Loading the viewer" />}>
          <View artifact={artifact} />
        </Suspense>
      </div>
      {open && (
        <section
          aria-label={open.label}
          className="flex h-[45%] min-h-0 flex-none flex-col border-t border-line-strong"
        >
          <Suspense fallback={<Loading rows={4} label="Loading the panel" />}>
            <open.Panel artifact={artifact} />
          </Suspense>
        </section>
      )}
    </>
  );
}
