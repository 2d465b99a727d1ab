// Values of `is:` in a query. Apart from the other fields: every page leaves out the one that is still typed.

export const SEARCH_STATES = ["error", "starred"] as const;
export type SearchState = (typeof SEARCH_STATES)[number];
