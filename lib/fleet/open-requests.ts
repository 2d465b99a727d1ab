// Which sessions of a node's cache requests are about at the moment.
export type OpenRequests = {
  isOpen(session: string): boolean;
  /** One more, until the function is called. */
  begin(session: string): () => void;
};

export function openRequests(onEnd: (session: string) => void): OpenRequests {
  const counts = new Map<string, number>();
  return {
    isOpen: (session) => counts.has(session),
    begin(session) {
      counts.set(session, (counts.get(session) ?? 0) + 1);
      return () => {
        const left = (counts.get(session) ?? 1) - 1;
        if (left > 0) counts.set(session, left);
        else counts.delete(session);
        onEnd(session);
      };
    },
  };
}
