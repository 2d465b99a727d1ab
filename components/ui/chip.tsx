import { X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";

type ChipProps = ComponentProps<"button"> & { on?: boolean; hint?: ReactNode; onClear?: () => void };

export function chipClass(on: boolean): string {
  return `inline-flex h-6 flex-none items-center gap-1.5 rounded-1 px-2 text-12 whitespace-nowrap hover:bg-sunk ${
    on ? "bg-select font-medium text-ink" : "text-ink-2"
  }`;
}

/** A filter: pressed when it holds, with what it holds or how many beside its name. */
export function Chip({ on = false, hint, onClear, className = "", children, ...rest }: ChipProps) {
  const button = (
    <button type="button" aria-pressed={on} {...rest} className={`${chipClass(on)} ${className}`}>
      {children}
      {hint !== undefined && <span className="font-normal text-ink-3">{hint}</span>}
    </button>
  );
  if (!on || !onClear) return button;
  return (
    <span className="inline-flex flex-none items-center rounded-1 bg-select">
      {button}
      <ClearChip onClear={onClear} />
    </span>
  );
}

export function ClearChip({ onClear, label = "Clear this filter" }: { onClear: () => void; label?: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClear}
      className="-ml-1 inline-grid h-6 w-5 place-items-center rounded-1 text-ink-3 hover:text-ink"
    >
      <X size={11} aria-hidden="true" />
    </button>
  );
}
