"use client";
// A note beside something: under it, above it where there is no room, and never beyond the window.
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { createPortal } from "react-dom";

export type FloatingNoteProps = {
  anchor: RefObject<Element | null>;
  onClose: () => void;
  id?: string;
  children: ReactNode;
};

const GAP_PX = 6;
const EDGE_PX = 8;

/** Escape, a press beside it and a scroll close it. */
export function FloatingBox({ anchor, onClose, id, children }: FloatingNoteProps) {
  const box = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState<{ left: number; top: number } | null>(null);
  useLayoutEffect(() => {
    const over = anchor.current?.getBoundingClientRect();
    const own = box.current?.getBoundingClientRect();
    if (!over || !own) return;
    const below = over.bottom + GAP_PX;
    const isFitting = below + own.height <= window.innerHeight - EDGE_PX;
    setPosition({
      left: Math.max(EDGE_PX, Math.min(over.left, window.innerWidth - own.width - EDGE_PX)),
      top: isFitting ? below : Math.max(EDGE_PX, over.top - own.height - GAP_PX),
    });
  }, [anchor]);
  // Before it is painted: a key that is pressed at once reaches it too.
  useLayoutEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const isInside = ({ target }: Event) =>
      target instanceof Node && (box.current?.contains(target) || anchor.current?.contains(target));
    document.addEventListener("pointerdown", (event) => !isInside(event) && onClose(), { signal, capture: true });
    document.addEventListener("scroll", (event) => !isInside(event) && onClose(), { signal, capture: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && onClose(), { signal });
    return () => end.abort();
  }, [anchor, onClose]);
  return createPortal(
    <div
      ref={box}
      id={id}
      role="tooltip"
      className="fixed z-60 max-w-[min(360px,calc(100vw-16px))] rounded-2 bg-raised px-3 py-2 text-left text-12 break-words text-ink shadow-float"
      style={position ?? { left: 0, top: 0, visibility: "hidden" }}
    >
      {children}
    </div>,
    document.body,
  );
}
