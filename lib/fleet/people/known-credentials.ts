// Credentials of a fleet as a node knows them: the database is asked for one, and its answer holds for seconds, so that a page with
// twenty requests asks once and a revoked token opens nothing soon after. Bounded; who guesses cannot push out who is known.
import { isAppError } from "#lib/kernel/errors.ts";
import { hashOf, type KnownCredential } from "./fleet-tokens.ts";

/** So long an answer of the database holds: a revoked token is refused everywhere after this. */
export const KNOWN_MS = 5000;
/** While the database is away, who was known so lately goes on with what this node has. */
const AWAY_MS = 10 * 60_000;
const MOST = 5000;

export type KnownCredentials = {
  /** Asks for a secret where no answer holds; null where there is nothing to wait for. */
  prepare(secret: string): Promise<void> | null;
  /** What was answered for it; null for nobody. */
  of(secret: string): KnownCredential | null;
  forget(secret: string): void;
};

type Answer = { readonly found: KnownCredential | null; readonly at: number };

export function knownCredentials(
  find: (secret: string) => Promise<KnownCredential | null>,
  now: () => number,
): KnownCredentials {
  const known = new Map<string, Answer>();
  const unknown = new Map<string, Answer>();
  const asking = new Map<string, Promise<void>>();
  const answerOf = (key: string): Answer | undefined => known.get(key) ?? unknown.get(key);

  async function look(secret: string, key: string, isWanted: () => boolean): Promise<void> {
    try {
      const found = await find(secret);
      if (!isWanted()) return;
      known.delete(key);
      unknown.delete(key);
      const into = found === null ? unknown : known;
      into.set(key, { found, at: now() });
      if (into.size > MOST) into.delete(into.keys().next().value!);
    } catch (error) {
      const last = known.get(key);
      if (!isAppError(error) || error.code !== "timeout" || last === undefined || now() - last.at > AWAY_MS)
        throw error;
    }
  }

  return {
    prepare(secret) {
      const key = hashOf(secret);
      const answer = answerOf(key);
      if (answer !== undefined && now() - answer.at < KNOWN_MS) return null;
      const running = asking.get(key);
      if (running !== undefined) return running;
      const isLast = (): boolean => asking.get(key) === begun;
      const begun: Promise<void> = look(secret, key, isLast).finally(() => isLast() && asking.delete(key));
      asking.set(key, begun);
      return begun;
    },
    of: (secret) => answerOf(hashOf(secret))?.found ?? null,
    forget(secret) {
      known.delete(hashOf(secret));
      // An answer that is under way was true before.
      asking.delete(hashOf(secret));
    },
  };
}
