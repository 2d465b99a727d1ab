"use client";
// The keyboard. Whoever shows something registers its shortcuts while it is on screen; one listener
// on the window finds the match, and `?` shows the list. Sequences ("g s") wait a second for their next key.
import { useEffect, useSyncExternalStore } from "react";
import { isMac } from "./platform.ts";

export type Shortcut = {
  /** `j`, `J`, `/`, `Space`, `mod+k`, `shift+ArrowLeft`, `g s`. `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: string;
  readonly label: string;
  readonly group: string;
  /** False where what has the focus takes the key itself: arrows in a box that scrolls. */
  readonly isFor?: (target: EventTarget | null) => boolean;
  /** Also while a field has the focus. */
  readonly inFields?: boolean;
  readonly run: (event: KeyboardEvent) => void;
};

const SEQUENCE_MS = 1000;
const lists = new Set<readonly Shortcut[]>();
const watchers = new Set<() => void>();
let all: readonly Shortcut[] = [];
let pressed: string[] = [];
let last = 0;

/** Holds the shortcuts while the component is shown. The list must be stable (useMemo or a constant). */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    if (lists.size === 0) window.addEventListener("keydown", onKey);
    lists.add(shortcuts);
    changed();
    return () => {
      lists.delete(shortcuts);
      if (lists.size === 0) window.removeEventListener("keydown", onKey);
      changed();
    };
  }, [shortcuts]);
}

/** All shortcuts that hold now. */
export function useAllShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (notify) => {
      watchers.add(notify);
      return () => watchers.delete(notify);
    },
    () => all,
    () => all,
  );
}

function changed(): void {
  all = [...lists].flat();
  // For whoever drives a page, such as a test: a key that comes before its shortcut holds is lost.
  document.documentElement.dataset["shortcuts"] = all.map(({ keys }) => keys.replace(" ", "-")).join(" ");
  for (const notify of watchers) notify();
}

function onKey(event: KeyboardEvent): void {
  const name = keyName(event, isMac());
  if (name === null || event.defaultPrevented || event.isComposing) return;
  // What is under a dialog is out of reach, for keys too.
  if (document.querySelector("[data-modal]") !== null) {
    pressed = [];
    return;
  }
  // Enter belongs to the link or button that has the focus, where one has it.
  if (name === "Enter" && event.target !== document.body) return;
  const typing = isTyping(event.target);
  pressed = event.timeStamp - last > SEQUENCE_MS ? [name] : [...pressed, name];
  last = event.timeStamp;
  const usable = all.filter(({ inFields, isFor }) => (!typing || inFields === true) && (isFor?.(event.target) ?? true));
  const found = matchKeys(pressed, usable);
  if (found === "part") return;
  pressed = [];
  if (found === null) return;
  event.preventDefault();
  found.run(event);
}

/** The shortcut that the pressed keys end in; "part" when they begin a longer one. Later lists win. */
export function matchKeys(pressed: readonly string[], shortcuts: readonly Shortcut[]): Shortcut | "part" | null {
  for (let from = 0; from < pressed.length; from += 1) {
    const tail = pressed.slice(from).join(" ");
    const found = shortcuts.findLast((shortcut) => shortcut.keys === tail);
    if (found) return found;
    if (shortcuts.some((shortcut) => shortcut.keys.startsWith(`${tail} `))) return "part";
  }
  return null;
}

type KeyPress = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">;

/** `j`, `J`, `?`, `ArrowDown`, `shift+ArrowLeft`, `mod+k`; null for a bare modifier. */
export function keyName(event: KeyPress, mac: boolean): string | null {
  if (["Shift", "Control", "Alt", "Meta", "AltGraph", "Dead"].includes(event.key)) return null;
  // The other of the two is the system's or the browser's: Ctrl+K on a Mac deletes to the end of a line.
  if (mac ? event.ctrlKey : event.metaKey) return null;
  if (mac ? event.metaKey : event.ctrlKey) return `mod+${event.key.toLowerCase()}`;
  // A space parts the keys of a sequence; with Shift it is the browser's way up.
  if (event.key === " ") return event.shiftKey ? null : "Space";
  if (!event.key.startsWith("Arrow")) return event.key;
  // Alt and an arrow is the browser's way back.
  if (event.altKey) return null;
  return event.shiftKey ? `shift+${event.key}` : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  if (target.closest('[role="menu"],[role="listbox"]')) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type);
}
