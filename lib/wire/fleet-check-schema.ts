// What `plimsoll fleet check` answers.

export type FleetProblem = {
  readonly kind:
    | "missing object"
    | "damaged object"
    | "size of object"
    | "family without sessions"
    | "session without family"
    | "commit without family"
    | "deleted session"
    | "views without session"
    | "sums of session"
    | "texts of session"
    | "names of objects"
    | "agent's session"
    | "reserved id";
  /** A digest, or a project and an id. */
  readonly ref: string;
  readonly text: string;
  /** Of a missing or damaged object: its sender sends it again. */
  readonly isRepaired: boolean;
};

export type FleetCheck = {
  /** Objects that are noted as being in the bucket. */
  readonly named: number;
  /** Objects that are noted or named, and the bucket does not have, or has with other bytes. */
  readonly missing: readonly { readonly digest: string; readonly families: readonly string[] }[];
  /** Objects in the bucket that nothing names: a sweep removes them when their time is over. */
  readonly unnamed: number;
  /** Commits that no node could read. */
  readonly failed: readonly { readonly project: string; readonly id: string; readonly reason: string | null }[];
  readonly problems: readonly FleetProblem[];
};
