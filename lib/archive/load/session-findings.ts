// The culprits of one session as findings: with the fingerprint that they share with others, when they were, and their part of
// what the session could have saved, so that the findings of all sessions sum to what the list of sessions says.
import { command, query } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import type { Avoidable } from "#lib/kernel/load/culprits/avoidable.ts";
import type { Culprit } from "#lib/kernel/load/culprits/culprit-types.ts";
import { fingerprintKey, fingerprintOf } from "#lib/kernel/load/culprits/culprit-fingerprint.ts";
import { baseOf, type BasePart } from "#lib/kernel/load/base.ts";
import { replayCure } from "#lib/kernel/load/cure.ts";
import { frameOf } from "#lib/kernel/load/prompt-frame.ts";
import type { Archive } from "../base/archive-type.ts";
import type { LoadFacts } from "./load-facts.ts";

export type SessionFinding = Omit<Rows["session_findings"], "session_pk" | "n">;
export type CarriedPart = Omit<Rows["session_carried"], "session_pk">;

/** `usd`: what the session could have saved in all; null where no culprit has a price. */
export function findingsOf(
  archive: Archive,
  pk: number,
  facts: LoadFacts,
  culprits: readonly Culprit[],
  usd: number | null,
): SessionFinding[] {
  const times = callTimes(archive, pk);
  const sum = culprits.reduce((all, { avoidableUsd }) => all + (avoidableUsd ?? 0), 0);
  const part = usd === null || sum <= 0 ? 0 : usd / sum;
  return culprits.map((culprit) => ({
    fingerprint: fingerprintKey(fingerprintOf(culprit, facts)),
    detector: culprit.detector,
    label: culprit.label,
    fix: culprit.fix,
    seq: culprit.seq,
    ...seenOf(facts, culprit, times),
    ...savedOf(facts, culprit, times, part),
    tokens: Math.round(culprit.avoidableTokens),
    usd: culprit.avoidableUsd === null ? null : culprit.avoidableUsd * part,
    partial: culprit.isPartial ? 1 : 0,
  }));
}

type Times = ReadonlyMap<number, number>;

/** When it came into the context, each time; what a fork copied was seen in the session that it goes on from. */
function seenOf(
  facts: LoadFacts,
  culprit: Culprit,
  times: Times,
): Pick<SessionFinding, "first_at" | "seen_at" | "times"> {
  const { calls, items, indexOf } = frameOf(facts);
  const { cure, seqs, from } = culprit;
  const entered = seqs.flatMap((seq) => {
    const i = indexOf.get(seq);
    return i === undefined ? [] : [items[i]!.from];
  });
  const at = cure.do === "keep-cache" ? cure.calls : cure.do === "prefix" || entered.length === 0 ? [from] : entered;
  const own = at.filter((k) => calls[k]?.inherited === false);
  const when = (own.length === 0 ? at : own).flatMap((k) => times.get(calls[k]?.call ?? -1) ?? []);
  return {
    first_at: when.length === 0 ? null : Math.min(...when),
    seen_at: when.length === 0 ? null : Math.max(...when),
    times: own.length,
  };
}

const QUARTER_MS = 15 * 60_000;

/** The calls that its cure would have made cheaper, and what it would have saved of each quarter of an hour. */
function savedOf(
  facts: LoadFacts,
  { cure, from, last }: Culprit,
  times: Times,
  part: number,
): Pick<SessionFinding, "at" | "saved_from" | "saved"> {
  const { calls } = frameOf(facts);
  const timeOf = (k: number): number | null => times.get(calls[k]?.call ?? -1) ?? null;
  const quarters = new Map<number, number>();
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [k, usd] of replayCure(facts, cure).usdAt) {
    const at = timeOf(k);
    if (at === null || usd === 0) continue;
    first = Math.min(first, at);
    end = Math.max(end, at);
    const quarter = at - (at % QUARTER_MS);
    quarters.set(quarter, (quarters.get(quarter) ?? 0) + usd * part);
  }
  // Where nothing has a price: the calls that carried it.
  const at = quarters.size > 0 ? end : (timeOf(last) ?? timeOf(from));
  return {
    at,
    saved_from: quarters.size > 0 ? first : (timeOf(from) ?? at),
    saved: quarters.size > 1 ? JSON.stringify([...quarters]) : null,
  };
}

