"use client";
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsStringLiteral, useQueryState } from "nuqs";
import { lazy, Suspense, useMemo, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { CompareWith } from "../diff/compare-with.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ArtifactHeader, isReadable } from "../shared/artifact-header.tsx";
import { useSeesAll } from "../ui/access-context.ts";
import { artifactQuery, historyQuery } from "../shared/artifact-queries.ts";
import { Gone } from "./gone.tsx";
import { PANELS, panelsOf } from "./panels.tsx";
import { VIEWS, viewersOf, type Viewer } from "./viewers.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AsideSection } from "./aside-section.tsx";
import { Checksum, SameBytes, ShapeOutline } from "./bytes-facts.tsx";
import { Decision } from "./decision.tsx";
import { Lineage } from "./lineage.tsx";
import { Reads } from "./reads.tsx";
import Link from "next/link";
import type { BoundName } from "#lib/wire/artifact-history-schema.ts";
import { artifactPath } from "../shared/session-queries.ts";
import { When } from "../ui/when.tsx";

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
    return (
      <div className="p-6">
        <RequestFailure error={artifact.error} title="This artifact cannot be shown" />
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
  const [request, setView] = useQueryState("view", parseAsStringLiteral(VIEWS));
  const [panel, setPanel] = useQueryState("panel", parseAsStringLiteral(PANELS));
  if (!isReadable(artifact)) return <Gone artifact={artifact} />;
  if (artifact.sizeBytes === 0) return <p className="px-6 py-4 text-ink-3">It is empty: 0 bytes.</p>;
  const viewers = viewersOf(artifact);
  const of = (id: string | null) => viewers.find((viewer) => viewer.id === id);
  // An address of a line is an address of a stored line.
  const { id, View } = of(request) ?? (line === null ? undefined : of("lines")) ?? (viewers[0] as Viewer);
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

// Everything about an artifact that is not its bytes.
function ArtifactAside({ artifact }: { artifact: ArtifactView }) {
  // Where else it was read and stored is of other sessions too.
  const seesAll = useSeesAll();
  const history = useQuery({ ...historyQuery(artifact.pointer), enabled: seesAll });
  return (
    <>
      {artifact.description !== null && artifact.description !== "" && (
        <AsideSection title="Description">
          <SafeText text={artifact.description} badge />
        </AsideSection>
      )}
      {!seesAll ? (
        <ShapeOutline artifact={artifact} />
      ) : history.data ? (
        <>
          <Lineage lineage={history.data.lineage} sessionId={artifact.sessionId} />
          <Reads reads={history.data.reads} sessionId={artifact.sessionId} sizeBytes={artifact.sizeBytes} />
          <ShapeOutline artifact={artifact} />
          <Decision decision={history.data.decision} presets={history.data.presets} origin={artifact.origin} />
          <Names names={history.data.names} />
        </>
      ) : history.error ? (
        <div className="p-5">
          <RequestFailure error={history.error} title="Its history could not be read" />
        </div>
      ) : (
        <div className="p-5">
          <Loading rows={6} label="Loading the history" />
        </div>
      )}
      {seesAll && <SameBytes artifact={artifact} />}
      <Checksum artifact={artifact} />
    </>
  );
}

/** The names that lead here, and what had them before or has them now. */
function Names({ names }: { names: readonly BoundName[] }) {
  if (names.length === 0) return null;
  const own = [...new Set(names.map(({ name }) => name))];
  return (
    <AsideSection title={own.length === 1 ? "Name" : "Names"}>
      {own.map((name) => (
        <div key={name} className="mt-1 first:mt-0">
          <div className="max-h-24 overflow-y-auto break-all text-ink">
            <SafeText text={name} badge />
          </div>
          <ul>
            {names
              .filter((bound) => bound.name === name)
              .map((bound) => (
                <li key={`${bound.pointer} ${bound.boundAt}`} className="flex gap-2">
                  <span className="flex-1">
                    {bound.isThis ? (
                      <span className="text-ink">this artifact</span>
                    ) : (
                      <Link className="link" href={artifactPath(bound.pointer)}>
                        {bound.isCurrent ? "a later artifact" : "another artifact"}
                      </Link>
                    )}
                    {bound.isCurrent && <span className="text-ink-3">, found by it now</span>}
                  </span>
                  <span className="text-ink-3">
                    <When ts={bound.boundAt} />
                  </span>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </AsideSection>
  );
}
