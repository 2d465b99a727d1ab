// What the rows of a transcript are put together from.
import type { ReactNode } from "react";
import "./event.css";

/** The first line of a row; `isPartial` while its body has not come. */
export function EventHead({ isPartial = false, children }: { isPartial?: boolean; children: ReactNode }) {
  return (
    <div
      className={`flex min-h-5 min-w-0 items-center gap-2 max-[900px]:flex-wrap max-[900px]:gap-y-0.5 ${isPartial ? "text-ink-3" : ""}`}
      data-head
      data-partial={isPartial ? "" : undefined}
    >
      {children}
    </div>
  );
}

type CapLineProps = {
  /** Absent where nothing can be opened here. */
  toggle?: (() => void) | undefined;
  open?: boolean;
  /** How much is shown. */
  says: ReactNode;
  /** Beside the button. */
  children?: ReactNode;
};

/** Every cap is said, with the way to the rest. */
export function CapLine({ says, toggle, open = false, children }: CapLineProps) {
  return (
    <p className="mt-1 flex items-center gap-2 pl-3 font-sans text-12 text-ink-3 max-[900px]:flex-wrap" data-beside>
      {says !== null && <span>{says}</span>}
      {toggle && (
        <button type="button" className="link" aria-expanded={open} onClick={toggle}>
          {open ? "Show less" : "Show all"}
        </button>
      )}
      {children}
    </p>
  );
}
