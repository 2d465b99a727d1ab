"use client";
// An image at its own size or fitted, what it weighs in a context, and its bytes where the browser cannot draw it.
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { imageEstimates } from "#lib/kernel/load/image-tokens.ts";
import { rawArtifactPath } from "../shared/session-queries.ts";
import { formatBytes } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { HexViewer } from "./hex-viewer.tsx";

const ZOOMS = ["fit", "whole"] as const;

export function ImageViewer({ artifact }: { artifact: ArtifactView }) {
  const [zoom, setZoom] = useQueryState("zoom", parseAsStringLiteral(ZOOMS).withDefault("fit"));
  const [isBroken, setBroken] = useState(false);
  const [isPart, setPart] = useState(false);
  // Read from the bytes when it was stored; of other formats the browser knows it when it has drawn them.
  const [drawn, setDrawn] = useState<{ width: number; height: number } | null>(null);
  // It may have been drawn, or given up, before this page was alive to hear of it. One that is cut short is called loaded
  // by its head; that pixels are missing shows when they are taken from it.
  const look = useCallback((image: HTMLImageElement | null) => {
    if (!image?.complete) return;
    if (image.naturalWidth === 0) return setBroken(true);
    setDrawn({ width: image.naturalWidth, height: image.naturalHeight });
    createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 }).then(
      (bitmap) => bitmap.close(),
      () => setPart(true),
    );
  }, []);
  if (isBroken)
    return (
      <>
        <p className="flex-none border-b border-line px-6 py-1.5 text-12 text-ink-2 max-md:px-4">
          This browser cannot draw it as {shownText(artifact.contentType)}. It may be cut or damaged.
        </p>
        <HexViewer artifact={artifact} />
      </>
    );
  const size =
    artifact.width !== null && artifact.height !== null ? { width: artifact.width, height: artifact.height } : drawn;
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-6 py-1.5 text-12 text-ink-3 max-md:px-4">
        <Segmented
          label="Size"
          value={zoom}
          options={[
            { value: "fit", label: "Fit" },
            { value: "whole", label: "100\u2009%" },
          ]}
          onPick={(next) => void setZoom(next)}
        />
        <span>
          {size && `${size.width.toLocaleString("en-US")} × ${size.height.toLocaleString("en-US")} px, `}
          {formatBytes(artifact.sizeBytes)}
        </span>
        {isPart && <span className="text-ink">Cut short or damaged. All bytes are under Hex.</span>}
      </div>
      <section
        aria-label="The image"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className={`min-h-0 flex-1 p-6 focus-visible:-outline-offset-2 ${zoom === "fit" ? "flex overflow-hidden" : "overflow-auto"}`}
      >
        <img
          ref={look}
          src={`${rawArtifactPath(artifact.pointer)}?inline=1`}
          alt={shownText(artifact.name ?? `The image ${artifact.id}`)}
          width={artifact.width ?? undefined}
          height={artifact.height ?? undefined}
          onError={() => setBroken(true)}
          onLoad={(event) => look(event.currentTarget)}
          className={`[background:repeating-conic-gradient(var(--bg-sunk)_0_25%,var(--bg-raised)_0_50%)_0_0/16px_16px] outline outline-line ${zoom === "fit" ? "m-auto h-auto max-h-full w-auto max-w-full object-contain" : "max-w-none"}`}
        />
      </section>
      {size && <Weights {...size} />}
    </>
  );
}

/** What it would add to a context, by provider. */
function Weights({ width, height }: { width: number; height: number }) {
  return (
    <div className="flex-none border-t border-line px-6 py-2 text-12 max-md:px-4">
      <p className="text-ink-3">The image alone, by the rule of each provider:</p>
      <dl className="grid grid-cols-[max-content_max-content_1fr] gap-x-4 gap-y-0.5">
        {imageEstimates(width, height).map(({ family, tokens, rule }) => (
          <div key={family} className="contents" title={`Estimated: ${rule}`}>
            <dt className="text-ink-2">{family}</dt>
            <dd className="num font-medium">
              <Num value={tokens} origin="estimated" /> tokens
            </dd>
            <dd className="text-ink-3 max-sm:invisible max-sm:truncate">estimated: {rule}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
