// What nodes follow every two seconds is not asked of the database by each request as well.
import { isAppError } from "#lib/kernel/errors.ts";

/** A node follows so often (milliseconds); what requests read is as old at most. */
export const FOLLOW_MS = 2000;

export type FollowedLately = {
  /** Follows, unless that was done a moment ago. Who comes meanwhile waits for the same. While the database is away, nothing changes. */
  follow(): Promise<void>;
  /** Something was set here, or refused: what was read before is older. */
  forget(): void;
};

export function followedLately(run: () => Promise<void>): FollowedLately {
  let last: { readonly at: number; readonly done: Promise<void> } | null = null;
  const forget = (): void => {
    last = null;
  };
  return {
    forget,
    follow() {
      const now = performance.now();
      if (last !== null && now - last.at < FOLLOW_MS) return last.done;
      const begun = {
        at: now,
        done: run().catch((error: unknown) => {
          if (isAppError(error) && error.code === "timeout") return;
          if (last === begun) forget();
          throw error;
        }),
      };
      last = begun;
      return begun.done;
    },
  };
}
