// Idempotency-Key through the real gate: one write for one key, over new starts of the archive too.
import { createServer } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { inArchive, inFolder, NOW, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { failureOf } from "./failure.ts";
import { browserPrincipal } from "./principal.ts";
import { post } from "./endpoint.ts";
import { sendProblem } from "./send-json.ts";
import { withDoors, type Ask, type DoorServer } from "./testing-http.ts";

const records = (text: string) => ({ records: [{ record: "event", body: { type: "assistant", text } }] });
const KEY = { "idempotency-key": "k-1" };

const inDoors = (run: (server: DoorServer, path: string, archive: Archive) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await withDoors(archive, (server) => run(server, `/api/sessions/${id}`, archive));
  });

const answered = async (response: Response) => [response.status, await response.text()] as const;
const isReplayed = (response: Response): boolean => response.headers.get("idempotency-replayed") === "true";
const eventsOf = async (server: DoorServer, path: string): Promise<number> =>
  ((await (await server.ask("GET", `${path}/events`)).json()) as { events: unknown[] }).events.length;

test("sent again, a write is answered again and not carried out again", () =>
  inDoors(async (server, path) => {
    const first = await server.ask("POST", `${path}/events`, { json: records("a"), headers: KEY });
    const second = await server.ask("POST", `${path}/events`, { json: records("a"), headers: KEY });
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true]);
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(await answered(second)).toEqual(await answered(first));
    expect(await eventsOf(server, path)).toBe(1);
    // The same key in the draft's quotes; then another one, and none.
    const quoted = { "idempotency-key": '"k-1"' };
    expect(isReplayed(await server.ask("POST", `${path}/events`, { json: records("a"), headers: quoted }))).toBe(true);
    await server.ask("POST", `${path}/events`, { json: records("a"), headers: { "idempotency-key": "k-2" } });
    await server.ask("POST", `${path}/events`, { json: records("a") });
    expect(await eventsOf(server, path)).toBe(3);
  }));

test.each([
  ["an artifact", "artifacts?name=tides", { body: "tides of May" }],
  ["an output", "outputs?tool=read_log&call=c1", { body: "calm ".repeat(4000) }],
  ["an item of memory", "memory", { json: { do: "add", kind: "semantic", text: "Pier 4 stays open" } }],
] satisfies [string, string, Ask][])(
  "a server that dies before it kept its answer has written %s once",
  (_, where, ask) =>
    inDoors(async (server, path, archive) => {
      const before = await server.ask("POST", `${path}/events`, { json: records("b") });
      expect(before.status).toBe(200);
      const real = archive.writer!;
      archive.writer = {
        ...real,
        run: (what, input, kept) =>
          what.name === "saveIdempotencyKey" ? Promise.reject(new Error("killed")) : real.run(what, input, kept),
      };
      const first = await server.ask("POST", `${path}/${where}`, { ...ask, headers: KEY });
      const counts = (): unknown =>
        archive.sqlite
          .prepare(
            `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM artifacts) AS artifacts,
             (SELECT count(*) FROM semantic_items) AS items`,
          )
          .get();
      const written = counts();
      const second = await server.ask("POST", `${path}/${where}`, { ...ask, headers: KEY });
      expect([first.ok, second.status, isReplayed(second), await second.text()]).toEqual([
        true,
        first.status,
        true,
        "",
      ]);
      expect(counts()).toEqual(written);
      const other = await server.ask("POST", `${path}/events`, { json: records("c"), headers: KEY });
      expect(other.status).toBe(422);
    }),
);

test("another body, path or method under the same key is refused, and nothing is done", () =>
  inDoors(async (server, path) => {
    await server.ask("POST", `${path}/events`, { json: records("a"), headers: KEY });
    const others: [string, string, Ask][] = [
      ["POST", `${path}/events`, { json: records("b") }],
      ["POST", `${path}/memory`, { json: records("a") }],
      ["POST", `${path}/artifacts`, { body: "bytes" }],
      ["DELETE", `${path}/artifacts`, {}],
    ];
    for (const [method, where, ask] of others) {
      const refused = await server.ask(method, where, { ...ask, headers: KEY });
      expect([method, where, refused.status]).toEqual([method, where, 422]);
      expect(await refused.text()).toContain("another request");
    }
    expect(await eventsOf(server, path)).toBe(1);
  }));

test("a key is its principal's own", () =>
  inDoors(async (server, path, archive) => {
    const { token } = await createToken(archive, { name: "w", scope: "write", days: null });
    await server.ask("POST", `${path}/events`, { json: records("a"), headers: KEY });
    const other = await server.ask("POST", `${path}/events`, { json: records("b"), headers: KEY, token });
    expect([other.status, isReplayed(other)]).toEqual([200, false]);
  }));

