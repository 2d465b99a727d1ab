// Sessions that Plimsoll holds: their log is here and nowhere else.
import { columns, command, query, select } from "#db/statement.ts";
import { policyOf, type OffloadPolicy, type PolicyInput } from "#lib/kernel/artifacts/offload-presets.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { CreateSessionRequest, HeldSession, HeldSettings } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import type { Batch } from "../base/batch.ts";
import { applyPatch, loadHeldSession, loadOwnSession, saveSession, type SessionRow } from "../import/session-row.ts";
import { settleFigures } from "../import/session-stats.ts";
import { FIRST_VERSION } from "../base/first-version.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { POLICY_SETTING } from "../settings/policy-setting.ts";
import { defineWrite } from "../base/write.ts";

export type CreateInput = Omit<CreateSessionRequest, "policy" | "id"> & { id: string; policy: OffloadPolicy | null };

/** What the registry of a session of ours begins with: enough to make its row again. */
export type SessionLine = {
  readonly op: "session";
  readonly nativeId: string;
  readonly title: string;
  readonly titleRank: number;
  readonly createdAt: number;
  readonly model: string | null;
  readonly agentName: string | null;
  readonly window: number | null;
  readonly policy: OffloadPolicy | null;
  readonly compaction: HeldSettings | null;
};

/** The id that a session has by the name that its agent gave it. */
export const heldIdOf = (name: string): string => publicSessionId(`plimsoll:${name}`);

/** The write of createSession. */
export function addHeldSession(archive: Archive, batch: Batch, input: CreateInput): HeldSession {
  const { sqlite } = archive;
  const nativeId = `plimsoll:${input.id}`;
  const id = publicSessionId(nativeId);
  const known = select(sqlite, "sessions", ["held"], "WHERE native_id = ?").get(nativeId);
  if (known?.held === 0) fail("conflict", `Session "${input.id}" was imported and is read-only. Choose another id.`);
  if (known === undefined)
    command(
      sqlite,
      `INSERT INTO sessions (id, native_id, format, held, policy, window, version) VALUES (?, ?, 'plimsoll', 1, ?, ?, ${FIRST_VERSION})`,
    ).run(id, nativeId, input.policy === null ? null : JSON.stringify(input.policy), input.contextWindow ?? null);
  const session = loadHeldSession(archive, id)!;
  if (known === undefined) {
    applyPatch(session, {
      title: input.title ?? input.id,
      titleRank: input.title === undefined ? 0 : 2,
      startedAt: batch.now,
      ...(input.model !== undefined && { model: input.model }),
      ...(input.agentName !== undefined && { agentName: input.agentName }),
    });
    saveSession(archive, session, batch.now);
    settleFigures(archive, session.pk);
    // The registry tells of the session too: without the database its artifacts know whose they were.
    const { title, titleRank, model, agentName } = session.patch;
    const line: SessionLine = {
      op: "session",
      nativeId,
      title,
      titleRank,
      createdAt: batch.now,
      model,
      agentName,
      window: session.window,
      policy: input.policy,
      compaction: settingsOf(input),
    };
    saveHeldCompaction(archive, session.pk, line.compaction);
    batch.register(id, line);
  }
  return {
    id,
    nativeId,
    title: session.patch.title,
    policy: policyOfSession(archive, id),
    created: known === undefined,
  };
}

/** Under our own names; what is said twice counts by these. */
function settingsOf({ compaction, request }: CreateInput): HeldSettings | null {
  if (compaction === undefined) return request === undefined ? null : { isOff: true, request };
  const { enabled = true, threshold_percent: percent, keep_recent_inputs: kept, ...others } = compaction;
  const { tool_event_policy: toolEvents, compaction_message: instructions, ...own } = others;
  return {
    ...(percent !== undefined && { ratio: percent / 100 }),
    ...(kept !== undefined && { tail: kept }),
    ...(toolEvents !== undefined && { toolEvents }),
    ...(instructions !== undefined && { instructions }),
    ...own,
    ...(!enabled && { isOff: true as const }),
    ...(request !== undefined && { request }),
  };
}

/** What a session's agent said of its requests and their compaction. */
export function saveHeldCompaction(archive: Archive, pk: number, settings: HeldSettings | null): void {
  if (settings === null) return;
  command(archive.sqlite, "INSERT INTO held_compaction (session_pk, settings) VALUES (?, ?)").run(
    pk,
    JSON.stringify(settings),
  );
}

/** The public id of a session that takes writes. Fails for one that was imported, saying so. */
export function heldSessionId(archive: Archive, name: string): string {
  // Nearly always it is the id itself, and each put asks more than once.
  if (command(archive.sqlite, "SELECT 1 FROM sessions WHERE id = ? AND held = 1").get(name) !== undefined) return name;
  const pk = findSession(archive, name);
  const row = select(archive.sqlite, "sessions", ["id", "held"], "WHERE pk = ?").get(pk)!;
  if (row.held === 0)
    fail(
      "conflict",
      `Session ${row.id} was imported from its agent's file and is only read. Make one to write to: POST /api/sessions.`,
    );
  return row.id;
}

/** A session that takes writes, in a write. */
export function heldSession(archive: Archive, id: string): SessionRow {
  return loadHeldSession(archive, id) ?? refuseHeld(id);
}

const refuseHeld = (id: string): never =>
  fail("not_found", `No session ${id} in this archive accepts writes. Create it: POST /api/sessions.`);

/** What the artifacts of such a session need to know of it: reading the whole row cost each small put 16 µs. */
export function heldOwner(
  archive: Archive,
  id: string,
): { readonly pk: number; readonly id: string; readonly nativeId: string } {
  const row = query(
    archive.sqlite,
    { ...columns("sessions", "pk", "id"), nativeId: "sessions.native_id" },
    "FROM sessions WHERE id = ? AND held = 1",
  ).get(id);
  return row ?? refuseHeld(id);
}

/** A session whose log a compaction may be written to, in a write. */
export function ownSession(archive: Archive, id: string): SessionRow {
  return (
    loadOwnSession(archive, id) ??
    fail("not_found", `No session ${id} in this archive can be compacted. Attach a detached memory folder again first.`)
  );
}

/** The policy that decides for a session: its own, or the archive's default. */
export function policyOfSession(archive: Archive, id: string): OffloadPolicy {
  const row = query(
    archive.sqlite,
    { policy: "text?", window: "sessions.window" },
    `SELECT coalesce(policy, (SELECT value FROM settings WHERE key = '${POLICY_SETTING}')) AS policy, window
     FROM sessions WHERE id = ?`,
  ).get(id);
  const base = policyOfText(row?.policy ?? '"plimsoll"');
  return row?.window == null ? base : { ...base, context_window_tokens: row.window };
}

// Each put asks, and checking a policy takes 12 µs. There are few: more than these are sessions with one each.
const POLICIES = 100;
const policies = new Map<string, OffloadPolicy>();

function policyOfText(text: string): OffloadPolicy {
  let policy = policies.get(text);
  if (policy !== undefined) return policy;
  policy = policyOf(JSON.parse(text) as PolicyInput);
  if (policies.size >= POLICIES) policies.clear();
  policies.set(text, policy);
  return policy;
}

export const createSessionWrite = defineWrite("createSession", addHeldSession, {
  isWhole: true,
  session: (_, { id }) => heldIdOf(id),
});
