// The summary that an agent wrote of its own context, beside the one that a compaction here would make of it.
import { select } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import type { PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { CompactionRow, CompactRequest } from "#lib/wire/memory-schema.ts";
import type { OwnComparison } from "#lib/wire/own-summary-schema.ts";
import { wholeText } from "../artifacts/whole-text.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { callsOf } from "../base/session-rows.ts";
import { compactionRows } from "./compaction-rows.ts";
import { compactSession, type CompactOptions } from "./compact.ts";
import { countText } from "./count-text.ts";

/**
 * Compares with the agent's first compaction after the event of the request, else with its last. Nothing is written.
 * Fails as a dry run does.
 */
export async function compareOwn(
  archive: Archive,
  name: string,
  request: CompactRequest,
  options: CompactOptions = {},
): Promise<OwnComparison> {
  const pk = findSession(archive, name);
  const agents = compactionRows(archive, pk).filter(({ kind, status }) => kind === "agent" && status === "complete");
  const readable = agents.filter(({ summary }) => summary.trim() !== "");
  const { at } = request;
  const own = (at === undefined ? undefined : readable.find((one) => one.at > at)) ?? readable.at(-1);
  if (own === undefined)
    return {
      own: null,
      whyNone:
        agents.length === 0
          ? "The agent did not compact this session."
          : "The agent's summary cannot be read: the provider encrypted it.",
      ours: null,
      isSameCut: false,
    };
  // At a later event the next call is asked, which was sent what the compaction left.
  const sameAt = callsOf(archive, pk).findLast(({ firstSeq }) => firstSeq < own.at)?.firstSeq ?? own.at - 1;
  const answer = await compactSession(archive, name, { ...request, dryRun: true }, options);
  const ours = answer.events === null ? null : answer.summary;
  const evidence = await judged(archive, pk, own, agents, [own.summary, ...(ours === null ? [] : [ours])], options);
  const sideOf = async (text: string, scores: Evidence | undefined) => {
    const { tokens, origin } = await countText(archive, pk, text);
    return { text, tokens, origin, evidence: scores ?? null };
  };
  return {
    own: { ...(await sideOf(own.summary, evidence?.[0])), seq: own.at, at: sameAt, trigger: own.trigger },
    whyNone: null,
    ours: ours === null ? null : { ...(await sideOf(ours, evidence?.[1])), at: answer.at, turnsWhole: request.tail },
    isSameCut: at === sameAt || (ours !== null && at !== undefined && answer.at >= sameAt - 1 && answer.at < own.at),
  };
}

/** What each summary keeps of what the agent needed after its own compaction; null where the log is too long to be judged. */
async function judged(
  archive: Archive,
  pk: number,
  own: CompactionRow,
  agents: readonly CompactionRow[],
  summaries: readonly string[],
  { signal }: CompactOptions,
): Promise<readonly Evidence[] | null> {
  const start = agents.findLast(({ at }) => at < own.at)?.at ?? 0;
  const end = agents.find(({ at }) => at > own.at)?.at ?? Number.POSITIVE_INFINITY;
  const events = await eventsOf(archive, pk, start, end);
  if (events === null) return null;
  return archive.jobs.judge({
    before: events.filter(({ seq }) => seq < own.at),
    after: events.filter(({ seq }) => seq >= own.at),
    summaries,
    ...(signal !== undefined && { signal }),
  });
}

/** Events from one place to before another, with whole outputs; null when they are too much. */
async function eventsOf(archive: Archive, pk: number, from: number, to: number): Promise<PieceEvent[] | null> {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "artifact", "body"],
    "WHERE id BETWEEN ? AND ? ORDER BY id",
  ).iterate(...(Number.isFinite(to) ? rowRange(pk, from, to - 1) : rowRange(pk, from)));
  const events: PieceEvent[] = [];
  let chars = 0;
  for (const { id, artifact, body: json } of rows) {
    chars += json.length;
    if (chars > LIMITS.evidenceChars) return null;
    events.push({ seq: seqOfRow(id), artifact, body: JSON.parse(json) as EventBody });
  }
  const whole: PieceEvent[] = [];
  for (const event of events) {
    const { artifact, body } = event;
    const text =
      artifact !== null && body.type === "tool_result" && body.saw === "full"
        ? await wholeText(archive, artifact)
        : null;
    chars += text?.length ?? 0;
    if (chars > LIMITS.evidenceChars) return null;
    whole.push(text === null || !("text" in body) ? event : { ...event, body: { ...body, text } });
  }
  return whole;
}
