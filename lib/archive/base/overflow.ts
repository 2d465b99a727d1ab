/** Words of a provider that refused a prompt for its length. */
export const OVERFLOW = /prompt is too long|context[ _]length|maximum context|context window|input is too long/i;
