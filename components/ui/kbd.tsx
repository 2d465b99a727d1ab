"use client";
import type { ReactNode } from "react";
import { useIsMac } from "./platform-context.ts";
import { keyLabels } from "./platform.ts";

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="flex-none rounded-1 border border-line bg-sunk px-1 text-11 text-ink-3">{children}</kbd>;
}

/** A shortcut as the reader's keyboard has it: `mod+k` is ⌘K or Ctrl+K, `g s` two keys. */
export function Keys({ keys }: { keys: string }) {
  return keyLabels(keys, useIsMac()).map((label, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the presses of one shortcut never move
    <Kbd key={at}>{label}</Kbd>
  ));
}
