"use client";
// A row whose text is folded away until it is asked for: reasoning, system text, records that are not conversation.
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { SafeText } from "../ui/safe-text.tsx";
import { EventHead } from "./event-parts.tsx";

type FoldProps = {
  name: string;
  /** The first words, beside the name. */
  glimpse: string;
  open: boolean;
  toggle: () => void;
  marks?: ReactNode;
  children: ReactNode;
};

export function Fold({ name, glimpse, open, toggle, marks, children }: FoldProps) {
  return (
    <div>
      <EventHead>
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="flex min-w-0 items-center gap-2 text-left"
        >
          <ChevronRight
            size={12}
            aria-hidden="true"
            className={`flex-none text-ink-3 transition-transform duration-[90ms] ${open ? "rotate-90" : ""}`}
          />
          <span className={`flex-none truncate text-ink-2 ${open ? "max-w-full" : "max-w-1/2"}`}>
            <SafeText text={name} />
          </span>
          {!open && (
            <span className="min-w-0 truncate text-ink-3">
              <SafeText text={glimpse.slice(0, 240)} />
            </span>
          )}
        </button>
        {marks}
      </EventHead>
      {open && <div className="mt-1 pl-5">{children}</div>}
    </div>
  );
}
