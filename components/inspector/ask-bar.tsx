"use client";
// jq and grep over what a view shows: the buttons, and the panel that opens in its place.
import type { ReactNode } from "react";
import { ASKS, useInspector, type Ask } from "../shared/inspector-state.ts";
import { Button } from "../ui/button.tsx";

type AskBarProps = {
  /** What may be asked of it. */
  fits: readonly Ask[];
  /** Why the others may not, for the words on hover. */
  why: string;
  children?: ReactNode;
};

export function AskBar({ fits, why, children }: AskBarProps) {
  const { ask, setAsk } = useInspector();
  return (
    <div className="flex flex-none flex-wrap items-center gap-1 border-b border-line px-4 py-1.5 text-12">
      <span className="min-w-0 flex-1 truncate text-ink-3">{children}</span>
      {ASKS.map((one) => (
        <Button
          key={one}
          small
          aria-pressed={ask === one && fits.includes(one)}
          disabled={!fits.includes(one)}
          title={fits.includes(one) ? undefined : why}
          onClick={() => setAsk(ask === one ? null : one)}
        >
          {one}
        </Button>
      ))}
    </div>
  );
}

/** In the place of what is asked: an editor and its results need the height. */
export function AskPanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className="flex min-h-0 flex-1 flex-col [&_.px-5]:px-4 [&_.px-6]:px-4">
      {children}
    </section>
  );
}
