"use client";
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Pixels; never wider than the window. */
  width?: number;
  /** What has the focus first; else the first control. */
  focus?: RefObject<HTMLElement | null>;
};

/** A layer over the page. Escape and a click beside it close it; focus goes back where it was. */
export function Dialog({ open, onClose, title, children, width = 480, focus }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="appear fixed inset-0 z-40 bg-scrim" />
        <Base.Popup
          initialFocus={focus}
          // Shortcuts of the page rest while this is here (keys.ts).
          data-modal=""
          className="appear fixed top-[14vh] left-1/2 z-50 flex max-h-[72vh] max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col rounded-2 bg-raised shadow-float outline-none"
          style={{ width }}
        >
          <div className="flex flex-none items-center gap-2 px-4 pt-3 pb-1">
            <Base.Title className="flex-1 text-15 font-semibold">{title}</Base.Title>
            <Base.Close
              aria-label="Close"
              title="Close"
              className="inline-grid size-7 place-items-center rounded-2 text-ink-2 hover:bg-sunk"
            >
              <X size={14} aria-hidden="true" />
            </Base.Close>
          </div>
          <div className="min-h-0 overflow-y-auto px-4 pt-1 pb-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
