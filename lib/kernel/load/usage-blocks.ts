// Five-hour blocks, as plans with a limit per five hours count them: a block begins with the hour of its first call, and the next
// with the first call after its end. Calls come by quarter of an hour, in order. Pure.

const HOUR_MS = 3_600_000;
export const BLOCK_MS = 5 * HOUR_MS;

/** Calls of a quarter of an hour; `first` and `last` in ms since 1970. */
export type TimedCalls = {
  readonly first: number;
  readonly last: number;
  readonly model: string | null;
  readonly calls: number;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly usd: number | null;
  readonly unsure: number;
};

export type Block<Calls extends TimedCalls> = {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  readonly isActive: boolean;
  readonly parts: readonly Calls[];
};

export function blocksOf<Calls extends TimedCalls>(calls: readonly Calls[], now: number): Block<Calls>[] {
  const blocks: { start: number; parts: Calls[] }[] = [];
  for (const part of calls) {
    const open = blocks.at(-1);
    if (open !== undefined && part.first < open.start + BLOCK_MS) open.parts.push(part);
    else blocks.push({ start: Math.floor(part.first / HOUR_MS) * HOUR_MS, parts: [part] });
  }
  return blocks.map(({ start, parts }) => ({
    start,
    end: start + BLOCK_MS,
    first: parts[0]!.first,
    last: Math.max(...parts.map(({ last }) => last)),
    isActive: now >= start && now < start + BLOCK_MS,
    parts,
  }));
}

const MINUTE_MS = 60_000;

/** Per minute from the first call to the last; null within a minute. */
export function burnOf({ first, last }: { first: number; last: number }, tokens: number, usd: number) {
  const minutes = (last - first) / MINUTE_MS;
  return minutes < 1 ? null : { tokensPerMinute: tokens / minutes, costPerHour: (usd / minutes) * 60 };
}

/** What the block comes to when it goes on as it did. */
export function projectionOf(
  block: { first: number; last: number; end: number },
  { tokens, usd, now }: { readonly tokens: number; readonly usd: number; readonly now: number },
) {
  const burn = burnOf(block, tokens, usd);
  if (burn === null) return null;
  const remainingMinutes = Math.max(0, (block.end - now) / MINUTE_MS);
  return {
    totalTokens: Math.round(tokens + burn.tokensPerMinute * remainingMinutes),
    totalCost: usd + (burn.costPerHour / 60) * remainingMinutes,
    remainingMinutes: Math.round(remainingMinutes),
  };
}
