import type { ReactNode } from "react";

/** What scrolls below the head. */
export function Scroller({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      className="@container min-h-0 flex-1 overflow-y-auto px-4 py-3 focus-visible:-outline-offset-2"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <section> would be one more landmark
      role="group"
      aria-label={label}
    >
      {children}
    </div>
  );
}
