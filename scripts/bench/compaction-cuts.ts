// Cuts of imported sessions that summaries are judged at: the agent's own compactions, and positions that nobody chose.
// docs/evidence-metric.md says which, and why.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { wholeText } from "#lib/archive/artifacts/whole-text.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { entitiesIn } from "#lib/kernel/memory/extractive/entities.ts";
import { logText } from "#lib/kernel/memory/extractive/evidence.ts";
import { piecesOfEvents, type PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import type { Piece } from "#lib/kernel/memory/extractive/piece.ts";

export type Cut = {
  readonly name: string;
  readonly isReal: boolean;
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
  /** The agent's own summary, where it can be read. */
  readonly own: string | null;
  /** Characters that a summary may take. */
  readonly size: number;
};

/** Less is no context that anybody compacts. */
const LEAST_CHARS = 30_000;
/** Where nobody's summary tells a size. */
const SIZE = 12_000;
const UNBIASED_AT = 0.6;

type Session = { readonly pk: number; readonly id: string; readonly path: string };
type Kept = PieceEvent & { readonly isFull: boolean; readonly inherited: boolean };

export async function cutsOf(archive: Archive): Promise<Cut[]> {
  const sessions = archive.sqlite
    .prepare(
      "SELECT s.pk, s.id, coalesce(f.path, '') AS path FROM sessions s LEFT JOIN sources f ON f.pk = s.source_pk",
    )
    .all() as Session[];
  const cuts: Cut[] = [];
  const largest = largestOfChains(archive);
  for (const session of sessions.toSorted((a, b) => (a.path < b.path ? -1 : 1) || a.pk - b.pk)) {
    const events = await eventsOf(archive, session.pk);
    cuts.push(...realCuts(session, events));
    if (largest.has(session.pk)) cuts.push(...unbiasedCut(session, events));
  }
  return cuts;
}

async function eventsOf(archive: Archive, pk: number): Promise<Kept[]> {
  const rows = archive.sqlite
    .prepare("SELECT id, artifact, inherited, body FROM events WHERE id BETWEEN ? AND ? ORDER BY id")
    .all(pk * SEQS, (pk + 1) * SEQS - 1) as { id: number; artifact: string | null; inherited: number; body: string }[];
  const events: Kept[] = [];
  for (const { id, artifact, inherited, body: json } of rows) {
    let body = JSON.parse(json) as EventBody;
    if (body.type === "tool_result" && body.saw === "full" && artifact !== null)
      body = { ...body, text: (await wholeText(archive, artifact)) ?? body.text };
    const isFull = body.type === "compaction" && body.kind === "full";
    events.push({ seq: id % SEQS, artifact, body, isFull, inherited: inherited === 1 });
  }
  return events;
}

const SEQS = 2 ** 32;

function realCuts({ id, path }: Session, events: readonly Kept[]): Cut[] {
  const compactions = events.filter(({ isFull }) => isFull);
  return compactions.flatMap((compaction, k): Cut[] => {
    // A copy of a session has a copy of its compaction.
    if (compaction.inherited) return [];
    const span = (from: number, to: number): Piece[] =>
      piecesOfEvents(events.filter(({ seq }) => seq >= from && seq < to));
    const before = span(compactions[k - 1]?.seq ?? 0, compaction.seq);
    const after = span(compaction.seq, compactions[k + 1]?.seq ?? Number.POSITIVE_INFINITY);
    if (charsOf(before) < LEAST_CHARS) return [];
    const own = after
      .filter(({ kind }) => kind === "summary")
      .map(({ text }) => text)
      .reduce((longest, text) => (text.length > longest.length ? text : longest), "");
    const isReadable = own.length >= 1000;
    const name = `${path.split("/").slice(-2).join("/")} ${id} at ${compaction.seq}`;
    return [{ name, isReal: true, before, after, own: isReadable ? own : null, size: isReadable ? own.length : SIZE }];
  });
}

function unbiasedCut({ id, path }: Session, events: readonly Kept[]): Cut[] {
  const first = events.findIndex(({ isFull }) => isFull);
  // A session that begins with somebody's compaction was not compacted itself.
  if (first >= 0 && charsOf(piecesOfEvents(events.slice(0, first))) >= LEAST_CHARS) return [];
  if (events.filter(({ isFull }) => isFull).length > 1) return [];
  const pieces = piecesOfEvents(events);
  const most = charsOf(pieces) * UNBIASED_AT;
  let [at, chars] = [0, 0];
  while (at < pieces.length && chars < most) chars += pieces[at++]!.text.length;
  // A call is not parted from its result.
  while (pieces[at]?.kind === "tool_result") at++;
  if (chars < LEAST_CHARS) return [];
  const name = `${path.split("/").slice(-2).join("/")} ${id} at 60 %`;
  return [{ name, isReal: false, before: pieces.slice(0, at), after: pieces.slice(at), own: null, size: SIZE }];
}

const charsOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

/** Of sessions that share records the one with the most events. */
function largestOfChains({ sqlite }: Archive): Set<number> {
  const rows = sqlite
    .prepare("SELECT id, hex(record_key) AS key FROM events WHERE keyed = 1 AND type IN ('user', 'assistant')")
    .all() as { id: number; key: string }[];
  const chain = new Map<number, number>();
  const size = new Map<number, number>();
  const rootOf = (pk: number): number => {
    const next = chain.get(pk) ?? pk;
    return next === pk ? pk : rootOf(next);
  };
  const principal = new Map<string, number>();
  for (const { id, key } of rows) {
    const pk = Math.floor(id / SEQS);
    size.set(pk, (size.get(pk) ?? 0) + 1);
    const other = principal.get(key);
    if (other === undefined) principal.set(key, pk);
    else chain.set(rootOf(pk), rootOf(other));
  }
  const largest = new Map<number, number>();
  for (const [pk, own] of size) {
    const root = rootOf(pk);
    const best = largest.get(root);
    if (best === undefined || own > size.get(best)!) largest.set(root, pk);
  }
  return new Set(largest.values());
}

/** What a summary is compared with at its own size. */
export function rawTail({ before, size }: Cut): string {
  return logText(before).slice(-size);
}

/** All names and nothing else: the commonest first, in the order of the log, and the last first. */
export function bagsOfNames({ before, size }: Cut): string[] {
  const counts = new Map<string, number>();
  for (const { text } of before) for (const { name } of entitiesIn(text)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts.keys()];
  const orders = [names.toSorted((a, b) => counts.get(b)! - counts.get(a)!), names, names.toReversed()];
  return orders.map((order) => order.join(" ").slice(0, size));
}
