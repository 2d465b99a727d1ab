// Context, memory and compaction through the real gate, of a session that takes writes.
import { describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { importSent } from "#lib/archive/memory/testing-sent.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { agentRequest } from "#lib/wire/agent-request-schema.ts";
import {
  compactAnswer,
  compactionsAnswer,
  contextAnswer,
  ingestAnswer,
  memoryAnswer,
  memoryHistory,
  memoryItem,
  undoAnswer,
} from "#lib/wire/memory-schema.ts";
import { requestsAnswer, sentRequestAnswer } from "#lib/wire/sent-request-schema.ts";
import { recallAnswer } from "#lib/wire/recall-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const said = (text: string) => ({ record: "event", body: { type: "assistant", text } });
const prompt = (text: string) => ({ record: "event", startsTurn: true, body: { type: "user", text } });

/** Runs with a server over a session without a model: nothing of it is counted. */
type Run = (server: DoorServer, path: string, id: string, archive: Archive) => Promise<void>;
const inDoors = (run: Run): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await createSession(archive, { id: "other" });
    await withDoors(archive, (server) => run(server, `/api/sessions/${id}`, id, archive));
  });

describe("telling what happened", () => {
  test("records are taken, and their seqs answered", () =>
    inDoors(async (server, path) => {
      const request = await server.ask("POST", `${path}/events`, { json: { records: [prompt("Go."), said("Yes.")] } });
      expect([request.status, ingestAnswer.parse(await request.json()).seqs]).toEqual([200, [1, 2]]);
    }));

  test.each([
    ["no records", { records: [] }, 400],
    ["no body", {}, 400],
    ["another field", { records: [said("x")], turn: 1 }, 400],
    ["a record of no kind", { records: [{}] }, 400],
    ["no JSON", "{", 400],
    ["too many", { records: Array.from({ length: LIMITS.ingestRecords + 1 }, () => said("x")) }, 413],
    ["more than 64 MB", { records: [said("x".repeat(64 * 1024 * 1024))] }, 413],
  ])("%s is refused", (_, json, status) =>
    inDoors(async (server, path) => {
      expect((await server.ask("POST", `${path}/events`, { json })).status).toBe(status);
      expect(((await (await server.ask("GET", `${path}/events`)).json()) as { events: unknown[] }).events).toEqual([]);
    }),
  );

  test("a token that only reads may not, and one of another session finds nothing", () =>
    inDoors(async (server, path, id, archive) => {
      const json = { records: [said("x")] };
      const reader = await createToken(archive, { name: "r", scope: "read", days: null });
      const writer = await createToken(archive, { name: "w", scope: "write", days: null, session: id });
      const other = await createToken(archive, { name: "o", scope: "write", days: null, session: "plimsoll:other" });
      expect((await server.ask("POST", `${path}/events`, { json, token: reader.token })).status).toBe(403);
      expect((await server.ask("POST", `${path}/events`, { json, token: other.token })).status).toBe(404);
      expect((await server.ask("POST", `${path}/events`, { json, token: writer.token })).status).toBe(200);
      expect((await server.ask("GET", `${path}/context`, { token: other.token })).status).toBe(404);
      expect((await server.ask("GET", `${path}/context/raw`, { token: other.token })).status).toBe(404);
    }));
});

test("a context is answered, its whole payload is a download, and what is asked wrongly is refused", () =>
  inDoors(async (server, path, id) => {
    const records = [prompt("Go."), said("Yes."), prompt("On.")];
    await server.ask("POST", `${path}/events`, { json: { records } });
    const context = contextAnswer.parse(await (await server.ask("GET", `${path}/context?at=3&as=anthropic`)).json());
    expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const raw = await server.ask("GET", `${path}/context/raw?at=3&as=anthropic`);
    expect(raw.headers.get("content-disposition")).toContain(`${id}-context-3.anthropic.json`);
    expect(await raw.text()).toBe(context.payload.json);
    const one = await server.ask("GET", `${path}/context/message?at=3&index=1`);
    expect(await one.json()).toEqual({ text: "Yes.", chars: 4 });
    expect((await server.ask("GET", `${path}/context/message?at=3&index=3`)).status).toBe(404);
    expect((await server.ask("GET", `${path}/context/message?at=3&list=left&index=0`)).status).toBe(404);
    expect((await server.ask("GET", `${path}/context/message?at=3&index=-1`)).status).toBe(400);
    const part = await server.ask("GET", `${path}/context/raw?at=3&as=anthropic`, { headers: { range: "bytes=1-4" } });
    expect([part.status, await part.text()]).toEqual([206, context.payload.json.slice(1, 5)]);
    expect((await server.ask("GET", `${path}/context?at=99`)).status).toBe(404);
    for (const query of ["at=0", "at=x", "as=fax"]) {
      expect((await server.ask("GET", `${path}/context?${query}`)).status).toBe(400);
      expect((await server.ask("GET", `${path}/context/raw?${query}`)).status).toBe(400);
    }
  }));

