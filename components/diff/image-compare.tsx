"use client";
// Two images beside each other, each region that differs marked on both; the first one is shown at once.
import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import type { CompareSide } from "./compare-side.ts";
import { imageRegions, type ImageDifference, type Region } from "./image-regions.ts";

type ImageCompareProps = { left: CompareSide; right: CompareSide };

/** Pixels of an image that are compared; more take a browser's memory. */
const MOST_PIXELS = 40_000_000;

type Compared = {
  readonly sizes: readonly [Size, Size];
  /** Null where the sizes differ, or are too large. */
  readonly difference: ImageDifference | null;
};
type Size = { readonly width: number; readonly height: number };

const srcOf = ({ rawHref }: CompareSide): string => `${rawHref}?inline=1`;

export function ImageCompare({ left, right }: ImageCompareProps) {
  const compared = useQuery({
    queryKey: ["image-compare", left.identity, right.identity],
    queryFn: () => compare(srcOf(left), srcOf(right)),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: false,
  });
  const [at, setAt] = useState(0);
  const regions = compared.data?.difference?.regions ?? [];
  const step = (by: 1 | -1) => setAt((now) => Math.min(Math.max(now + by, 0), Math.max(0, regions.length - 1)));
  const now = useRef(step);
  useEffect(() => {
    now.current = step;
  });
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "n", label: "Next change", group: "Comparison", run: () => now.current(1) },
      { keys: "p", label: "Change before", group: "Comparison", run: () => now.current(-1) },
    ],
    [],
  );
  useShortcuts(shortcuts);
  if (compared.error)
    return (
      <div className="border-t border-line px-6 py-4">
        <RequestFailure error={compared.error} title="These images could not be compared" />
      </div>
    );
  if (!compared.data)
    return (
      <div className="border-t border-line px-6 py-4">
        <Loading rows={6} label="Comparing the images" />
      </div>
    );
  const { sizes } = compared.data;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-none flex-wrap items-center gap-2 border-y border-line px-6 py-1.5 text-12 max-md:px-4">
        <output aria-label="What differs" className="text-ink-2">
          {differenceWords(compared.data)}
          {regions.length > 0 && <span className="text-ink-3">, at {formatTokens(at + 1)}</span>}
        </output>
        <span className="flex-1" />
        <Button small disabled={regions.length === 0} title="Change before (p)" onClick={() => step(-1)}>
          <ArrowUp size={12} aria-hidden="true" />
          Before
        </Button>
        <Button small disabled={regions.length === 0} title="Next change (n)" onClick={() => step(1)}>
          <ArrowDown size={12} aria-hidden="true" />
          Next
        </Button>
      </div>
      <div className="grid min-h-0 flex-1 grid-cols-2 divide-x divide-line-strong">
        {[left, right].map((artifact, side) => (
          <Side
            key={side === 0 ? "left" : "right"}
            artifact={artifact}
            name={side === 0 ? "Left image" : "Right image"}
            size={sizes[side]!}
            region={regions[at] ?? null}
          />
        ))}
      </div>
    </div>
  );
}

export function differenceWords({ sizes: [a, b], difference }: Compared): string {
  const size = ({ width, height }: Size): string => `${formatTokens(width)} × ${formatTokens(height)}`;
  if (a.width !== b.width || a.height !== b.height) return `Their sizes differ: ${size(a)} and ${size(b)} px`;
  if (difference === null) return `${size(a)} px: too large to compare by pixels`;
  if (difference.pixels === 0) return "Every pixel is the same; only the files differ";
  const { pixels, regions } = difference;
  const share = formatPercent(pixels / (a.width * a.height));
  return `${formatCount(pixels, "pixel differs", "pixels differ")} (${share}) in ${formatCount(regions.length, "region")}`;
}

type SideProps = { artifact: CompareSide; name: string; size: Size; region: Region | null };

/** Room around a region, so that its frame is seen and not its pixels covered (px). */
const AROUND = 4;

function Side({ artifact, name, size, region }: SideProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (region !== null) frame.current?.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  }, [region]);
  return (
    <section
      aria-label={name}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="min-h-0 min-w-0 overflow-auto p-6 focus-visible:-outline-offset-2 max-md:p-3"
    >
      <div className="relative w-fit">
        <img
          src={srcOf(artifact)}
          alt={shownText(artifact.name)}
          {...size}
          className="max-w-none [background:repeating-conic-gradient(var(--bg-sunk)_0_25%,var(--bg-raised)_0_50%)_0_0/16px_16px] outline outline-line"
        />
        {region !== null && (
          <i
            ref={frame}
            data-region
            aria-hidden="true"
            className="absolute rounded-1 outline-2 outline-accent"
            style={{
              left: region.x - AROUND,
              top: region.y - AROUND,
              width: region.width + 2 * AROUND,
              height: region.height + 2 * AROUND,
            }}
          />
        )}
      </div>
    </section>
  );
}

async function compare(left: string, right: string): Promise<Compared> {
  const [a, b] = await Promise.all([drawn(left, "left"), drawn(right, "right")]);
  const sizes: Compared["sizes"] = [
    { width: a.naturalWidth, height: a.naturalHeight },
    { width: b.naturalWidth, height: b.naturalHeight },
  ];
  const [{ width, height }, other] = sizes;
  if (width !== other.width || height !== other.height || width * height > MOST_PIXELS)
    return { sizes, difference: null };
  return { sizes, difference: imageRegions(pixelsOf(a), pixelsOf(b), width) };
}

async function drawn(src: string, side: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = src;
  await image.decode().catch((cause: unknown) => {
    throw new Error(`The ${side} image cannot be drawn: it may be cut or damaged. Look at its bytes as hex.`, {
      cause,
    });
  });
  return image;
}

function pixelsOf(image: HTMLImageElement): Uint8ClampedArray {
  const { naturalWidth, naturalHeight } = image;
  const canvas = new OffscreenCanvas(naturalWidth, naturalHeight);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null)
    throw new Error("This browser gives no pixels of an image. Compare the files by their digests.");
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, naturalWidth, naturalHeight).data;
}
