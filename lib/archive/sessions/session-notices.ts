// What has just happened in sessions, for webhooks. It is read from the log and named by it, so that a look that is repeated,
// also after a restart or an import from the beginning, finds the same notice again and not another one.
import { hash } from "node:crypto";
import { command, query, scalar, select } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { NEAR } from "#lib/kernel/load/compaction-state.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { WebhookKind } from "#lib/wire/webhooks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { OVERFLOW } from "../base/overflow.ts";
import { rowRange } from "../base/row-keys.ts";
import { write } from "../base/write.ts";
import { labelOf } from "../import/format-label.ts";
import { isQueued, queueNoticesWrite, type Notice } from "../settings/webhook-queue.ts";
import { readWarnAt } from "../settings/warn-setting.ts";
import { deleteSessionArtifacts } from "../artifacts/end-session.ts";
import type { EndAnswer } from "#lib/wire/retention-schema.ts";

/** What was looked at before, by session: its version, and how far its log was. */
export type Looked = Map<number, { readonly version: number; readonly seq: number }>;

/** Events of a session that a first look goes back. */
const BACK = 2000;
const TITLE_CHARS = 120;

export const hasWebhooks = ({ sqlite }: Archive): boolean =>
  command(sqlite, "SELECT 1 FROM webhooks WHERE enabled = 1 LIMIT 1").get() !== undefined;

/** Sessions that something was added to a moment ago, or that have paused for as long as a finished one has. */
export function recentSessions(archive: Archive, looked: Looked): number[] {
  const now = archive.host.now();
  const since = now - LIMITS.webhookIdleMs - LIMITS.webhookLiveMs;
  const rows = query(
    archive.sqlite,
    { pk: "sessions.pk", version: "sessions.version", ended: "sessions.ended_at!" },
    `FROM sessions WHERE ended_at BETWEEN ? AND ? AND earlier IS NULL AND demo = 0
       AND NOT (format = '${captured.id}' AND parent_pk IS NOT NULL)`,
  ).all(since, now + LIMITS.webhookLiveMs);
  const pks = new Set(rows.map(({ pk }) => pk));
  for (const pk of looked.keys()) if (!pks.has(pk)) looked.delete(pk);
  return rows
    .filter(({ pk, version, ended }) => looked.get(pk)?.version !== version || now - ended >= LIMITS.webhookIdleMs)
    .map(({ pk }) => pk);
}

/** Notices of a session that were not queued yet for every webhook that wants them. */
export function noticesOf(
  archive: Archive,
  pk: number,
  looked: Looked,
  isDone: (notice: Notice) => boolean = (notice) => isQueued(archive, notice),
): Notice[] {
  const session = sessionOf(archive, pk);
  if (session === undefined) return [];
  const now = archive.host.now();
  const isLive = (at: number): boolean => at >= now - LIMITS.webhookLiveMs && at <= now + LIMITS.webhookLiveMs;
  const found = [...stressOf(archive, session, looked), ...riseOf(archive, session)].filter(({ at }) => isLive(at));
  looked.set(pk, { version: session.version, seq: session.next_seq - 1 });
  return [...found, ...pauseOf(session, now)].filter((notice) => !isDone(notice));
}

/** Ends a session that Plimsoll holds: its artifacts are deleted, and webhooks are told that it finished. */
export async function endSession(
  archive: Archive,
  name: string,
  /** Where the webhooks are of a fleet, not of this archive. */
  queue: ((notice: Notice) => Promise<void>) | null = null,
): Promise<EndAnswer> {
  const answer = await deleteSessionArtifacts(archive, name);
  if (queue === null && !hasWebhooks(archive)) return answer;
  const session = sessionOf(
    archive,
    scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(answer.sessionId)!,
  )!;
  const notice = noticeOf(session, "finished", session.next_seq, archive.host.now(), { reason: "ended" });
  if (queue !== null) await queue(notice);
  else await write(archive, queueNoticesWrite, { notices: [notice], sessionId: session.id });
  return answer;
}