describe("the next request", () => {
  test("is answered in the renderer that was asked for, with what is told of compaction", () =>
    inDoors(async (server, path, id) => {
      await server.ask("POST", `${path}/events`, { json: { records: [prompt("Go."), said("Yes.")] } });
      const request = await server.ask("POST", `${path}/request`, { json: { as: "anthropic" } });
      const sent = agentRequest.parse(await request.json());
      expect(sent).toMatchObject({ sessionId: id, at: 2, epoch: 1, compaction: null, budget: null });
      expect(sent.request).toMatchObject({ messages: [{ role: "user" }, { role: "assistant" }] });
      const plain = agentRequest.parse(await (await server.ask("POST", `${path}/request`)).json());
      expect(plain.as).toBe("openai-chat");
      for (const json of [{ as: "fax" }, { turn: 1 }])
        expect((await server.ask("POST", `${path}/request`, { json })).status).toBe(400);
      expect((await server.ask("POST", "/api/sessions/plimsoll%3Anone/request", { json: {} })).status).toBe(404);
    }));

  test("needs a token that writes, of this session", () =>
    inDoors(async (server, path, id, archive) => {
      const statusFor = async (scope: "read" | "write", session: string | null): Promise<number> => {
        const { token } = await createToken(archive, { name: "t", scope, days: null, session });
        return (await server.ask("POST", `${path}/request`, { json: {}, token })).status;
      };
      expect(await statusFor("read", id)).toBe(403);
      expect(await statusFor("write", "plimsoll:other")).toBe(404);
      expect(await statusFor("write", id)).toBe(200);
    }));

  test("a budget that makes no sense is refused when the session is made", () =>
    inDoors(async (server) => {
      for (const compaction of [{ ratio: 0 }, { ratio: 2 }, { contextTokens: 0 }, { window: 5 }, "small"])
        expect((await server.ask("POST", "/api/sessions", { json: { id: "new", compaction } })).status).toBe(400);
    }));
});

/** Six turns of some weight. */
const TURNS = Array.from({ length: 6 }, (_, n) => [
  prompt(`Look at pier ${n}.`),
  {
    record: "event",
    body: { type: "tool_call", toolCallId: `t${n}`, toolName: "bash", input: { command: `cat ${n}` } },
  },
  { record: "event", body: { type: "tool_result", toolCallId: `t${n}`, text: `pierLine${n} tide\n`.repeat(300) } },
  said(`Pier ${n} is sound.`),
]).flat();

