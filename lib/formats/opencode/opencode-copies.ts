// Names of rows that were copied into a session that goes on: the old id, and the mark of the new session behind it.

/** The row that says so, behind that of the session; sessions of the agent have none. */
export const CONTINUATION_ROWS = "continuation";

const MARK = /_c[0-9a-f]{8}$/;

/** The id of the row that this one is a copy of; its own where it is none. */
export const originalId = (id: string): string => id.replace(MARK, "");

export const copiedId = (id: string, sessionId: string): string => `${originalId(id)}_c${sessionId.slice(-8)}`;

const BITS = (1n << 48n) - 1n;

/** As the client names sessions: the latest has the smallest name. */
export function newSessionId(at: number, _uuid: string, random: string): string {
  const clock = ~(BigInt(at) * 4096n + 1n) & BITS;
  return `ses_${clock.toString(16).padStart(12, "0")}${random.slice(0, 14)}`;
}
