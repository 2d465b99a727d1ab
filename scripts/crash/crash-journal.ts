// What was asked of an archive and what it acknowledged, written beside it with one write() a line: the only witness after
// the process was killed.
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** The session that scenarios write to. */
export const CRASH_SESSION = "plimsoll:crash";

export type Put = {
  readonly pointer: string;
  readonly digest: string;
  readonly size: number;
  readonly name: string | null;
};

type Line = {
  readonly requested?: Record<string, unknown>;
  readonly acked?: Record<string, unknown>;
  readonly remember?: string;
  readonly expires?: string;
  readonly loses?: true;
};

export type Journal = ReturnType<typeof openJournal>;

export function openJournal(path: string) {
  const add = (line: Line): void => appendFileSync(path, `${JSON.stringify(line)}\n`);
  const lines = (): Line[] =>
    existsSync(path)
      ? readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => line.endsWith("}"))
          .map((line) => JSON.parse(line) as Line)
      : [];
  return {
    requested: (what: Record<string, unknown>) => add({ requested: what }),
    acked: (what: Record<string, unknown>) => add({ acked: what }),
    /** A pointer that the run is to know. */
    remember: (pointer: string) => add({ remember: pointer }),
    /** One that a sweep may end. */
    expires: (pointer: string) => add({ expires: pointer }),
    /** Rows were taken out on purpose: they are there again when a rebuild was acknowledged. */
    loses: () => add({ loses: true }),
    remembered: (): string[] => lines().flatMap(({ remember }) => (remember === undefined ? [] : [remember])),
    /** What must hold now. */
    read() {
      const puts: Put[] = [];
      const state = {
        puts,
        deleted: new Set<string>(),
        maybeDeleted: new Set<string>(),
        swept: false,
        expiring: new Set<string>(),
        mayMiss: false,
        /** Seqs of records that were ingested, by uuid; compactions that were acknowledged, undone, or may be. */
        ingested: new Map<string, number>(),
        compacted: new Set<string>(),
        undone: new Set<string>(),
        maybeUndone: new Set<string>(),
      };
      for (const { requested, acked, expires, loses } of lines()) {
        if (typeof requested?.["delete"] === "string") state.maybeDeleted.add(requested["delete"]);
        if (typeof acked?.["delete"] === "string") state.deleted.add(acked["delete"]);
        if (typeof acked?.["put"] === "string")
          puts.push({
            pointer: acked["put"],
            digest: acked["digest"] as string,
            size: acked["size"] as number,
            name: acked["name"] as string | null,
          });
        for (const [uuid, seq] of Object.entries((acked?.["ingested"] ?? {}) as Record<string, number>))
          state.ingested.set(uuid, seq);
        if (typeof acked?.["compact"] === "string") state.compacted.add(acked["compact"]);
        if (typeof requested?.["undo"] === "string") state.maybeUndone.add(requested["undo"]);
        if (typeof acked?.["undo"] === "string") state.undone.add(acked["undo"]);
        if (requested?.["sweep"] === true) for (const pointer of state.expiring) state.maybeDeleted.add(pointer);
        if (acked?.["sweep"] === true) state.swept = true;
        if (acked?.["rebuilt"] === true) state.mayMiss = false;
        if (expires !== undefined) state.expiring.add(expires);
        if (loses === true) state.mayMiss = true;
      }
      if (state.swept) for (const pointer of state.expiring) state.deleted.add(pointer);
      return state;
    },
  };
}
