// What the sessions page says of a session's load: its top culprit and what could have been saved. Worked out by the worker
// after counting, and kept with the version that it is of.
import type { SessionCulprit } from "#lib/wire/sessions.ts";
import { culpritsOf } from "#lib/kernel/load/culprits/rank.ts";
import { frameOf } from "#lib/kernel/load/frame.ts";
import type { Archive } from "./archive.ts";
import { prepared } from "./import/prepared.ts";
import { freshFactsOf } from "./load-facts.ts";

/** Judges a session when it changed since. Returns whether it did. Only the thread that writes may ask. */
export async function judgeSession(archive: Archive, pk: number): Promise<boolean> {
  const row = prepared(archive.sqlite, "SELECT version, judged_version AS judged FROM sessions WHERE pk = ?").get(
    pk,
  ) as { version: number; judged: number | null } | undefined;
  if (row === undefined || row.version === row.judged) return false;
  const facts = await freshFactsOf(archive, pk);
  const culprits = culpritsOf(facts);
  const [top] = culprits;
  const { callUsd, promptTokens } = frameOf(facts);
  const saved = culprits.map(({ avoidableUsd }) => avoidableUsd);
  // Cures may overlap: what they save together is never more than what was spent.
  const usd =
    saved.some((one) => one === null) || top === undefined
      ? null
      : Math.min(sum(saved as number[]), sum(callUsd.map((one) => one ?? 0)));
  const tokens = Math.min(sum(culprits.map((one) => one.avoidableTokens)), promptTokens);
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
          avoidableTokens: top.avoidableTokens,
          fix: top.fix,
        };
  prepared(
    archive.sqlite,
    "UPDATE sessions SET culprit = ?, avoidable_usd = ?, avoidable_tokens = ?, judged_version = ? WHERE pk = ? AND version = ?",
  ).run(culprit === null ? null : JSON.stringify(culprit), usd, tokens, row.version, pk, row.version);
  return true;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
