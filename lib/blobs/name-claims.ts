// Who needs a staged blob until it is known what becomes of it. Several puts may bring the same bytes, and a batch may
// stage them beside: one that is refused takes nothing away from the others.

export type Claims = {
  rely(digest: string, who: "put" | "batch"): void;
  /** One put less; those that are left. */
  release(digest: string): number;
  isNeeded(digest: string): boolean;
  /** What the batch relied on is kept or forgotten now: why some of it was lost already. */
  batchEnds(): readonly unknown[];
  /** These were not kept: the puts and the batch that rely on them are to hear why, whichever barrier they wait for. */
  lost(digests: Iterable<string>, why: unknown): void;
  requireKept(digest: string): void;
};

export function claimsOf(): Claims {
  const puts = new Map<string, number>();
  const failures = new Map<string, unknown>();
  let batch = new Set<string>();
  return {
    rely(digest, who) {
      if (who === "batch") batch.add(digest);
      else puts.set(digest, (puts.get(digest) ?? 0) + 1);
      // Staged anew: what failed before says nothing about it.
      failures.delete(digest);
    },
    release(digest) {
      const left = Math.max(0, (puts.get(digest) ?? 0) - 1);
      if (left > 0) puts.set(digest, left);
      else {
        puts.delete(digest);
        if (!batch.has(digest)) failures.delete(digest);
      }
      return left;
    },
    isNeeded: (digest) => puts.has(digest) || batch.has(digest),
    batchEnds() {
      const needed = batch;
      batch = new Set();
      const lost = [...needed].filter((digest) => failures.has(digest));
      const reasons = lost.map((digest) => failures.get(digest));
      for (const digest of lost) if (!puts.has(digest)) failures.delete(digest);
      return reasons;
    },
    lost(digests, why) {
      for (const digest of digests) if (puts.has(digest) || batch.has(digest)) failures.set(digest, why);
    },
    requireKept(digest) {
      if (failures.has(digest)) throw failures.get(digest);
    },
  };
}
