/** Where a carry-on is planned: a fork has no summary. */
export const carryOnHref = (session: string, show: "carry-on" | "fork", at: number | null): string =>
  `/sessions/${encodeURIComponent(session)}/compact?show=${show}${at === null ? "" : `&at=${at}`}`;
