"use client";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";

const SAID_MS = 1600;

/** Copies a text that is fetched first, and says that it did, or why not. */
export function CopyText({
  text,
  title,
  children,
}: {
  text: () => Promise<string>;
  title?: string | undefined;
  children: string;
}) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const ended = await text()
      .then((copied) => navigator.clipboard.writeText(copied))
      .then(
        () => "Copied",
        (error: unknown) => (error instanceof DOMException ? "The browser did not let it" : (error as Error).message),
      );
    setSaid(ended);
    setTimeout(() => setSaid(null), SAID_MS);
  };
  return (
    <Button small kind="quiet" title={title} onClick={() => void copy()}>
      {said === "Copied" ? <Check size={12} aria-hidden="true" /> : <Copy size={12} aria-hidden="true" />}
      <span aria-live="polite">{said ?? children}</span>
    </Button>
  );
}
