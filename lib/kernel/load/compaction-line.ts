// Where an agent compacts by itself, as its versions are known to: a model's window is not the load that a session gets.
//
// Claude Code keeps the room of an answer and 13,000 tokens free: 32,000 up to 2.1.20, 20,000 from 2.1.25 on. In collected
// sessions of windows of 200,000 the least automatic `preTokens` is 155,241 under 2.1.7 and 167,094 under 2.1.39. Windows of
// a million do not follow it (998,659 under 2.1.219).
const MARGIN = 13_000;
const ANSWER = { early: 32_000, late: 20_000 } as const;
const WINDOW = 200_000;

export type Client = { readonly format: string; readonly agentVersion: string | null };

/** Versions of Claude Code that compact at the same load; null for one in between, of which nothing is known, or of another agent. */
export function eraOf({ format, agentVersion }: Client): keyof typeof ANSWER | null {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(agentVersion ?? "") ?? [];
  if (format !== "claude-code" || patch === undefined) return null;
  const release = (Number(major) * 1000 + Number(minor)) * 1000 + Number(patch);
  if (release <= 2_001_020) return "early";
  return release >= 2_001_025 ? "late" : null;
}

/** The load at which the client compacts in a window of this size, by its version; null where that is not known. */
export function knownLine(client: Client, window: number | null): number | null {
  const era = eraOf(client);
  return era === null || window !== WINDOW ? null : WINDOW - ANSWER[era] - MARGIN;
}
