// Context, memory and compaction through the real gate, of a session that takes writes.
import { describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/archive.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { inArchive } from "#lib/archive/testing.ts";
import { createToken } from "#lib/archive/tokens.ts";
import { contextAnswer, ingestAnswer } from "#lib/wire/memory.ts";
import { withDoors, type DoorServer } from "./testing.ts";

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
      const asked = await server.ask("POST", `${path}/events`, { json: { records: [prompt("Go."), said("Yes.")] } });
      expect([asked.status, ingestAnswer.parse(await asked.json()).seqs]).toEqual([200, [1, 2]]);
    }));

  test.each([
    ["no records", { records: [] }, 400],
    ["no body", {}, 400],
    ["another field", { records: [said("x")], turn: 1 }, 400],
    ["a record of no kind", { records: [{}] }, 400],
    ["no JSON", "{", 400],
    ["too many", { records: Array.from({ length: 1001 }, () => said("x")) }, 413],
    ["more than 1 MB", { records: [said("x".repeat(1024 * 1024))] }, 413],
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
    const part = await server.ask("GET", `${path}/context/raw?at=3&as=anthropic`, { headers: { range: "bytes=1-4" } });
    expect([part.status, await part.text()]).toEqual([206, context.payload.json.slice(1, 5)]);
    expect((await server.ask("GET", `${path}/context?at=99`)).status).toBe(404);
    for (const query of ["at=0", "at=x", "as=fax"]) {
      expect((await server.ask("GET", `${path}/context?${query}`)).status).toBe(400);
      expect((await server.ask("GET", `${path}/context/raw?${query}`)).status).toBe(400);
    }
  }));
