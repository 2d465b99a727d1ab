// How far a regular expression was tried, where it was not on all that it could be in.
import { exactly } from "../exactly.ts";

/** `matches` of `of` events; `hasOlder`: those are the newest, and there are more. */
type Scanned = { readonly matches: number; readonly of: number; readonly hasOlder: boolean };

export function scannedNote({ matches, of, hasOlder }: Scanned): string {
  const all = `${hasOlder ? "the newest " : ""}${exactly(of)} events`;
  const tried = hasOlder && matches === of ? all : `${exactly(matches)} of ${all}`;
  return `The expression was tried on ${tried}. Add words or filters.`;
}