function callTimes({ sqlite }: Archive, pk: number): ReadonlyMap<number, number> {
  const rows = query(
    sqlite,
    { call: "model_calls.call", ts: "integer?" },
    `SELECT m.call, coalesce(m.ts, s.started_at) AS ts FROM model_calls m JOIN sessions s ON s.pk = m.session_pk
     WHERE m.session_pk = ?`,
  ).all(pk);
  return new Map(rows.flatMap(({ call, ts }) => (ts === null ? [] : [[call, ts]])));
}

/** Parts of the base that a person can turn off, and how often the session made use of each. Calls that it copied are of the session before. */
export function carriedOf({ sqlite }: Archive, pk: number, facts: LoadFacts): CarriedPart[] {
  const { calls } = frameOf(facts);
  const own = calls.findIndex(({ inherited }) => !inherited);
  const all = baseOf(facts);
  const ofOwn = own === 0 ? all : baseOf(facts, own === -1 ? calls.length : own);
  const sent = new Map(ofOwn.parts.map((one) => [keyOf(one), one.sent]));
  const parts = all.parts.filter(
    (one) => (one.part === "mcp" || one.part === "skills" || one.part === "memory") && sent.has(keyOf(one)),
  );
  if (parts.length === 0) return [];
  const tools = query(
    sqlite,
    { name: "tool_interactions.tool_name", calls: "integer" },
    "SELECT tool_name AS name, count(*) AS calls FROM tool_interactions WHERE session_pk = ? GROUP BY tool_name",
  ).all(pk);
  const session = query(
    sqlite,
    { at: "sessions.ended_at", format: "sessions.format" },
    "SELECT ended_at AS at, format FROM sessions WHERE pk = ?",
  ).get(pk)!;
  const usesOf = ({ part, label }: BasePart): number | null => {
    // Codex reads a skill's file as any other.
    if (part === "memory" || (part === "skills" && session.format === "codex")) return null;
    const server = /^MCP server (.+)$/u.exec(label)?.[1];
    const isUse = (name: string): boolean =>
      part === "mcp"
        ? name.startsWith(server === undefined ? "mcp__" : `mcp__${server}__`)
        : /^(?:activate_)?skill$/iu.test(name);
    return tools.filter(({ name }) => isUse(name)).reduce((sum, { calls }) => sum + calls, 0);
  };
  return parts.map((part) => ({
    kind: part.part,
    name: part.label,
    tokens: Math.round(part.tokens),
    sent: sent.get(keyOf(part))!,
    usd: part.usd,
    uses: usesOf(part),
    at: session.at,
  }));
}

const keyOf = ({ part, label }: BasePart): string => `${part} ${label}`;

/** What the culprits of a session could have saved together, as its verdict says; null until it was judged. */
export function judgedAvoidable(
  { sqlite }: Archive,
  pk: number,
  row: Pick<Rows["sessions"], "judged_version" | "avoidable_usd" | "avoidable_tokens">,
): Avoidable | null {
  if (row.judged_version === null) return null;
  const { avoidable_usd: usd, avoidable_tokens: tokens } = row;
  const hasUnpriced = command(
    sqlite,
    "SELECT 1 FROM session_findings WHERE session_pk = ? AND (usd IS NULL OR partial = 1)",
  );
  return { usd, tokens: tokens ?? 0, isPartial: usd !== null && hasUnpriced.get(pk) !== undefined };
}

/** Writes both in the place of those before, inside the transaction of the verdict. */
export function saveFindings(
  { sqlite }: Archive,
  pk: number,
  version: number,
  findings: readonly SessionFinding[],
  carried: readonly CarriedPart[],
): void {
  command(sqlite, "DELETE FROM session_findings WHERE session_pk = ?").run(pk);
  command(sqlite, "DELETE FROM session_carried WHERE session_pk = ?").run(pk);
  const add = command(
    sqlite,
    `INSERT INTO session_findings (session_pk, n, fingerprint, detector, label, fix, seq, at, tokens, usd, partial, first_at, seen_at, times,
       saved_from, saved)
     VALUES (@pk, @n, @fingerprint, @detector, @label, @fix, @seq, @at, @tokens, @usd, @partial, @first_at, @seen_at, @times,
       @saved_from, @saved)`,
  );
  for (const [n, finding] of findings.entries()) add.run({ ...finding, pk, n });
  const carry = command(
    sqlite,
    `INSERT OR REPLACE INTO session_carried (session_pk, kind, name, tokens, sent, usd, uses, at)
     VALUES (@pk, @kind, @name, @tokens, @sent, @usd, @uses, @at)`,
  );
  for (const part of carried) carry.run({ ...part, pk });
  command(sqlite, "UPDATE sessions SET findings_version = ? WHERE pk = ?").run(version, pk);
}