test.each([
  ["empty", ""],
  ["256 characters", "k".repeat(256)],
  ["a space", "a b"],
  ["two keys", "a, b"],
  ["two quoted", '"a", "b"'],
  ["an open quote", '"a'],
  ["not ASCII", "kä"],
])("a malformed key is refused: %s", (_, key) =>
  inDoors(async (server, path) => {
    const headers = { "idempotency-key": key };
    const refused = await server.ask("POST", `${path}/events`, { json: records("a"), headers });
    expect(refused.status).toBe(400);
    expect(await eventsOf(server, path)).toBe(0);
  }),
);

test("255 characters are a key; a read has none; a stream refuses it", () =>
  inDoors(async (server, path) => {
    const headers = { "idempotency-key": "k".repeat(255) };
    expect((await server.ask("POST", `${path}/events`, { json: records("a"), headers })).status).toBe(200);
    expect((await server.ask("GET", `${path}/events`, { headers })).status).toBe(200);
    expect((await server.ask("POST", "/v1/traces", { json: {}, headers })).status).toBe(400);
  }));

describe("bytes", () => {
  test.each([
    ["small", 100],
    ["streamed", 3_000_000],
  ])("%s: compared by their digest", (_, size) =>
    inDoors(async (server, path) => {
      const put = (fill: string) =>
        server.ask("POST", `${path}/artifacts?name=a.txt`, { body: fill.repeat(size), headers: KEY });
      const first = await put("a");
      const second = await put("a");
      expect([first.status, second.status, isReplayed(second)]).toEqual([201, 201, true]);
      expect(await second.text()).toBe(await first.text());
      expect((await put("b")).status).toBe(422);
      const { artifacts } = (await (await server.ask("GET", `${path}/artifacts`)).json()) as { artifacts: unknown[] };
      expect(artifacts).toHaveLength(1);
    }),
  );
});

