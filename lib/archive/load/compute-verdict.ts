// What the lists say of a session's load: its top culprit, what could have been saved, and what each artifact weighs. Worked out
// by the worker after counting, and kept with the version that it is of.
import { columns, command, query, scalar } from "#db/statement.ts";
import { changeSessions } from "#db/session-sums.ts";
import type { SessionCulprit } from "#lib/wire/sessions-schema.ts";
import { avoidableOf } from "#lib/kernel/load/culprits/avoidable.ts";
import { culpritsOf } from "#lib/kernel/load/culprits/rank.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";
import type { Archive } from "../base/archive-type.ts";
import { recountState, saveRecount } from "../import/state-counts.ts";
import { artifactLoadsOf, saveArtifactLoads, wantsArtifactLoads, type ArtifactLoad } from "./artifact-loads.ts";
import { carriedOf, findingsOf, saveFindings, type CarriedPart, type SessionFinding } from "./session-findings.ts";
import { makeWeights } from "./event-weights.ts";
import { freshFactsOf, freshLedgerOf } from "./load-facts.ts";

/** What is written of a session's verdict, and the version that it is of. */
export type SessionVerdict = {
  readonly pk: number;
  readonly version: number;
  readonly culprit: SessionCulprit | null;
  readonly usd: number | null;
  readonly tokens: number;
  readonly loads: readonly ArtifactLoad[];
  readonly findings: readonly SessionFinding[];
  readonly carried: readonly CarriedPart[];
};

/** Keys of those sessions of an archive that changed since their last verdict, have none, or one of older rules. */
export const unjudgedSessions = ({ sqlite }: Archive, ids: readonly string[]): number[] =>
  scalar(
    sqlite,
    "sessions.pk",
    `FROM sessions WHERE id IN (SELECT value FROM json_each(?))
       AND (judged_version IS NOT version OR findings_version IS NOT version OR rules_version < ?)`,
  ).all(JSON.stringify(ids), RULES_VERSION);

/** Judges a session when it changed since, or the rules did. Returns whether it did. Only the thread that writes may ask. */
export async function judgeSession(archive: Archive, pk: number): Promise<boolean> {
  const recount = recountState(archive, pk);
  if (recount !== null) saveRecount(archive, pk, recount);
  const verdict = await computeVerdict(archive, pk);
  if (verdict !== null) saveVerdict(archive, verdict);
  return verdict !== null;
}

/** The verdict on a session that changed since the last one, as the rules did; null when neither did. A session of 290 MB takes 25 s. */
export async function computeVerdict(archive: Archive, pk: number): Promise<SessionVerdict | null> {
  const row = query(
    archive.sqlite,
    {
      ...columns("sessions", "version"),
      ...{ judged: "sessions.judged_version", found: "sessions.findings_version", rules: "sessions.rules_version" },
    },
    "FROM sessions WHERE pk = ?",
  ).get(pk);
  if (row === undefined) return null;
  const { version } = row;
  const isOfNow = version === row.judged && version === row.found && row.rules >= RULES_VERSION;
  if (isOfNow && !wantsArtifactLoads(archive, pk, version)) return null;
  const ledger = freshLedgerOf(archive, pk);
  const facts = await freshFactsOf(archive, pk, ledger);
  const culprits = culpritsOf(facts);
  const [top] = culprits;
  const { usd, tokens } = avoidableOf(facts, culprits);
  const culprit: SessionCulprit | null =
    top === undefined
      ? null
      : {
          detector: top.detector,
          seq: top.seq,
          tool: top.toolName,
          label: top.label,
          tokens: top.tokens,
          callsResident: top.callsResident,
          avoidableUsd: top.avoidableUsd,
          isPartial: top.isPartial,
          avoidableTokens: top.avoidableTokens,
          fix: top.fix,
        };
  const loads = artifactLoadsOf(archive, pk, makeWeights(ledger), facts);
  const findings = findingsOf(archive, pk, facts, culprits, usd);
  return { pk, version, culprit, usd, tokens, loads, findings, carried: carriedOf(archive, pk, facts) };
}

/** Of a session that changed meanwhile nothing is written: its next verdict follows. */
export function saveVerdict(archive: Archive, verdict: SessionVerdict): void {
  const { pk, version, culprit, usd, tokens, loads, findings, carried } = verdict;
  const { sqlite } = archive;
  const save = command(
    sqlite,
    `UPDATE sessions SET culprit = ?, avoidable_usd = ?, avoidable_tokens = ?, judged_version = ?, rules_version = ?
       WHERE pk = ? AND version = ?`,
  );
  const text = culprit === null ? null : JSON.stringify(culprit);
  changeSessions(sqlite, () => {
    if (save.run(text, usd, tokens, version, RULES_VERSION, pk, version).changes === 0) return;
    saveArtifactLoads(archive, version, loads);
    saveFindings(archive, pk, version, findings, carried);
  });
}
