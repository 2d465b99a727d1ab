import type { Fate } from "./compact-view.ts";

export const FATE_NAMES: Record<Fate, string> = {
  kept: "Kept",
  summarised: "Summarised",
  dropped: "Dropped from the context",
};

/** Full square kept, half square summarised, dotted square dropped: shape, not colour. */
export function FateGlyph({ fate }: { fate: Fate }) {
  return (
    <svg width="12" height="12" aria-hidden="true">
      {fate === "kept" && <rect x="1" y="1" width="10" height="10" rx="1.5" fill="var(--ink)" />}
      {fate === "summarised" && (
        <>
          <rect x="1" y="1" width="10" height="10" rx="1.5" fill="none" stroke="var(--ink)" />
          <path d="M1 6h10v4a1 1 0 01-1 1H2a1 1 0 01-1-1z" fill="var(--ink)" />
        </>
      )}
      {fate === "dropped" && (
        <rect x="1.5" y="1.5" width="9" height="9" rx="1" fill="none" stroke="var(--ink-3)" strokeDasharray="2 1.5" />
      )}
    </svg>
  );
}
