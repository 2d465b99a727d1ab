// The observed windows as they are kept: the load at which sessions of a model were compacted, in the middle of them.
import type { Archive } from "../archive.ts";
import { plucked } from "./prepared.ts";

export const OBSERVED_WINDOWS = "windows.observed";
export type ObservedWindows = Readonly<Record<string, number>>;

const kept = new WeakMap<Archive, { readonly text: string; readonly windows: ObservedWindows }>();

/** The load at which other sessions of this model were compacted, or null. Another thread may have written it. */
export function observedWindow(archive: Archive, model: string | null): number | null {
  if (model === null) return null;
  const text = plucked(archive.sqlite, "SELECT value FROM settings WHERE key = ?").get(OBSERVED_WINDOWS);
  if (typeof text !== "string") return null;
  let held = kept.get(archive);
  if (held?.text !== text) kept.set(archive, (held = { text, windows: JSON.parse(text) as ObservedWindows }));
  return Object.hasOwn(held.windows, model) ? held.windows[model]! : null;
}
