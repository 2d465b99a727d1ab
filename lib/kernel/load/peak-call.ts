// Which call a session's peak is of, for lists, verdict, charts and reports alike.

/** Index of the largest prompt that is reported, and of the largest estimate only where none is; -1 without calls. */
export function peakCallOf<Call>(
  calls: readonly Call[],
  tokensOf: (call: Call) => number,
  isReported: (call: Call) => boolean,
): number {
  const hasReported = calls.some(isReported);
  let peak = -1;
  for (const [i, call] of calls.entries()) {
    if (hasReported && !isReported(call)) continue;
    if (peak < 0 || tokensOf(call) > tokensOf(calls[peak]!)) peak = i;
  }
  return peak;
}