/** An endpoint of a test on the real archive, asked with a key. */
async function asking(
  archive: Archive,
  run: () => Promise<unknown>,
  use: (ask: (key?: string) => Promise<Response>) => Promise<void>,
  isSecret = false,
): Promise<void> {
  const endpoint = post("/api/x", { answer: z.unknown(), isSecret, run });
  const server = createServer((request, response) => {
    const principal = browserPrincipal("b");
    const all = { request, response, params: {}, query: new URLSearchParams(), principal, begin: () => undefined };
    endpoint.handle({ archive } as never, all).catch((error: unknown) => {
      const failure = failureOf(error, "test");
      sendProblem(response, failure.status, failure.error);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  try {
    await use((key = "k") =>
      fetch(`http://127.0.0.1:${port}/api/x`, { method: "POST", headers: { "idempotency-key": key } }),
    );
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

test("while the first runs, the second is told to come again", () =>
  inArchive(async (archive) => {
    const held = Promise.withResolvers<string>();
    const run = vi.fn(() => held.promise);
    await asking(archive, run, async (ask) => {
      const first = ask();
      await vi.waitFor(() => expect(run).toHaveBeenCalled());
      const second = await ask();
      expect([second.status, second.headers.get("retry-after")]).toEqual([409, "1"]);
      held.resolve("done");
      expect((await first).status).toBe(200);
      expect(await answered(await ask())).toEqual([200, '"done"']);
      expect(run).toHaveBeenCalledOnce();
    });
  }));

test("a refusal is answered again; a failure of ours is tried again", () =>
  inArchive(async (archive) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const run = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new Error("a bug"))
      .mockRejectedValueOnce(new AppError("timeout", "Too slow."))
      .mockRejectedValueOnce(new AppError("not_found", "Not there."))
      .mockResolvedValue("done");
    await asking(archive, run, async (ask) => {
      expect((await ask()).status).toBe(500);
      expect((await ask()).status).toBe(504);
      const refused = await ask();
      const again = await ask();
      expect(again.headers.get("content-type")).toBe("application/problem+json");
      expect([refused.status, isReplayed(again)]).toEqual([404, true]);
      expect(await answered(again)).toEqual([404, await refused.text()]);
      expect(run).toHaveBeenCalledTimes(3);
    });
    vi.restoreAllMocks();
  }));

test("a long or secret answer is remembered as done, without its text", () =>
  inArchive(async (archive) => {
    for (const [key, answer, isSecret] of [
      ["long", "x".repeat(LIMITS.idempotencyAnswerBytes), false],
      ["secret", "plim_secret", true],
    ] as const) {
      const run = vi.fn(async () => answer);
      await asking(
        archive,
        run,
        async (ask) => {
          expect(await (await ask(key)).json()).toBe(answer);
          const again = await ask(key);
          expect([again.status, isReplayed(again), await again.text()]).toEqual([200, true, ""]);
          expect(run).toHaveBeenCalledOnce();
        },
        isSecret,
      );
    }
    const kept = archive.sqlite.prepare("SELECT answer FROM idempotency_keys").pluck().all();
    expect(kept).toEqual([null, null]);
  }));

test("the answer that shows a new token is not kept", () =>
  inDoors(async (server, _, archive) => {
    const json = { name: "t", scope: "read", days: null };
    const create = () => server.ask("POST", "/api/commands/token-create", { json, headers: KEY });
    expect(await (await create()).json()).toHaveProperty("token");
    expect(archive.sqlite.prepare("SELECT status, answer FROM idempotency_keys").all()).toEqual([
      { status: 200, answer: null },
    ]);
    expect(await answered(await create())).toEqual([200, ""]);
  }));

test("keys outlive a restart, end after 24 hours, and the oldest make room", () =>
  inFolder(async (dir) => {
    let now = NOW;
    const run = vi.fn(async () => "done");
    const opened = (use: Parameters<typeof asking>[2]): Promise<void> =>
      withArchive(
        dir,
        (archive) => asking(archive, run, use),
        testHost(() => now),
      );
    await opened(async (ask) => void (await ask()));
    await opened(async (ask) => expect(isReplayed(await ask())).toBe(true));
    now += LIMITS.idempotencyMs;
    await opened(async (ask) => expect(isReplayed(await ask())).toBe(false));
    const { idempotencyKeys } = LIMITS;
    Object.assign(LIMITS, { idempotencyKeys: 2 });
    try {
      await opened(async (ask) => {
        for (const key of ["a", "b"]) await ask(key);
        for (const [key, replayed] of [
          ["b", true],
          ["a", true],
          ["k", false],
        ] as const)
          expect([key, isReplayed(await ask(key))]).toEqual([key, replayed]);
      });
    } finally {
      Object.assign(LIMITS, { idempotencyKeys });
    }
  }));

test("killed behind the commit of events, a server that starts again has them once, with their answer", () =>
  inFolder(async (dir) => {
    const path = "/api/sessions/plimsoll:run/events";
    const send = (server: DoorServer) => server.ask("POST", path, { json: records("a"), headers: KEY });
    await withArchive(dir, async (archive) => {
      await createSession(archive, { id: "run" });
      await withDoors(archive, async (server) => {
        // What a killed process leaves: the event, its key and its answer are durable, and nobody was answered.
        const { run } = archive.writer!;
        const committed = Promise.withResolvers<void>();
        archive.writer = {
          ...archive.writer!,
          async run(what, input, kept) {
            await run(what, input, kept);
            committed.resolve();
            return new Promise(() => undefined);
          },
        };
        const lost = send(server).catch(() => null);
        await committed.promise;
        expect(await eventsOf(server, "/api/sessions/plimsoll:run")).toBe(1);
        void lost;
      });
    });
    await withArchive(dir, (archive) =>
      withDoors(archive, async (server) => {
        const again = await send(server);
        expect([again.status, isReplayed(again), await again.json()]).toEqual([
          200,
          true,
          { seqs: [1], version: expect.any(String) },
        ]);
        expect(await eventsOf(server, "/api/sessions/plimsoll:run")).toBe(1);
      }),
    );
  }));

test("what is deleted is in no kept answer any more, and the request stays done", () =>
  inDoors(async (server, path, archive) => {
    const store = () => server.ask("POST", `${path}/artifacts`, { body: "a secret of the session", headers: KEY });
    const { pointer } = (await (await store()).json()) as { pointer: string };
    await server.ask("DELETE", `/api/artifacts/${pointer}`);
    expect(archive.sqlite.prepare("SELECT answer FROM idempotency_keys").pluck().all()).toEqual([null]);
    expect(await answered(await store())).toEqual([201, ""]);
  }));

test("a body that breaks off is not remembered", () =>
  inDoors(async (server, path, archive) => {
    const head = `POST ${path}/artifacts HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.credentials.bearer}\r\n`;
    await server.raw(`${head}Idempotency-Key: k-1\r\nContent-Length: 100\r\n\r\nhalf`);
    expect(archive.sqlite.prepare("SELECT count(*) FROM idempotency_keys").pluck().get()).toBe(0);
    const whole = await server.ask("POST", `${path}/artifacts`, { body: "whole", headers: KEY });
    expect([whole.status, isReplayed(whole)]).toEqual([201, false]);
  }));
