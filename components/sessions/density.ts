// The density of the sessions table is remembered in a cookie, so that the first rows come in it.
export const DENSITY_COOKIE = "density";

const COMPACT = "compact";
const YEAR_S = 365 * 24 * 3600;

export const isCompact = (stored: string | undefined): boolean => stored === COMPACT;

/** For the next visit. In the browser only. */
export function rememberDensity(dense: boolean): void {
  document.cookie = `${DENSITY_COOKIE}=${dense ? COMPACT : "comfortable"}; path=/; max-age=${YEAR_S}; SameSite=Strict`;
}
