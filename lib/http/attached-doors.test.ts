// Memory folders attached, looked at again, compacted and undone through the real gate.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { filesIn, makeFolder } from "#lib/archive/memory/testing-directories.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { attachedAnswer, attachedList, detachedAnswer } from "#lib/wire/attached-schema.ts";
import { compactAnswer, undoAnswer } from "#lib/wire/memory-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const inDoors = (run: (server: DoorServer, path: string, archive: Archive) => Promise<void>): Promise<void> =>
  inArchive((archive, logs) => {
    const path = join(logs, "agents", "made-up");
    makeFolder(path, 12);
    return withDoors(archive, (server) => run(server, path, archive));
  });

test("a folder is attached, looked at again, compacted for real, and is what it was when that is undone", () =>
  inDoors(async (server, path) => {
    const before = filesIn(path);
    const request = await server.ask("POST", "/api/attached", { json: { path } });
    expect(request.status).toBe(200);
    const { sessionId, created } = attachedAnswer.parse(await request.json());
    expect(created).toBe(true);
    const again = await server.ask("POST", `/api/attached/${sessionId}/refresh`, { json: {} });
    expect(attachedAnswer.parse(await again.json())).toMatchObject({ sessionId, created: false, added: 0 });
    const list = attachedList.parse(await (await server.ask("GET", "/api/attached")).json());
    expect(list.attached).toMatchObject([{ sessionId, path, generation: 2, refuses: null }]);
    const door = `/api/sessions/${sessionId}/compactions`;
    const done = compactAnswer.parse(
      await (await server.ask("POST", door, { json: { tail: 2, dryRun: false } })).json(),
    );
    expect(done).toMatchObject({ status: "complete", kind: "applied" });
    expect(filesIn(path)).not.toEqual(before);
    const undone = await server.ask("POST", `/api/compactions/${done.id}/undo`, { json: {} });
    expect(undoAnswer.parse(await undone.json())).toMatchObject({ status: "undone", sessionId });
    expect(filesIn(path)).toEqual(before);
    const gone = await server.ask("DELETE", `/api/attached/${sessionId}`);
    expect(detachedAnswer.parse(await gone.json())).toEqual({ sessionId, path });
    expect(filesIn(path)).toEqual(before);
    expect((await server.ask("DELETE", `/api/attached/${sessionId}`)).status).toBe(404);
    expect((await server.ask("GET", `/api/sessions/${sessionId}/memory`)).status).toBe(200);
  }));

test("every door that shows a session shows an attached folder", () =>
  inDoors(async (server, path) => {
    const { sessionId } = attachedAnswer.parse(
      await (await server.ask("POST", "/api/attached", { json: { path } })).json(),
    );
    const doors = [
      "",
      "/events",
      "/events/1",
      "/outline",
      "/find?q=parser",
      "/load",
      "/ledger",
      "/whatif",
      "/heaviest",
      "/tools",
    ];
    const more = ["/context", "/context?as=anthropic", "/compactions", "/memory", "/recall?query=parser", "/artifacts"];
    for (const door of [...doors, ...more]) {
      const answer = await server.ask("GET", `/api/sessions/${sessionId}${door}`);
      expect([door, answer.status]).toEqual([door, 200]);
    }
    const { sessions } = (await (await server.ask("GET", "/api/sessions")).json()) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual([sessionId]);
  }));

test("only who manages the archive may attach, and what is wrong is told", () =>
  inDoors(async (server, path, archive) => {
    const writer = await createToken(archive, { name: "w", scope: "write", days: null });
    const { token } = writer;
    expect((await server.ask("POST", "/api/attached", { json: { path }, token })).status).toBe(403);
    expect((await server.ask("POST", "/api/attached", { json: {} })).status).toBe(400);
    expect((await server.ask("POST", "/api/attached", { json: { path: join(path, "nothing") } })).status).toBe(404);
    expect((await server.ask("POST", "/api/attached", { json: { path: join(path, "..", "..") } })).status).toBe(400);
    expect((await server.ask("POST", "/api/attached/s_0000000000000000/refresh", { json: {} })).status).toBe(404);
    expect((await server.ask("DELETE", "/api/attached/s_0000000000000000", { token })).status).toBe(403);
    expect((await server.ask("DELETE", "/api/attached/s_0000000000000000")).status).toBe(404);
    const list = attachedList.parse(await (await server.ask("GET", "/api/attached")).json());
    expect(list.attached).toEqual([]);
  }));
