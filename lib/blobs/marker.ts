// A file named .staging-<pid>-<area> stands in the root while that staging area has temporary files. Without it, opening
// the archive would have to look into up to 65,536 folders for leftovers; with it, only after a crash.
import { closeSync, openSync } from "node:fs";
import { unlinkQuietly } from "./leftovers.ts";

export type Marker = {
  /** Counts a temporary file in; the first one puts up the marker. */
  begin(): void;
  /** Counts it out; the last one takes the marker down, or leaves it for the next put to find, which may come soon. */
  end(options?: { readonly linger: boolean }): void;
  close(): void;
};

// Small puts come one after the other: making and removing the marker for each of them cost the thread that asks 0.1 ms
// a time, a twentieth of 10,000 puts.
const LINGER_MS = 500;

/** `prepare` makes the folder in which the marker stands. */
export function markerAt(path: string, prepare: () => void): Marker {
  let count = 0;
  let isUp = false;
  let soon: NodeJS.Timeout | null = null;

  function takeDown(): void {
    if (soon !== null) clearTimeout(soon);
    soon = null;
    if (count > 0 || !isUp) return;
    unlinkQuietly(path);
    isUp = false;
  }

  return {
    begin() {
      if (count === 0 && !isUp) {
        prepare();
        closeSync(openSync(path, "w", 0o600));
        isUp = true;
      }
      count++;
    },
    end(options) {
      if (--count > 0) return;
      if (options?.linger === true) soon ??= setTimeout(takeDown, LINGER_MS).unref();
      else takeDown();
    },
    close: takeDown,
  };
}