describe("compaction", () => {
  const inTurns = (run: Run): Promise<void> =>
    inDoors(async (server, path, id, archive) => {
      await server.ask("POST", `${path}/events`, { json: { records: TURNS } });
      await run(server, path, id, archive);
    });

  test("is a dry run unless it is asked for, then done, listed and undone", () =>
    inTurns(async (server, path, id) => {
      const dry = compactAnswer.parse(await (await server.ask("POST", `${path}/compactions`, { json: {} })).json());
      expect(dry).toMatchObject({ status: "planned", id: null, kind: "applied" });
      const json = { dryRun: false, tail: 2 };
      const done = compactAnswer.parse(await (await server.ask("POST", `${path}/compactions`, { json })).json());
      expect(done).toMatchObject({ status: "complete", turns: [1, 2, 3, 4] });
      const list = compactionsAnswer.parse(await (await server.ask("GET", `${path}/compactions`)).json());
      expect(list.compactions).toMatchObject([{ id: done.id, status: "complete" }]);
      for (const _ of [1, 2]) {
        const undo = await server.ask("POST", `/api/compactions/${done.id}/undo`);
        expect(undoAnswer.parse(await undo.json())).toMatchObject({ status: "undone", sessionId: id });
      }
    }));

  test.each([
    ["an event that is not there", { at: 25 }, 404],
    ["an event of no number", { at: 0 }, 400],
    ["a tail under none", { tail: -1 }, 400],
    ["a budget for no word", { budgetChars: 10 }, 400],
    ["a model that is not set up", { summarizer: "gpt-9" }, 400],
    ["another field", { force: true }, 400],
  ])("with %s is refused", (_, json, status) =>
    inTurns(async (server, path) => {
      expect((await server.ask("POST", `${path}/compactions`, { json })).status).toBe(status);
    }),
  );

  test("asked for twice at once is done once", () =>
    inTurns(async (server, path) => {
      const json = { dryRun: false, tail: 2 };
      const request = await Promise.all([1, 2].map(() => server.ask("POST", `${path}/compactions`, { json })));
      expect(request.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }));

  test("of another session is not a bound token's, nor is undoing", () =>
    inTurns(async (server, path, id, archive) => {
      const own = await createToken(archive, { name: "w", scope: "write", days: null, session: id });
      const other = await createToken(archive, { name: "o", scope: "write", days: null, session: "plimsoll:other" });
      const reader = await createToken(archive, { name: "r", scope: "read", days: null });
      const ask = (token: string) => server.ask("POST", `${path}/compactions`, { json: { dryRun: false }, token });
      expect((await ask(other.token)).status).toBe(404);
      expect((await ask(reader.token)).status).toBe(403);
      const done = compactAnswer.parse(await (await ask(own.token)).json());
      const undo = `/api/compactions/${done.id}/undo`;
      expect((await server.ask("POST", undo, { token: own.token })).status).toBe(404);
      expect((await server.ask("POST", undo, { token: reader.token })).status).toBe(403);
      expect((await server.ask("POST", "/api/compactions/cmp_0000000000000000/undo")).status).toBe(404);
      expect((await server.ask("POST", "/api/compactions/x/undo")).status).toBe(400);
    }));
});

describe("memory", () => {
  test("items are added, changed and listed, with their history", () =>
    inDoors(async (server, path, id, archive) => {
      const { token } = await createToken(archive, { name: "w", scope: "write", days: null, session: id });
      const json = { do: "add", kind: "semantic", text: "The gate sticks." };
      const added = memoryItem.parse(await (await server.ask("POST", `${path}/memory`, { json, token })).json());
      expect(added).toMatchObject({ madeBy: "agent", text: "The gate sticks." });
      await server.ask("POST", `${path}/memory`, { json: { do: "pin", id: added.id } });
      const { items } = memoryAnswer.parse(await (await server.ask("GET", `${path}/memory`)).json());
      expect(items).toMatchObject([{ id: added.id, pinned: true }]);
      const history = await server.ask("GET", `${path}/memory/${added.id}`);
      const { changes } = memoryHistory.parse(await history.json());
      expect(changes.map(({ did, by }) => [did, by.split(":")[0]])).toEqual([
        ["add", "token"],
        ["pin", "command-line"],
      ]);
    }));

  test.each([
    ["no wish", {}, 400],
    ["a text without an end", { do: "add", kind: "semantic", text: "x".repeat(4001) }, 400],
    ["a kind that is none", { do: "add", kind: "raw", text: "x" }, 400],
    ["an item that is not there", { do: "delete", id: "sem_none" }, 404],
    ["an event that is not there", { do: "add", kind: "semantic", text: "x", seqs: [9] }, 404],
  ])("%s is refused", (_, json, status) =>
    inDoors(async (server, path) => {
      expect((await server.ask("POST", `${path}/memory`, { json })).status).toBe(status);
    }),
  );

  test("a recall is answered, and noted in the memory", () =>
    inDoors(async (server, path) => {
      await server.ask("POST", `${path}/events`, { json: { records: TURNS } });
      const request = await server.ask("GET", `${path}/recall?query=pierLine3&k=2`);
      const answer = recallAnswer.parse(await request.json());
      expect(answer.items[0]!.summary).toContain("pierLine3");
      const { recalls } = memoryAnswer.parse(await (await server.ask("GET", `${path}/memory`)).json());
      expect(recalls).toMatchObject([{ query: "pierLine3", chars: answer.chars }]);
      expect((await server.ask("GET", `${path}/recall`)).status).toBe(400);
      expect((await server.ask("GET", `${path}/recall?query=x&at=99`)).status).toBe(404);
    }));
});

test("the requests of a session are listed and answered one by one; what is asked wrongly is refused", () =>
  inArchive(async (archive, logs) => {
    const { id: other } = await createSession(archive, { id: "other" });
    const path = `/api/sessions/${await importSent(archive, logs)}`;
    await withDoors(archive, async (server) => {
      const answered = async (address: string): Promise<unknown> => (await server.ask("GET", address)).json();
      const list = requestsAnswer.parse(await answered(`${path}/requests?limit=1`));
      expect(list).toMatchObject({ total: 3, unanswered: 1, requests: [{ requestId: "req-1", call: 1 }] });
      const next = requestsAnswer.parse(await answered(`${path}/requests?limit=1&from=${list.next!}`));
      expect(next).toMatchObject({ requests: [{ requestId: "req-2", call: 2 }] });
      const last = requestsAnswer.parse(await answered(`${path}/requests?answered=no`));
      expect(last).toMatchObject({ next: null, requests: [{ requestId: "req-3", call: null }] });
      const one = sentRequestAnswer.parse(await answered(`${path}/request?request=req-2`));
      expect(one).toEqual(sentRequestAnswer.parse(await answered(`${path}/request?call=2`)));
      const status = async (address: string): Promise<number> => (await server.ask("GET", address)).status;
      for (const query of ["", "?call=1&request=req-1", "?request=", `?request=${"x".repeat(201)}`, "?call=0"])
        expect(await status(`${path}/request${query}`)).toBe(400);
      for (const query of ["?limit=501", "?from=0", "?answered=yes"])
        expect(await status(`${path}/requests${query}`)).toBe(400);
      expect(await status(`${path}/request?request=req-9`)).toBe(404);
      // Of another session it is as unknown as one that never was.
      expect(await status(`/api/sessions/${other}/request?request=req-1`)).toBe(404);
      expect(await answered(`/api/sessions/${other}/requests`)).toMatchObject({
        total: 0,
        why: "This session's file does not hold the requests that were sent.",
      });
      const bound = await createToken(archive, { name: "o", scope: "read", days: null, session: "plimsoll:other" });
      for (const address of [`${path}/requests`, `${path}/request?request=req-1`])
        expect((await server.ask("GET", address, { token: bound.token })).status).toBe(404);
    });
  }));
