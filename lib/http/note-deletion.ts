// What people take away of what they keep beside sessions: at a node of a fleet it is a row of the audit log, before it is answered.
import { undoCompaction } from "#lib/archive/memory/compact.ts";
import { listMarks, setMark } from "#lib/archive/settings/marks.ts";
import type { UndoAnswer } from "#lib/wire/memory-schema.ts";
import type { Mark, MarkRequest, MarksAnswer } from "#lib/wire/marks-schema.ts";
import type { Call } from "./endpoint.ts";
import { askedBy } from "./fleet-admission.ts";

type Asker = Pick<Call, "app" | "archive" | "principal" | "request">;

export async function noteDeletion({ app, ...asker }: Asker, session: string, what: string): Promise<void> {
  await app.fleet?.noteDeletion(askedBy(asker), session, what);
}

export async function setNotedMark(asker: Asker, session: string, request: MarkRequest): Promise<MarksAnswer> {
  const { app, archive } = asker;
  const taken = app.fleet === null ? null : takenMark(listMarks(archive, session).marks, request);
  const answer = await setMark(archive, session, request);
  if (taken !== null) await noteDeletion(asker, session, taken);
  return answer;
}

export async function undoNoted(asker: Asker, id: string): Promise<UndoAnswer> {
  const answer = await undoCompaction(asker.archive, id);
  await noteDeletion(asker, answer.sessionId, `compaction ${answer.id}`);
  return answer;
}

/** What a request takes away of these marks, as the audit log has it; null where it takes none. What a note said is not repeated. */
function takenMark(marks: readonly Mark[], request: MarkRequest): string | null {
  const { kind, seq } = request;
  if (kind === "note" ? request.value !== "" : request.on) return null;
  const isThere = marks.some(
    (one) => one.kind === kind && one.seq === seq && (kind !== "label" || one.value === request.value),
  );
  const what = kind === "label" ? `label "${request.value}"` : kind;
  return isThere ? `${what}${seq === null ? "" : ` of event ${seq}`}` : null;
}
