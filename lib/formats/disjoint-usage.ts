import { NO_USAGE, promptTokens, type Usage } from "#lib/kernel/draft.ts";
import { asCount } from "./json.ts";

type Counts = Readonly<Record<"uncached" | "read" | "write" | "output", unknown>>;

/** What a call used, of four counts that stand apart. Null where all are zero: agents write zeros for what they were not told. */
export function disjointUsage({ uncached, read, write, output }: Counts): Usage | null {
  const usage: Usage = {
    ...NO_USAGE,
    inputUncached: asCount(uncached),
    cacheRead: asCount(read),
    cacheWrite: asCount(write),
    output: asCount(output),
  };
  return promptTokens(usage) + usage.output === 0 ? null : usage;
}
