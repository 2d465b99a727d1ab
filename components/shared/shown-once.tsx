"use client";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

type ShownOnceProps = {
  label: string;
  /** What to do with it, as a sentence. */
  title: ReactNode;
  secret: string;
  onDone?: () => void;
  /** Beside the button that copies it. */
  actions?: ReactNode;
  children?: ReactNode;
};

const focused = (box: HTMLElement | null): void => box?.focus();

/**
 * A secret, the one time that it is shown. It lives in this page's memory and nowhere else of the browser. It takes the focus, since the
 * button that made it is disabled or gone, and a screen reader is to say it.
 */
export function ShownOnce({ label, title, secret, onDone, actions, children }: ShownOnceProps) {
  return (
    <section ref={focused} tabIndex={-1} aria-label={label} className="mt-4 border-l-2 border-ink bg-sunk px-4 py-3">
      <p className="font-medium">{title} It is not shown again.</p>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="mono break-all">{secret}</code>
        <CopyButton text={() => secret}>Copy</CopyButton>
        {actions}
        {onDone !== undefined && (
          <Button small onClick={onDone}>
            Done
          </Button>
        )}
      </p>
      {children}
    </section>
  );
}
