type GaugeProps = {
  /** Load as a share of the load line; may be over 1. */
  share: number;
  /** In words, for those who do not see it. */
  label: string;
  width?: number;
};

// The line stands at 7/8 of the bar, so that an overshoot has somewhere to go on.
const LINE_AT = 0.875;

export function Gauge({ share, label, width = 88 }: GaugeProps) {
  const filled = Math.min(1, Math.max(0, share) * LINE_AT);
  return (
    <span
      style={{ width }}
      className="relative inline-block h-2 flex-none rounded-[2px] bg-sunk shadow-[inset_0_0_0_1px_var(--line)]"
    >
      <span className="sr-only">{label}</span>
      <i className="absolute inset-y-0 left-0 rounded-l-[2px] bg-ink-2" style={{ width: `${filled * 100}%` }} />
      <u className="absolute -inset-y-[3px] w-0.5 rounded-[1px] bg-load" style={{ left: `${LINE_AT * 100}%` }} />
    </span>
  );
}

type ProgressProps = { done: number; of: number; label: string; width?: number };

/** How far some work is: 4 px, no tick. */
export function Progress({ done, of, label, width = 96 }: ProgressProps) {
  return (
    <progress
      value={of > 0 ? Math.min(done, of) : undefined}
      max={of > 0 ? of : undefined}
      aria-label={label}
      style={{ width }}
      className="progress h-1 flex-none"
    />
  );
}
