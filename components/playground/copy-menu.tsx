"use client";
import { Check, ChevronDown, Copy } from "lucide-react";
import { useState } from "react";
import { buttonClass } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { copyOf, whyNot, type CopyKind } from "./copy-run.ts";
import type { Desk } from "./use-desk.ts";

const KINDS: readonly { readonly kind: CopyKind; readonly label: string; readonly about: string }[] = [
  { kind: "jq", label: "jq command", about: "a shell with jq" },
  { kind: "curl", label: "curl", about: "the HTTP door" },
  { kind: "plimsoll", label: "plimsoll jq", about: "our command line" },
  { kind: "mcp", label: "MCP call", about: "tools/call artifact_jq" },
];

const SAID_MS = 1600;

/** The same question for another program. */
export function CopyMenu({ desk, small = false }: { desk: Desk; small?: boolean }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async (kind: CopyKind, label: string) => {
    const request = desk.request();
    const why = whyNot(kind, request);
    const done =
      why === null &&
      (await navigator.clipboard.writeText(copyOf(kind, request, window.location.origin)).then(
        () => true,
        () => false,
      ));
    setSaid(done ? `Copied: ${label}` : why === null ? "The browser did not let it" : `Not copied: ${why}`);
    setTimeout(() => setSaid(null), done ? SAID_MS : 3 * SAID_MS);
  };
  return (
    <Menu
      label="Copy as"
      align="end"
      triggerClass={buttonClass("plain", small)}
      trigger={
        <>
          {said?.startsWith("Copied") ? <Check size={12} aria-hidden="true" /> : <Copy size={12} aria-hidden="true" />}
          <span aria-live="polite">{said ?? "Copy as"}</span>
          <ChevronDown size={11} aria-hidden="true" className="text-ink-3" />
        </>
      }
      items={KINDS.map(({ kind, label, about }) => ({
        id: kind,
        label,
        hint: about,
        onPick: () => void copy(kind, label),
      }))}
    />
  );
}
