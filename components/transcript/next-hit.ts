/** The hit after (or before) the one stood on; round at the ends. */
export function nextHit(seqs: readonly number[], hit: number | null, by: 1 | -1): number | null {
  if (seqs.length === 0) return null;
  if (hit === null) return (by === 1 ? seqs[0] : seqs.at(-1)) ?? null;
  const next = by === 1 ? seqs.find((seq) => seq > hit) : seqs.findLast((seq) => seq < hit);
  return next ?? (by === 1 ? seqs[0] : seqs.at(-1)) ?? null;
}
