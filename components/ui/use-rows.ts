"use client";
import { useVirtualizer, type ReactVirtualizer, type ReactVirtualizerOptions } from "@tanstack/react-virtual";

type Options = Pick<
  ReactVirtualizerOptions<HTMLElement, HTMLElement>,
  "count" | "getScrollElement" | "estimateSize" | "overscan" | "getItemKey" | "scrollPaddingStart"
>;

// The server draws the rows of a screen of this size, so that they stand before any script runs.
const FIRST_SCREEN = { width: 1440, height: 900 };

/** The rows of a long list that are on screen. */
export function useRows(options: Options): ReactVirtualizer<HTMLElement, HTMLElement> {
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used, so nothing is memoized wrongly
  return useVirtualizer<HTMLElement, HTMLElement>({ initialRect: FIRST_SCREEN, ...options });
}
