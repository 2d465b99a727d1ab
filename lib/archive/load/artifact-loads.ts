// What each artifact of a session weighs, how many calls carried it and what that cost: the ledger's numbers, by artifact.
// They are worked out with the session's verdict and kept beside the artifact.
import { command, scalar, select } from "#db/statement.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import type { SessionLoadFacts } from "#lib/kernel/load/culprits/culprit-types.ts";
import { frameOf } from "#lib/kernel/load/prompt-frame.ts";
import type { WeightOrigin } from "#lib/kernel/load/token-origin.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { tokenizerOf } from "../base/session-rows.ts";
import type { EventWeight, Weights } from "./event-weights.ts";

export type ArtifactLoad = {
  readonly pointer: string;
  /** What its event weighs: what the model saw of it. Where no event holds it, what it would weigh; null where that is no text. */
  readonly tokens: number | null;
  readonly origin: WeightOrigin | null;
  /** Model calls that were sent its event. */
  readonly calls: number;
  /** What those calls paid for it; null where none of them has a price. */
  readonly usd: number | null;
};

type Weighed = Pick<ArtifactDbRow, "session_pk" | "seq" | "digest" | "size" | "saw" | "line_count">;

/** What an artifact weighs: what the model had all of weighs as its event does, anything else is what it would weigh. */
export function artifactWeight(
  archive: Archive,
  row: Weighed,
  weights: Weights,
): { readonly tokens: number | null; readonly origin: WeightOrigin | null; readonly stay: EventWeight | null } {
  const stay = row.seq === null ? null : weights.of(row.seq);
  if (stay !== null && row.saw === "full") return { tokens: stay.tokens, origin: stay.origin, stay };
  if (row.line_count === null) return { tokens: null, origin: null, stay };
  const counted = scalar(
    archive.sqlite,
    "token_counts.tokens",
    "FROM token_counts WHERE digest = ? AND tokenizer = ?",
  ).get(Buffer.from(row.digest, "hex"), tokenizerOf(archive, row.session_pk));
  return { tokens: weights.ofText("result", counted ?? estimateTokens(row.size)), origin: "estimated", stay };
}

export function artifactLoadsOf(
  archive: Archive,
  pk: number,
  weights: Weights,
  facts: SessionLoadFacts,
): readonly ArtifactLoad[] {
  const { items, costs } = frameOf(facts);
  // One that stayed after a compaction was undone has an item for each stay.
  const usdOf = new Map<number, number | null>();
  items.forEach(({ seq }, i) => {
    const usd = costs[i]!.lifetimeUsd;
    if (seq !== null) usdOf.set(seq, usd === null ? (usdOf.get(seq) ?? null) : (usdOf.get(seq) ?? 0) + usd);
  });
  const rows = select(
    archive.sqlite,
    "artifacts",
    ["pointer", "session_pk", "seq", "digest", "size", "saw", "line_count"],
    "WHERE session_pk = ?",
  ).all(pk);
  return rows.map((row) => {
    const weight = artifactWeight(archive, row, weights);
    const { tokens, origin } = weight.stay ?? weight;
    const usd = row.seq === null ? null : (usdOf.get(row.seq) ?? null);
    return { pointer: row.pointer, tokens, origin, calls: weight.stay?.callsResident ?? 0, usd };
  });
}

/** True when an artifact of the session has no load yet, or that of another version. */
export const wantsArtifactLoads = (archive: Archive, pk: number, version: number): boolean =>
  scalar(
    archive.sqlite,
    "integer",
    "SELECT EXISTS (SELECT 1 FROM artifacts WHERE session_pk = ? AND load_version IS NOT ?)",
  ).get(pk, version) === 1;

/** Stores them with the version of the session that they are of. Only the thread that writes may ask. */
export function saveArtifactLoads({ sqlite }: Archive, version: number, loads: readonly ArtifactLoad[]): void {
  const save = command(
    sqlite,
    "UPDATE artifacts SET load_tokens = ?, load_origin = ?, load_calls = ?, load_usd = ?, load_version = ? WHERE pointer = ?",
  );
  for (const { pointer, tokens, origin, calls, usd } of loads) save.run(tokens, origin, calls, usd, version, pointer);
}
