import type { ReactNode } from "react";

type BadgeProps = {
  children: ReactNode;
  /** error: inverted ink (weight, not hue). live: with the accent dot. quiet: no edge. */
  tone?: "plain" | "error" | "live" | "quiet";
  title?: string;
};

const TONES = {
  plain: "px-1.25 shadow-[inset_0_0_0_1px_var(--line-strong)]",
  live: "px-1.25 shadow-[inset_0_0_0_1px_var(--line-strong)]",
  error: "bg-ink px-1.25 text-invert",
  quiet: "text-ink-2",
};

export function Badge({ children, tone = "plain", title }: BadgeProps) {
  return (
    <span
      title={title}
      className={`inline-flex h-4.5 flex-none items-center gap-1 rounded-1 text-11 font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {tone === "live" && <LiveDot small />}
      {children}
    </span>
  );
}

export function LiveDot({ small = false }: { small?: boolean }) {
  return (
    <span
      className={`size-[7px] flex-none rounded-full bg-accent shadow-[0_0_0_3px_var(--accent-soft)] ${small ? "mx-0.5 scale-75" : ""}`}
      aria-hidden="true"
    />
  );
}
