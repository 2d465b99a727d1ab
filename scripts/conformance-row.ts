// A row of docs/conformance.md.
export type Requirement = {
  readonly id: string;
  readonly sentence: string;
  readonly design: string;
  readonly file: string;
  readonly title: string;
  /** `plimsoll X`, `METHOD /api/…`, `page /…`, `library: Name`; `to be built` where a user cannot reach it yet. */
  readonly door: string;
};
