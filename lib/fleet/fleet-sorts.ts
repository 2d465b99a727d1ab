// What a list may be sorted by, as columns of the catalogue.
import type { SessionsQuery } from "#lib/wire/sessions-schema.ts";

export type Sort = SessionsQuery["sort"];

export const SORTS: Readonly<Record<Sort, string>> = {
  active: "ended_at",
  started: "started_at",
  title: "lower(title)",
  turns: "turns",
  calls: "calls",
  peak: "peak_share",
  compactions: "compactions",
  artifacts: "artifacts",
  cost: "usd",
  avoidable: "avoidable_usd",
};