function sessionOf(archive: Archive, pk: number) {
  const row = select(
    archive.sqlite,
    "sessions",
    [
      ...(["pk", "id", "title", "agent_name", "format", "model", "load_line", "relation"] as const),
      ...(["ended_at", "written_at", "next_seq", "version", "held"] as const),
    ],
    "WHERE pk = ?",
  ).get(pk);
  if (row === undefined) return undefined;
  const last = query(
    archive.sqlite,
    { prompt: "integer" },
    `SELECT input_uncached + cache_read + cache_write AS prompt FROM model_calls
     WHERE session_pk = ? AND has_usage = 1 AND input_uncached + cache_read + cache_write > 0 ORDER BY call DESC LIMIT 1`,
  ).get(pk);
  return { ...row, prompt: last?.prompt ?? null };
}

type Session = NonNullable<ReturnType<typeof sessionOf>>;

/** Refusals and compactions since the last look. */
function* stressOf(archive: Archive, session: Session, looked: Looked): Generator<Notice> {
  const before = looked.get(session.pk)?.seq ?? Number.POSITIVE_INFINITY;
  // A log that is shorter than it was, was read again from its beginning.
  const seq = before < session.next_seq ? before : session.next_seq - 1 - BACK;
  const rows = query(
    archive.sqlite,
    { ts: "events.ts!", body: "events.body" },
    `FROM events WHERE id BETWEEN ? AND ? AND type IN ('compaction', 'error') AND inherited = 0 AND ts IS NOT NULL`,
  ).all(...rowRange(session.pk, Math.max(0, seq + 1)));
  for (const { ts, body: json } of rows) {
    const body = JSON.parse(json) as EventBody;
    if (body.type === "error" && OVERFLOW.test(json)) yield noticeOf(session, "refused", ts, ts);
    // What blanks single results is an everyday thing of some agents.
    if (body.type === "compaction" && body.kind === "full")
      yield noticeOf(session, "compacted", ts, ts, {
        trigger: body.trigger,
        tokensBefore: body.tokensBefore,
        tokensAfter: body.tokensAfter,
      });
  }
}

/** The rise over the share that a person chose, named by its first call. */
function riseOf(archive: Archive, session: Session): Notice[] {
  const share = readWarnAt(archive) ?? NEAR;
  const { load_line: line, prompt, pk } = session;
  if (line === null || prompt === null || prompt < line * share) return [];
  const first = query(
    archive.sqlite,
    { call: "model_calls.call", ts: "model_calls.ts" },
    `FROM model_calls WHERE session_pk = @pk AND has_usage = 1 AND input_uncached + cache_read + cache_write >= @least
       AND call > coalesce((SELECT max(call) FROM model_calls WHERE session_pk = @pk AND has_usage = 1
         AND input_uncached + cache_read + cache_write BETWEEN 1 AND @least - 0.5), -1)
     ORDER BY call LIMIT 1`,
  ).get({ pk, least: line * share });
  return first?.ts == null ? [] : [noticeOf(session, "near", first.ts, first.ts)];
}

/** An imported session has finished when nothing was added for a while; it may go on, and finish again. */
function pauseOf(session: Session, now: number): Notice[] {
  const { ended_at: ended, written_at: written, held, relation } = session;
  if (held === 1 || relation === "subagent" || ended === null) return [];
  const pause = now - Math.max(ended, written ?? 0);
  if (pause < LIMITS.webhookIdleMs || now - ended > LIMITS.webhookIdleMs + LIMITS.webhookLiveMs) return [];
  return [noticeOf(session, "finished", ended, ended + LIMITS.webhookIdleMs, { reason: "idle" })];
}

function noticeOf(session: Session, kind: WebhookKind, key: number, at: number, more: object = {}): Notice {
  const { id, title, prompt, load_line: line } = session;
  return {
    kind,
    type: `session.${kind}`,
    personal: ["title"],
    message: `msg_${hash("sha256", JSON.stringify([kind, id, key]), "hex").slice(0, 24)}`,
    session: id,
    at,
    data: {
      session: id,
      title: title === "" ? null : redactText([...title].slice(0, TITLE_CHARS).join("")).text,
      agent: session.agent_name ?? labelOf(session.format),
      model: session.model,
      load: prompt,
      loadLine: line,
      share: prompt === null || line === null ? null : Math.round((prompt / line) * 1000) / 1000,
      ...more,
    },
  };
}
