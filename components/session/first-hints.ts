// The hints of the first session that a browser opens. What was dismissed stands in a cookie, as the theme does: another
// port of this machine is the same browser. One cookie, `SESSION.HINT-HINT`: any other session shows none.

export const HINTS = ["line", "colours", "marks"] as const;
export type Hint = (typeof HINTS)[number];

export const HINTS_COOKIE = "hints";
const YEAR_S = 365 * 24 * 3600;

/** What the cookie holds in the text of all cookies; null when no session was opened yet. */
export function hintsCookie(cookies: string): string | null {
  const written = cookies.split("; ").find((one) => one.startsWith(`${HINTS_COOKIE}=`));
  return written === undefined ? null : written.slice(HINTS_COOKIE.length + 1);
}

/** The hints that a session still shows. */
export function hintsLeft(cookie: string | null, session: string): Hint[] {
  if (cookie === null) return [...HINTS];
  // The id may have a dot of its own.
  const at = cookie.lastIndexOf(".");
  if (cookie.slice(0, at) !== encodeURIComponent(session)) return [];
  const dismissed = cookie.slice(at + 1).split("-");
  return HINTS.filter((hint) => !dismissed.includes(hint));
}

/** The whole cookie that keeps what is left of a session's hints. */
export function writtenCookie(session: string, left: readonly Hint[]): string {
  const dismissed = HINTS.filter((hint) => !left.includes(hint)).join("-");
  return `${HINTS_COOKIE}=${encodeURIComponent(session)}.${dismissed}; path=/; max-age=${10 * YEAR_S}; SameSite=Strict`;
}
