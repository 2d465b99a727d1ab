// Two people who change the same setting: who saves what somebody else changed since they looked is refused, and nothing is lost.
import { fail } from "./errors.ts";

/** `what`: the setting, as a sentence begins with it. `seen` is what whoever saves it was shown; without it nothing is compared. */
export function requireSeen<T>(what: string, now: T, seen: T | undefined): void {
  if (seen !== undefined && JSON.stringify(seen) !== JSON.stringify(now))
    fail("conflict", `${what} changed meanwhile. Look at them, then save yours again.`);
}
