// The playground's doors through the real gate: pieces as they come, plain refusals before them, and what happens when the
// reader goes away or stops reading.
import { mkdtempSync, rmSync } from "node:fs";
import { request, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { testHost } from "#lib/archive/testing-archive.ts";
import { createToken } from "#lib/archive/settings/access-tokens.ts";
import { grepManyPiece, type GrepManyPiece } from "#lib/wire/grep-many-schema.ts";
import {
  grepPiece,
  historyAnswer,
  jqPiece,
  probeAnswer,
  programsAnswer,
  savedProgram,
  savedRun,
  type JqRunEnd,
} from "#lib/wire/playground-schema.ts";
import { cookieName } from "./gate.ts";
import { withDoors, type Ask, type DoorServer } from "./testing-http.ts";

const dir = mkdtempSync(join(tmpdir(), "plimsoll-playground-"));
let archive: Archive;
const refs: Record<"rows" | "log" | "secret", string> = { rows: "", log: "", secret: "" };

beforeAll(async () => {
  archive = await openArchive({ dir, host: testHost() });
  await createSession(archive, { id: "mine" });
  await createSession(archive, { id: "other" });
  const put = async (text: string, name: string, session = "mine") =>
    (await storeArtifact(archive, { session, name }, Buffer.from(text))).pointer;
  refs.rows = await put(JSON.stringify([{ a: 1 }, { a: 2 }]), "rows");
  refs.log = await put("one hit\ntwo\nthree hits\n".repeat(1000), "log");
  refs.secret = await put('{"secret":1}', "secret", "other");
});
afterAll(async () => {
  await closeArchive(archive);
  rmSync(dir, { recursive: true, force: true });
});

async function jq(server: DoorServer, json: object, init: Ask = {}): Promise<{ output: string; end: JqRunEnd }> {
  const response = await server.ask("POST", "/api/playground/jq", { json: { inputs: [], ...json }, ...init });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  const lines = (await response.text()).trimEnd().split("\n");
  const pieces = lines.map((line) => jqPiece.parse(JSON.parse(line)));
  const end = pieces.pop()!;
  if (end.type !== "end") throw new Error("The stream has no end.");
  return { output: pieces.map((piece) => (piece.type === "output" ? piece.text : "")).join(""), end };
}

async function refusal(server: DoorServer, path: string, init: Ask): Promise<[number, string]> {
  const response = await server.ask("POST", `/api/playground/${path}`, init);
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test("a program is answered piece by piece, and its end says how it went", () =>
  withDoors(archive, async (server) => {
    const over = [{ artifact: refs.rows }, { text: '{"a":3}' }];
    const { output, end } = await jq(server, {
      program: "..|.a? // empty",
      inputs: over,
      options: { compact: true },
      deadlineMs: 3000,
    });
    expect(output).toBe("1\n2\n3\n");
    expect(end).toMatchObject({ ok: true, failure: null, values: 3, outputBytes: 6, isCut: false, deadlineMs: 3000 });
    const cut = await jq(server, { program: "range(1e5)", options: { nullInput: true }, outputBytes: 1000 });
    expect(cut.end).toMatchObject({ isCut: true, values: 100_000, outputBytes: 588_890 });
    expect(cut.output.length).toBeLessThanOrEqual(1000);
    const wrong = await jq(server, { program: ".a |\n | .b" });
    expect(wrong.end.failure).toMatchObject({ kind: "compile", line: 2, column: 2 });
  }));

test("lines of a search come in batches, and its end counts the matches", () =>
  withDoors(archive, async (server) => {
    const json = { artifact: refs.log, pattern: "hits?", options: ["-C1"], lines: 10 };
    const response = await server.ask("POST", "/api/playground/grep", { json });
    const pieces = (await response.text())
      .trimEnd()
      .split("\n")
      .map((line) => grepPiece.parse(JSON.parse(line)));
    const end = pieces.pop()!;
    expect(end).toMatchObject({ type: "end", ok: true, matches: 2000, isCounted: true });
    const lines = pieces.flatMap((piece) => (piece.type === "lines" ? piece.lines : []));
    expect(lines.map((line) => line.line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(lines[1]).toMatchObject({ text: "two", isContext: true });
  }));

test("what is wrong with a request is a plain refusal before the stream begins", () =>
  withDoors(archive, async (server) => {
    const inputs: unknown[] = [];
    expect(await refusal(server, "jq", { json: "{" })).toEqual([400, "invalid"]);
    expect(await refusal(server, "jq", { json: { program: "", inputs } })).toEqual([400, "invalid"]);
    expect(await refusal(server, "jq", { json: { program: ".", inputs, shell: "ls" } })).toEqual([400, "invalid"]);
    expect(await refusal(server, "jq", { json: { program: ".", inputs: [{ path: "/etc/passwd" }] } })).toEqual([
      400,
      "invalid",
    ]);
    expect(await refusal(server, "jq", { json: { program: ".", inputs: [{ artifact: "art:gone-x" }] } })).toEqual([
      404,
      "not_found",
    ]);
    expect(await refusal(server, "jq", { json: { program: ".", inputs: [{ artifact: refs.log }] } })).toEqual([
      422,
      "unsupported",
    ]);
    expect(await refusal(server, "grep", { json: { artifact: "nothing", pattern: "x" } })).toEqual([404, "not_found"]);
    expect(await refusal(server, "jq", { body: "{}", headers: { "content-type": "text/plain" } })).toEqual([
      415,
      "unsupported",
    ]);
  }));

test("completion asks from a browser alone, within its limits", () =>
  withDoors(archive, async (server) => {
    const secret = await server.credentials.exchange(server.credentials.newLaunchToken());
    const probe = (json: object) =>
      fetch(`${server.url}/api/playground/probe`, {
        method: "POST",
        headers: {
          cookie: `${cookieName(server.port)}=${secret}`,
          origin: server.url,
          "content-type": "application/json",
        },
        body: JSON.stringify(json),
      });
    const json = { program: ".[] | _probe", inputs: [{ artifact: refs.rows }] };
    // The first program of a thread may take longer than completion waits.
    await jq(server, { program: "length", inputs: json.inputs });
    const { nodes } = probeAnswer.parse(await (await probe(json)).json());
    expect(nodes).toMatchObject([{ count: 2 }, { key: "a", owners: 2, values: [{ text: "1" }, { text: "2" }] }]);
    expect((await probe({ ...json, deadlineMs: 60_000 })).status).toBe(400);
    expect((await probe({ ...json, inputs: [{ artifact: refs.log }] })).status).toBe(422);
    const { token } = await createToken(archive, { name: "agent", scope: "admin" });
    for (const who of [token, server.credentials.bearer])
      expect((await refusal(server, "probe", { json, token: who }))[0]).toBe(403);
    const bound = await createToken(archive, { name: "bound", scope: "write", session: "mine" });
    expect((await refusal(server, "probe", { json, token: bound.token }))[0]).toBe(404);
  }));

describe("a token", () => {
  test("of one session sees its artifacts alone, and none of what people keep", () =>
    withDoors(archive, async (server) => {
      const { token } = await createToken(archive, { name: "agent", scope: "write", session: "mine" });
      const { output } = await jq(server, { program: "length", inputs: [{ artifact: refs.rows }] }, { token });
      expect(output).toBe("2\n");
      const there = { program: ".", inputs: [{ artifact: refs.secret }] };
      const never = { program: ".", inputs: [{ artifact: "art:00000000-0000-4000-8000-000000000000" }] };
      for (const json of [there, never])
        expect(await refusal(server, "jq", { json, token })).toEqual([404, "not_found"]);
      expect(await refusal(server, "grep", { json: { artifact: refs.secret, pattern: "s" }, token })).toEqual([
        404,
        "not_found",
      ]);
      for (const path of ["history", "programs"])
        expect((await server.ask("GET", `/api/playground/${path}`, { token })).status).toBe(404);
      expect(await refusal(server, "save", { json: { ...there, name: "x" }, token })).toEqual([404, "not_found"]);
    }));

  test("that only reads runs programs, and keeps nothing", () =>
    withDoors(archive, async (server) => {
      const { token } = await createToken(archive, { name: "reader", scope: "read" });
      const { end } = await jq(server, { program: "1", options: { nullInput: true }, isKept: true }, { token });
      expect([end.ok, end.runId]).toEqual([true, null]);
      const json = { program: "1", inputs: [], name: "x" };
      expect((await refusal(server, "save", { json, token }))[0]).toBe(403);
      const program = { kind: "jq", name: "x", program: ".", options: {} };
      expect((await refusal(server, "programs", { json: program, token }))[0]).toBe(403);
    }));
});

test("one pattern searches many artifacts, a token of one session those of its session", () =>
  withDoors(archive, async (server) => {
    const search = async (json: object, init: Ask = {}): Promise<GrepManyPiece[]> => {
      const response = await server.ask("POST", "/api/artifacts/grep", { json, ...init });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        200,
        "application/x-ndjson; charset=utf-8",
      ]);
      const lines = (await response.text()).trimEnd().split("\n");
      return lines.map((line) => grepManyPiece.parse(JSON.parse(line)));
    };
    const pointersOf = (pieces: readonly GrepManyPiece[]): string[] =>
      pieces.flatMap((piece) => (piece.type === "found" ? [piece.artifact.pointer] : []));
    expect(pointersOf(await search({ pattern: "hit|secret" })).toSorted()).toEqual([refs.log, refs.secret].toSorted());
    const { token } = await createToken(archive, { name: "searcher", scope: "read", session: "mine" });
    const own = await search({ pattern: "hit|secret", filter: { session: "other" } }, { token });
    expect(pointersOf(own)).toEqual([refs.log]);
    const ask = (json: object) => server.ask("POST", "/api/artifacts/grep", { json, token });
    expect((await ask({ pattern: "s", artifacts: [refs.secret] })).status).toBe(404);
    expect((await ask({ pattern: "" })).status).toBe(400);
    expect((await ask({ pattern: "x", filter: { sort: "weight" } })).status).toBe(400);
  }));

test("a result is saved, a program kept, and the history told", () =>
  withDoors(archive, async (server) => {
    const json = { program: ".[].a", inputs: [{ artifact: refs.rows }], name: "the a's" };
    const response = await server.ask("POST", "/api/playground/save", { json });
    expect(response.status).toBe(201);
    const saved = savedRun.parse(await response.json());
    const raw = await server.ask("GET", `/api/artifacts/${encodeURIComponent(saved.pointer)}/raw`);
    expect(await raw.text()).toBe("1\n2\n");

    const program = { kind: "jq", name: "a", program: ".[].a", options: { compact: true }, fits: "JSON" };
    const kept = savedProgram.parse(
      await (await server.ask("POST", "/api/playground/programs", { json: program })).json(),
    );
    const { programs } = programsAnswer.parse(await (await server.ask("GET", "/api/playground/programs")).json());
    expect(programs).toEqual([kept]);
    const one = await server.ask("GET", `/api/playground/programs/${kept.id}`);
    expect(savedProgram.parse(await one.json())).toEqual(kept);
    const gone = await server.ask("DELETE", `/api/playground/programs/${kept.id}`, { json: {} });
    expect(await gone.json()).toEqual({ deleted: true });

    const { end } = await jq(server, { program: "length", inputs: [{ artifact: refs.rows }], isKept: true });
    const answer = await server.ask(
      "GET",
      `/api/playground/history?who=mine&artifact=${encodeURIComponent(refs.rows)}`,
    );
    const { runs } = historyAnswer.parse(await answer.json());
    expect(runs).toMatchObject([{ id: end.runId, program: "length", results: 1, artifacts: [refs.rows] }]);
    expect((await server.ask("GET", "/api/playground/history?limit=0")).status).toBe(400);
  }));

/** Sends a run on a socket of its own; what comes, until `see` says enough. */
function connection(server: DoorServer, json: object, see: (bytes: number, stop: () => void) => void): Promise<number> {
  const body = JSON.stringify({ inputs: [], ...json });
  return new Promise((resolve) => {
    let bytes = 0;
    const sent = request(
      {
        port: server.port,
        host: "127.0.0.1",
        path: "/api/playground/jq",
        method: "POST",
        headers: {
          authorization: `Bearer ${server.credentials.bearer}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        response.on("data", (piece: Buffer) => see((bytes += piece.length), () => sent.destroy()));
        response.on("error", () => {});
        see(bytes, () => sent.destroy());
      },
    );
    sent.on("error", () => {});
    sent.on("close", () => resolve(bytes));
    sent.end(body);
  });
}

const ENDLESS = { program: "range(1e15)", options: { nullInput: true }, outputBytes: 256_000_000, deadlineMs: 60_000 };

test("a connection that closes ends its program; more of them than threads, and the next is answered", () =>
  withDoors(archive, async (server) => {
    const silent = { ...ENDLESS, program: "last(range(1e15))" };
    await Promise.all(
      [ENDLESS, silent, ENDLESS, silent, ENDLESS, silent].map((json) =>
        connection(server, json, (bytes, stop) => {
          if (json === silent || bytes > 500_000) setTimeout(stop, 30);
        }),
      ),
    );
    // Each of them may run for a minute and only two can: an answer says that all were ended.
    const { output } = await jq(server, { program: "1 + 1", options: { nullInput: true } });
    expect(output).toBe("2\n");
  }));

test("a reader that stops reading is not written to, and its program ends at the deadline", { timeout: 60_000 }, () =>
  withDoors(archive, async (server) => {
    const body = JSON.stringify({ ...ENDLESS, inputs: [], deadlineMs: 1500 });
    let got = 0;
    let isPaused = false;
    // What the server holds for the connection, asked for at each write. The memory of the process would count what is not
    // collected yet, and the reader's own buffers.
    let mostHeld = 0;
    const { write } = ServerResponse.prototype;
    vi.spyOn(ServerResponse.prototype, "write").mockImplementation(function (
      this: ServerResponse,
      ...given: unknown[]
    ) {
      const hasRoom = write.apply(this, given as Parameters<typeof write>);
      mostHeld = Math.max(mostHeld, this.writableLength);
      return hasRoom;
    });
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        {
          port: server.port,
          host: "127.0.0.1",
          path: "/api/playground/jq",
          method: "POST",
          headers: {
            authorization: `Bearer ${server.credentials.bearer}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          response.on("data", (piece: Buffer) => {
            got += piece.length;
            if (got < 100_000 || isPaused) return;
            isPaused = true;
            response.pause();
            // In 1.5 s a program writes some 15 MB, more than sockets and the ring hold together.
            setTimeout(() => response.resume(), 2500);
          });
          response.on("end", resolve);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    }).finally(() => vi.restoreAllMocks());
    expect(got).toBeGreaterThan(100_000);
    expect(mostHeld).toBeLessThan(1_000_000);
    expect((await jq(server, { program: "1", options: { nullInput: true } })).output).toBe("1\n");
  }),
);

describe("bytes that are no good JSON, and programs that ask for the host", () => {
  test("are answered or refused in words, and never a failure of ours", { timeout: 120_000 }, () =>
    withDoors(archive, async (server) => {
      const put = async (bytes: string | Uint8Array, name: string) =>
        (await storeArtifact(archive, { session: "mine", name, contentType: "application/json" }, Buffer.from(bytes)))
          .pointer;
      const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
      const given: [name: string, bytes: string | Uint8Array, program: string, output: string | RegExp][] = [
        [
          "large",
          "[9007199254740993,1e400,-0,1.0,12345678901234567890]",
          ".[]",
          /^9007199254740993\n1E\+400\n-0\n1\.0\n1234567890/,
        ],
        ["half", '["\\ud800"]', ".", /surrogate/],
        ["raw half", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "length > 0", "true\n"],
        ["latin", Buffer.from([0x22, 0xe9, 0x22]), ".", '"\ufffd"\n'],
        ["nul", Buffer.from([0x22, 0x61, 0x00, 0x22]), ".", /control characters/],
        ["nul between", Buffer.from([0x5b, 0x00, 0x5d]), ".", /Invalid numeric literal/],
        ["cut", '{"a":[1,2', ".", /Unfinished JSON/],
        ["twice", '{"a":1,"a":2}', ".", '{"a":2}\n'],
        ["proto", '{"__proto__":{"x":1}}', ".__proto__.x", "1\n"],
      ];
      for (const levels of [64, 255, 256, 257, 512, 513, 4999, 5000, 9999])
        given.push([`deep ${levels}`, deep(levels), ".", `${deep(levels)}\n`]);
      for (const levels of [10_001, 100_000]) given.push([`deep ${levels}`, deep(levels), ".", /Exceeds depth limit/]);
      for (const [name, bytes, program, want] of given) {
        const artifact = await put(bytes, name);
        const { output, end } = await jq(server, { program, inputs: [{ artifact }], options: { compact: true } });
        const said = end.ok ? output : (end.failure?.message ?? "");
        if (typeof want === "string") expect([name, end.ok, said]).toEqual([name, true, want]);
        else expect([name, said]).toEqual([name, expect.stringMatching(want)]);
      }
      const host: [program: string, said: string | RegExp][] = [
        ["env, $ENV, input_filename", "{}\n{}\nnull\n"],
        ['include "x"; .', /include and import/],
        ['import "/etc/passwd" as $d; $d', /include and import/],
        ['"/etc/passwd" | modulemeta', /include and import/],
        ["$__prog_args", /not defined/],
        ["[now, (0 | localtime | mktime)] | map(type)", '["number","number"]\n'],
        ["input", /break/],
      ];
      for (const [program, want] of host) {
        const { output, end } = await jq(server, { program, inputs: [{ text: "0" }], options: { compact: true } });
        const said = end.ok ? output : (end.failure?.message ?? "");
        expect([program, said]).toEqual([program, typeof want === "string" ? want : expect.stringMatching(want)]);
      }
    }),
  );
});
