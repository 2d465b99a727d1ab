// What writers and senders were told is kept, and what is found of it at the end. The ledger knows nothing of the fleet: it compares.
/** `seq`: null where the answer that told it was lost for good, and only that it was carried out is known. */
export type Told = { readonly session: string; readonly mark: string; readonly seq: number | null };
export type Found = { readonly session: string; readonly mark: string | null; readonly seq: number };

export type Finding = {
  readonly what: "lost" | "doubled" | "renumbered" | "number given twice" | "other bytes";
  readonly session: string;
  readonly detail: string;
};

export class Ledger {
  /** By session and mark: the number that its event was given. */
  readonly #events = new Map<string, Map<string, number | null>>();
  /** Outputs by pointer, with the digest of their bytes. */
  readonly #outputs = new Map<string, { readonly session: string; readonly digest: string }>();
  /** Sent sessions, with the turns of the longest commit that was taken in. */
  readonly #sent = new Map<string, number>();
  readonly #findings: Finding[] = [];
  acknowledged = 0;

  /** An append was acknowledged. */
  told({ session, mark, seq }: Told): void {
    const events = this.#events.get(session) ?? new Map<string, number | null>();
    this.#events.set(session, events);
    this.acknowledged++;
    const before = events.get(mark);
    if (before != null && seq !== null && before !== seq)
      this.#findings.push({ what: "renumbered", session, detail: `${mark}: ${before}, then ${seq}` });
    for (const [other, given] of events)
      if (seq !== null && given === seq && other !== mark)
        this.#findings.push({ what: "number given twice", session, detail: `${seq}: ${other} and ${mark}` });
    events.set(mark, seq);
  }

  toldOutput(session: string, pointer: string, digest: string): void {
    this.acknowledged++;
    this.#outputs.set(pointer, { session, digest });
  }

  toldSent(session: string, turns: number): void {
    this.acknowledged++;
    this.#sent.set(session, Math.max(turns, this.#sent.get(session) ?? 0));
  }

  sessions = (): string[] => [...this.#events.keys()];
  outputs = (): { pointer: string; session: string }[] =>
    [...this.#outputs].map(([pointer, { session }]) => ({ pointer, session }));
  sent = (): string[] => [...this.#sent.keys()];

  /** What was found while it was told. */
  said = (): readonly Finding[] => this.#findings;

  /** Against the whole log of a session as it is now. */
  compareLog(session: string, found: readonly Found[]): Finding[] {
    const findings: Finding[] = [];
    const marks = new Map<string, number[]>();
    const seqs = new Set<number>();
    for (const { mark, seq } of found) {
      if (seqs.has(seq)) findings.push({ what: "number given twice", session, detail: `${seq}` });
      seqs.add(seq);
      if (mark !== null) marks.set(mark, [...(marks.get(mark) ?? []), seq]);
    }
    // What nobody was told of may be there, once.
    for (const [mark, given] of marks)
      if (given.length > 1) findings.push({ what: "doubled", session, detail: `${mark}: ${given.join(", ")}` });
    for (const [mark, seq] of this.#events.get(session) ?? []) {
      const given = marks.get(mark);
      if (given === undefined) findings.push({ what: "lost", session, detail: `${mark}, event ${seq}` });
      else if (seq !== null && !given.includes(seq))
        findings.push({ what: "renumbered", session, detail: `${mark}: ${seq}, now ${given.join(", ")}` });
    }
    return findings;
  }

  /** `digest`: of the bytes that a pointer gives now; null where it gives none. */
  compareOutput(pointer: string, digest: string | null): Finding[] {
    const { session, digest: told } = this.#outputs.get(pointer)!;
    if (digest === null) return [{ what: "lost", session, detail: pointer }];
    return digest === told ? [] : [{ what: "other bytes", session, detail: pointer }];
  }

  /** `turns`: of the rows that the catalogue has of a sent session. */
  compareSent(session: string, turns: readonly number[]): Finding[] {
    const told = this.#sent.get(session) ?? 0;
    if (turns.length === 0 || turns[0]! < told)
      return [{ what: "lost", session, detail: `${turns[0] ?? 0} of ${told} turns` }];
    return turns.length > 1 ? [{ what: "doubled", session, detail: `${turns.length} rows` }] : [];
  }
}
