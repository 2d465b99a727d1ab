import { expect, test } from "vitest";
import { scannedNote } from "./scanned-note.ts";

test("a search says on how many events an expression was tried, and where they are the newest alone", () => {
  const said = (matches: number, of: number, hasOlder: boolean) => scannedNote({ matches, of, hasOlder });
  expect([said(1200, 50_000, false), said(50_000, 50_000, true), said(1200, 50_000, true)]).toEqual([
    "The expression was tried on 1,200 of 50,000 events. Add words or filters.",
    "The expression was tried on the newest 50,000 events. Add words or filters.",
    "The expression was tried on 1,200 of the newest 50,000 events. Add words or filters.",
  ]);
});
