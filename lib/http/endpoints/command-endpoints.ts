// The writing commands that the command line hands to the server which holds the writer lock. Each checks what it is given: the
// command line of another version may have sent it.
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { addReadsWrite } from "#lib/archive/artifacts/reading-rows.ts";
import { closeTurn, createSession } from "#lib/archive/artifacts/create-session.ts";
import { takeSpooled } from "#lib/archive/artifacts/output-spool.ts";
import { carryOn, takeBack } from "#lib/archive/handover/carry-on.ts";
import { removeSession } from "#lib/archive/sources/remove-session.ts";
import { removedSession } from "#lib/wire/remove-schema.ts";
import { askSweep } from "#lib/archive/artifacts/sweep.ts";
import { write } from "#lib/archive/base/write.ts";
import { attachDirectory } from "#lib/archive/memory/attach-directory.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import { markFinding } from "#lib/archive/load/list-findings.ts";
import { compactSession } from "#lib/archive/memory/compact.ts";
import { addRecallWrite } from "#lib/archive/memory/recall-rows.ts";
import { endSession } from "#lib/archive/sessions/session-notices.ts";
import { createToken, revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { dropSearch, saveSearch } from "#lib/archive/settings/marks.ts";
import { addWebhook, changeWebhook, removeWebhook, testWebhook } from "#lib/archive/settings/webhooks.ts";
import { refuseOfFleet, type OfFleet } from "#lib/fleet/node-archive.ts";
import { fail } from "#lib/kernel/errors.ts";
import { attachedAnswer, attachRequest } from "#lib/wire/attached-schema.ts";
import { budgetRequest, budgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { calibrateRequest, calibrationAnswer } from "#lib/wire/calibration-schema.ts";
import { checkAnswer } from "#lib/wire/check-schema.ts";
import { findingMarkRequest, findingParams, findingRow } from "#lib/wire/findings-schema.ts";
import { closeTurnAnswer, createSessionRequest, heldSession } from "#lib/wire/held-schema.ts";
import { carryOnAnswer, carryOnRequest, takeBackAnswer } from "#lib/wire/carry-on-schema.ts";
import { compactAnswer, compactRequest, undoAnswer } from "#lib/wire/memory-schema.ts";
import { recallNotes } from "#lib/wire/recall-schema.ts";
import { endAnswer, gcAnswer, gcRequest } from "#lib/wire/retention-schema.ts";
import { importAnswer, importRequest } from "#lib/wire/sources-schema.ts";
import { createdToken, createTokenRequest, revokeTokenRequest, tokenRow } from "#lib/wire/tokens-schema.ts";
import { dropSearchRequest, markRequest, marksAnswer, savedSearch, saveSearchRequest } from "#lib/wire/marks-schema.ts";
import { readNotes } from "#lib/wire/tools-schema.ts";
import {
  addWebhookRequest,
  changeWebhookRequest,
  namedWebhook,
  savedWebhook,
  webhookDelivery,
  webhookRow,
} from "#lib/wire/webhooks-schema.ts";
import type { AppContext } from "../app-context.ts";
import { post, type Call, type Endpoint, type Sent } from "../endpoint.ts";
import { setNotedMark, undoNoted } from "../note-deletion.ts";

type Run<B, A> = (archive: Archive, body: B, call: Call<undefined, undefined, B>) => Promise<Sent<NoInfer<A>>>;

function command<B, A>(
  name: string,
  body: z.ZodType<B>,
  answer: z.ZodType<A>,
  run: Run<B, A>,
  isSecret = false,
): Endpoint {
  return post(`/api/commands/${name}`, {
    auth: "bearer",
    body,
    answer,
    isSecret,
    run: (call) => run(call.archive, call.body, call),
  });
}

type LongCall = Pick<Call<undefined, undefined, object>, "archive" | "signal">;

/** A long job of the thread that writes. It ends when who asked for it leaves. */
async function work<A>({ archive, signal }: LongCall, name: string, input: object, answer: z.ZodType<A>): Promise<A> {
  const { writer } = archive;
  if (writer?.work === undefined) fail("unsupported", `No worker runs ${name} here.`);
  return answer.parse(await writer.work(name, input, { signal }));
}

/** Fails at a node: what it kept in its own archive could be gone tomorrow, and other nodes would not have it. */
function requireMachine({ fleet }: AppContext, what: OfFleet): void {
  if (fleet !== null) refuseOfFleet(what);
}

const session = { session: z.string() };

export const commandEndpoints = [
  command("import", importRequest, importAnswer, async (_, { paths, archived }, { app }) => {
    if (archived !== undefined) for (const path of paths) await app.imports.readArchived(path, archived);
    return (await app.imports.start(paths)).done;
  }),
  command("attach", attachRequest, attachedAnswer, (archive, { path }) => attachDirectory(archive, path)),
  command("check", z.unknown(), checkAnswer, (_, __, call) => work(call, "rebuild", {}, checkAnswer)),
  command("calibrate", calibrateRequest, calibrationAnswer, (_, body, call) =>
    work(call, "calibrate", body, calibrationAnswer),
  ),
  command("gc", gcRequest, gcAnswer, (archive, body, { signal }) => askSweep(archive, body, { signal })),
  command("note-reads", readNotes, z.object({}), async (archive, body) => {
    await write(archive, addReadsWrite, body);
    return {};
  }),
  command("note-recalls", recallNotes, z.object({}), async (archive, body) => {
    await write(archive, addRecallWrite, body);
    return {};
  }),
  command("compact", compactRequest.extend(session), compactAnswer, (archive, { session, ...request }) =>
    compactSession(archive, session, request, { counted: true }),
  ),
  command("undo", z.strictObject({ id: z.string() }), undoAnswer, (_, { id }, call) => undoNoted(call, id)),
  command("carry-on", carryOnRequest.extend(session), carryOnAnswer, (archive, { session, ...request }, { signal }) =>
    carryOn(archive, session, request, { signal, counted: true }),
  ),
  command("take-back", z.strictObject({ id: z.string() }), takeBackAnswer, (archive, { id }) => takeBack(archive, id)),
  command("session-create", createSessionRequest, heldSession, createSession),
  command(
    "session-close",
    z.strictObject({ ...session, turn: z.number().int().min(0) }),
    closeTurnAnswer,
    (archive, { session, turn }) => closeTurn(archive, session, turn),
  ),
  command("remove", z.strictObject(session), removedSession, async (archive, { session }, { app }) => {
    const removed = await removeSession(archive, session);
    app.changes.publish({ type: "session", id: removed.sessionId, events: 0 });
    return removed;
  }),
  command("take-spooled", z.unknown(), z.object({ taken: z.number() }), async (archive) => ({
    taken: await takeSpooled(archive),
  })),
  command("end", z.strictObject(session), endAnswer, (archive, { session }, { app }) =>
    endSession(archive, session, app.fleet?.webhooks.queue),
  ),
  command("token-create", createTokenRequest, createdToken, createToken, true),
  command("token-revoke", revokeTokenRequest, tokenRow, (archive, { id }) => revokeToken(archive, id)),
  command(
    "finding-mark",
    findingMarkRequest.extend(findingParams.shape),
    findingRow,
    async (archive, { id, mark }, { app }) => {
      const marked = await markFinding(archive, id, { mark });
      app.changes.publish({ type: "sessions" });
      return marked;
    },
  ),
  command("budget-save", budgetRequest, budgetsAnswer, async (archive, body, { app }) => {
    requireMachine(app, "budgets");
    const answer = await saveBudget(archive, body);
    app.changes.publish({ type: "sessions" });
    return answer;
  }),
  command(
    "webhook-add",
    addWebhookRequest,
    savedWebhook,
    (archive, body, { app }) => {
      requireMachine(app, "webhooks");
      return addWebhook(archive, body);
    },
    true,
  ),
  command(
    "webhook-change",
    changeWebhookRequest.extend(namedWebhook.shape),
    savedWebhook,
    async (archive, { webhook, ...change }, { app }) => {
      requireMachine(app, "webhooks");
      const saved = await changeWebhook(archive, webhook, change);
      app.changes.publish({ type: "sessions" });
      return saved;
    },
    true,
  ),
  command("webhook-remove", namedWebhook, webhookRow, async (archive, { webhook }, { app }) => {
    requireMachine(app, "webhooks");
    const removed = await removeWebhook(archive, webhook);
    app.changes.publish({ type: "sessions" });
    return removed;
  }),
  command("mark", z.strictObject({ ...session, request: markRequest }), marksAnswer, async (_, body, call) => {
    const answer = await setNotedMark(call, body.session, body.request);
    call.app.changes.publish({ type: "sessions" });
    return answer;
  }),
  command("search-save", saveSearchRequest, savedSearch, async (archive, search, { app }) => {
    requireMachine(app, "searches");
    const saved = await saveSearch(archive, search);
    app.changes.publish({ type: "sessions" });
    return saved;
  }),
  command("search-drop", dropSearchRequest, z.object({ deleted: z.boolean() }), async (archive, search, { app }) => {
    requireMachine(app, "searches");
    const dropped = await dropSearch(archive, search);
    app.changes.publish({ type: "sessions" });
    return dropped;
  }),
  command("webhook-test", namedWebhook, webhookDelivery, (archive, { webhook }, { app }) => {
    requireMachine(app, "webhooks");
    return testWebhook(archive, webhook);
  }),
  post("/api/commands/:name", {
    auth: "bearer",
    params: z.object({ name: z.string().regex(/^[a-z][a-z-]{0,39}$/, "is not a command") }),
    answer: z.never(),
    run: ({ params }) => fail("unsupported", `The server has no command "${params.name}".`),
  }),
];
