import { SEARCH_STATES } from "#lib/kernel/search/search-states.ts";
import { defaultRateLimit } from "nuqs";

/** What is typed stands in the URL now. */
export const AT_ONCE = { limitUrlUpdates: defaultRateLimit };

/**
 * When what was typed goes into the URL: after a pause, as its parser says; emptied, at once. A link that is opened while
 * an update of the old page's URL is still to come would be taken back by it.
 */
export const whenTyped = (text: string) => (text === "" ? AT_ONCE : {});

/** A field whose value is still to be typed. */
const UNFINISHED = /(?:^|\s)-?[a-z]+:"?$/iu;
const STATE = /(?:^|\s)-?is:([a-z]+)$/iu;

/** The query as it is asked while it is typed: what is not written to its end is left out. */
export const askedQuery = (q: string): string =>
  q
    .trim()
    .replace(UNFINISHED, "")
    .replace(STATE, (whole: string, typed: string) => (isBegun(typed.toLowerCase()) ? "" : whole));

const isBegun = (typed: string): boolean => SEARCH_STATES.some((state) => state !== typed && state.startsWith(typed));
