// Families that a node brings into its archive, reads out of it, or takes out: each is one job's at a time, and those that wait have it in
// the order in which they came. A family whose views are written must be there whole, and in the state that was handed in.
export type FamiliesInUse = {
  /** Runs while no other job has any of these sessions. Inside it none of them may be asked for again. */
  use<T>(sessions: readonly string[], run: () => Promise<T>): Promise<T>;
  isUsed(session: string): boolean;
};

export function familiesInUse(): FamiliesInUse {
  /** When the last job that has asked for a session is done. */
  const ends = new Map<string, Promise<void>>();
  return {
    async use(sessions, run) {
      const before = sessions.flatMap((id) => ends.get(id) ?? []);
      const { promise, resolve } = Promise.withResolvers<void>();
      // All at once: two jobs never wait for each other.
      for (const id of sessions) ends.set(id, promise);
      try {
        await Promise.all(before);
        return await run();
      } finally {
        for (const id of sessions) if (ends.get(id) === promise) ends.delete(id);
        resolve();
      }
    },
    isUsed: (session) => ends.has(session),
  };
}
