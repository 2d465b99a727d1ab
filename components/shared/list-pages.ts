// A list that is all here, as the table of pages takes it.
import type { Pages } from "../ui/use-pages.ts";

export const listPages = <Row>(rows: readonly Row[], name = ""): Pages<null, Row> => ({
  name,
  answer: null,
  total: rows.length,
  failure: null,
  isOld: false,
  retry: () => undefined,
  rowAt: (index) => rows[index] ?? null,
  look: () => {},
  lookAt: () => {},
  loaded: new Map(),
});
