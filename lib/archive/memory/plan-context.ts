// The context that a compaction or a plan leaves, to be read, compared with the one it was made of, copied and exported: a plan
// stands beside its session, and no call is ever sent what it says.
import { scalar } from "#db/statement.ts";
import { render } from "#lib/kernel/context/render.ts";
import type { RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { ContextAnswer, ContextQuery } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { versionOf } from "../base/session-rows.ts";
import { contextMessageOf, contextOf, contextPayload, messageAnswer, payloadAnswer } from "./context.ts";
import { rendererFor } from "./context-form.ts";
import { imageUrls } from "./context-texts.ts";
import { messageRow, sumOfMessages } from "./message-rows.ts";
import { loadCompaction } from "./read-compaction.ts";

/** A context of the session, or the one that a plan of it leaves. */
export const anyContext: typeof contextOf = (archive, name, query, options) =>
  query.plan === undefined ? contextOf(archive, name, query, options) : planContext(archive, name, query);

export const anyContextMessage: typeof contextMessageOf = async (archive, name, query) => {
  if (query.plan === undefined) return contextMessageOf(archive, name, query);
  const { after, left } = await loadPlan(archive, name, query.plan);
  return messageAnswer(query.list === "left" ? left : after.messages, query.index);
};

export const anyContextPayload: typeof contextPayload = async (archive, name, query) => {
  if (query.plan === undefined) return contextPayload(archive, name, query);
  const { pk, id, loaded } = await loadPlan(archive, name, query.plan);
  const as = rendererFor(archive, pk, query.as);
  const { request } = await payloadOf(archive, loaded, as);
  return { name: `${id}-${query.plan}.${as}.json`, json: JSON.stringify(request) };
};

async function loadPlan(archive: Archive, name: string, plan: string) {
  const pk = findSession(archive, name);
  const loaded = await loadCompaction(archive, plan);
  // Of another session it is as unknown as one that never was.
  if (loaded.row.session_pk !== pk)
    fail("not_found", `This session has no compaction "${plan.slice(0, 80)}". plimsoll memory SESSION lists them.`);
  const id = scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE pk = ?").get(pk)!;
  const { context, whole, after } = loaded;
  const stays = new Set(whole.map(({ seq }) => seq));
  const left = context.repair.messages.filter(
    ({ seqs = [] }) => seqs.length > 0 && !seqs.some((seq) => stays.has(seq)),
  );
  return { pk, id, loaded, after, left };
}

type Loaded = Awaited<ReturnType<typeof loadCompaction>>;

async function payloadOf(archive: Archive, { whole, after }: Loaded, as: RendererId) {
  const urls = await imageUrls(archive, whole);
  return render(after.messages, as, { mediaOf: (url) => urls.get(url) ?? null });
}

async function planContext(archive: Archive, name: string, query: ContextQuery): Promise<ContextAnswer> {
  const { pk, id, loaded, after, left } = await loadPlan(archive, name, query.plan!);
  // No call was ever sent a plan.
  const as = rendererFor(archive, pk, query.as);
  const messages = [...after.rows];
  return {
    sessionId: id,
    at: loaded.row.at_seq,
    as,
    isSentKnown: false,
    whyNotSent: null,
    call: null,
    request: null,
    epoch: loaded.context.log.epoch + 1,
    ...sumOfMessages(messages),
    reported: null,
    prefix: null,
    messages,
    left: left.map((message) => messageRow(message, loaded.context.log, "same")),
    ...payloadAnswer(await payloadOf(archive, loaded, as)),
    repair: { moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 },
    version: versionOf(archive, pk),
  };
}
