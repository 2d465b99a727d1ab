// Which names of a log are likely to be needed again: said by the person or the agent, often, lately, in files that changed.
// Half or twice any one of these numbers moves contexted recall by at most 0.004, and the share of needed names among the
// first 200 by at most 0.008, over 48 cuts (docs/evidence-metric.md): nothing here is tuned to those logs.
// A tool's output at 0.7 instead of 0.35 keeps 0.01 more of the names that only outputs said, at the same contexted recall.
import { entitiesIn, type Entity } from "./entities.ts";
import type { Piece, PieceKind } from "./piece.ts";

/** Weight of a name by the highest role that said it: the person, the agent, a tool's output. */
const ROLE: Readonly<Record<PieceKind, number>> = {
  user: 4,
  assistant: 3,
  reasoning: 3,
  tool_call: 3,
  summary: 2,
  tool_result: 0.7,
  note: 0.2,
};
/** The path of a file that was changed weighs this much more. */
const EDITED = 1.5;
/** A name that stood there this many pieces ago counts half; one that only outputs have said since, less again. */
const HALF_AT = 40;

export type WeighedNames = {
  /** Names of each piece in order, by its index. */
  readonly found: readonly (readonly Entity[])[];
  readonly weights: ReadonlyMap<string, number>;
  /** Of names that stood in outputs alone. */
  readonly outputWeights: ReadonlyMap<string, number>;
};

type Seen = { role: number; count: number; pieces: number; last: number; lastSaid: number };

/**
 * Of names that only outputs have said: in how many of them, and how lately. A regression over 26 features, fitted on one half
 * of the collected sessions, found no more of the names needed in the other half than these two.
 */
const OUTPUT_HALF_AT = 300;

export function weighNames(pieces: readonly Piece[]): WeighedNames {
  const seen = new Map<string, Seen>();
  const found: Entity[][] = [];
  for (const [i, { kind, text }] of pieces.entries()) {
    const names = entitiesIn(text);
    const isSaid = kind !== "tool_result" && kind !== "note";
    found.push(names);
    for (const { name } of names) {
      let one = seen.get(name);
      if (one === undefined) seen.set(name, (one = { role: 0, count: 0, pieces: 0, last: -1, lastSaid: 0 }));
      one.role = Math.max(one.role, ROLE[kind]);
      one.count++;
      if (one.last !== i) one.pieces++;
      one.last = i;
      if (isSaid) one.lastSaid = i;
    }
  }
  const edited = new Set(
    pieces.flatMap(({ files }) => files.filter(({ does }) => does !== "read").map(({ path }) => path)),
  );
  const recency = (at: number): number => 1 / (1 + (pieces.length - at) / HALF_AT);
  const weights = new Map<string, number>();
  for (const [name, { role, count, last, lastSaid }] of seen)
    weights.set(
      name,
      role * (1 + Math.log(count)) * recency(last) * Math.sqrt(recency(lastSaid)) * (edited.has(name) ? EDITED : 1),
    );
  const worth = ({ pieces: count, last }: Seen): number =>
    (1 + Math.log(count)) / (1 + (pieces.length - last) / OUTPUT_HALF_AT);
  const outputWeights = new Map<string, number>();
  for (const [name, one] of seen) if (one.role <= ROLE.tool_result) outputWeights.set(name, worth(one));
  return { found, weights, outputWeights };
}
