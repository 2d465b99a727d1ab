"use client";
import {
  cloneElement,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from "react";
import { FloatingNote } from "./floating-note.tsx";

type TipProps = { text: ReactNode; children: ReactElement<Record<string, unknown>> };

const HOVER_MS = 400;

/** A note over one button: a click or a tap opens it until the next, a mouse that rests there until it leaves. */
export function Tip({ text, children }: TipProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [open, setOpen] = useState<"click" | "hover" | null>(null);
  // A mouse that entered on a busy machine is told of late: its note is not to open again behind an Escape.
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setOpen(null);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <>
      {cloneElement(children, {
        ref: button,
        "aria-expanded": open !== null,
        "aria-describedby": open === null ? undefined : id,
        onClick: () => {
          clearTimeout(timer.current);
          setOpen(open === "click" ? null : "click");
        },
        onPointerEnter: (event: { pointerType: string }) => {
          if (event.pointerType !== "mouse") return;
          timer.current = setTimeout(() => setOpen((now) => now ?? "hover"), HOVER_MS);
        },
        onPointerLeave: () => {
          clearTimeout(timer.current);
          setOpen((now) => (now === "hover" ? null : now));
        },
      })}
      {open !== null && (
        <FloatingNote anchor={button} onClose={close} id={id}>
          {text}
        </FloatingNote>
      )}
    </>
  );
}
