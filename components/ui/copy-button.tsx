"use client";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";

const SAID_MS = 1600;

/** Copies a text, and says that it did. */
export function CopyButton({ text, children }: { text: () => string; children: string }) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  const copy = async () => {
    const ended = await navigator.clipboard.writeText(text()).then(
      () => "done" as const,
      () => "failed" as const,
    );
    setState(ended);
    setTimeout(() => setState("idle"), SAID_MS);
  };
  return (
    <Button small kind="quiet" onClick={() => void copy()}>
      {state === "done" ? <Check size={12} aria-hidden="true" /> : <Copy size={12} aria-hidden="true" />}
      <span aria-live="polite">
        {state === "done" ? "Copied" : state === "failed" ? "The browser did not let it" : children}
      </span>
    </Button>
  );
}
