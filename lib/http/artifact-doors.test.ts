import { createHash, hash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inArchive, NOW, testHost, withArchive, inFolder } from "#lib/archive/testing-archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { heldSession, outputAnswer, storedArtifact } from "#lib/wire/held-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const sha = (bytes: Uint8Array | string): string => hash("sha256", bytes, "hex");
const contentDigest = (bytes: Uint8Array | string): string =>
  `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;

/** Runs with a server and one session that takes writes. */
const inSession = <T>(run: (server: DoorServer, id: string, archive: Archive) => Promise<T>): Promise<T> =>
  inArchive((archive) =>
    withDoors(archive, async (server) => {
      const made = await server.ask("POST", "/api/sessions", { json: { id: "run-1", title: "A run" } });
      expect(made.status).toBe(201);
      return run(server, heldSession.parse(await made.json()).id, archive);
    }),
  );

async function store(server: DoorServer, id: string, body: BodyInit, query = "", headers = {}) {
  const response = await server.ask("POST", `/api/sessions/${id}/artifacts${query}`, { body, headers });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return storedArtifact.parse(answer);
}

const rawOf = (server: DoorServer, pointer: string, headers = {}): Promise<Response> =>
  server.ask("GET", `/api/artifacts/${encodeURIComponent(pointer)}/raw`, { headers });

/** Blob files and what is on the way to be one. */
function filesOf(archive: Archive): string[] {
  const dir = join(archive.dir, "blobs");
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(dir, name)).isFile());
}

test("a session is made once, and asked for again it is the same", () =>
  inSession(async (server, id) => {
    const again = await server.ask("POST", "/api/sessions", { json: { id: "run-1" } });
    expect(again.status).toBe(200);
    expect(heldSession.parse(await again.json())).toMatchObject({ id, title: "A run", created: false });
  }));

describe("storing bytes", () => {
  test("of any type gives a pointer, and the same bytes back", () =>
    inSession(async (server, id) => {
      const bytes = randomBytes(300_000);
      const stored = await store(server, id, bytes, "?name=a%20log&tool=bash&call=c1&turn=1", {
        "content-type": "image/x-portable",
      });
      expect(stored).toMatchObject({
        name: "a log",
        toolName: "bash",
        toolCallId: "c1",
        contentType: "image/x-portable",
      });
      expect(stored.digest).toBe(sha(bytes));
      const raw = await rawOf(server, stored.pointer);
      expect(raw.headers.get("etag")).toBe(`"${stored.digest}"`);
      expect(raw.headers.get("content-length")).toBe("300000");
      expect(Buffer.from(await raw.arrayBuffer()).equals(bytes)).toBe(true);
    }));

  test("without a type finds out what they are", () =>
    inSession(async (server, id) => {
      expect((await store(server, id, '{"a":1}')).contentType).toBe("application/json");
      const headers = { "content-type": "application/octet-stream" };
      expect((await store(server, id, "a,b\n1,2\n", "?type=text/x-mine")).contentType).toBe("text/x-mine");
      expect((await store(server, id, Buffer.from("plain words\n"), "", headers)).contentType).toMatch(/^text\/plain/);
    }));

  test("without a length, in pieces, is whole", () =>
    inSession(async (server, id) => {
      const piece = Buffer.alloc(50_000, "0123456789\n");
      const stream = new ReadableStream<Uint8Array>({
        start(out) {
          for (let i = 0; i < 20; i++) out.enqueue(piece);
          out.close();
        },
      });
      const stored = await store(server, id, stream);
      expect(stored.sizeBytes).toBe(1_000_000);
      expect(stored.digest).toBe(sha(Buffer.concat(Array.from({ length: 20 }, () => piece))));
    }));

  test("none at all is an empty artifact", () =>
    inSession(async (server, id) => {
      const stored = await store(server, id, "");
      const raw = await rawOf(server, stored.pointer);
      expect([raw.status, raw.headers.get("content-length"), await raw.text()]).toEqual([200, "0", ""]);
    }));

  test("that ask first whether they may come are told to come on, or why not", () =>
    inSession(async (server, id) => {
      const head = (path: string, more = ""): string =>
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.credentials.bearer}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n${more}\r\n`;
      expect(await server.raw(`${head(`/api/sessions/${id}/artifacts`)}hello`)).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /,
      );
      const refused = await server.raw(head(`/api/sessions/${id}/artifacts`, "Content-Encoding: gzip\r\n"));
      expect(refused).toMatch(/^HTTP\/1\.1 415 /);
      // What the door refuses is refused before a byte was asked for, too.
      expect(await server.raw(head("/api/sessions/s_ffffffffffffffff/artifacts"))).toMatch(/^HTTP\/1\.1 404 /);
      expect(await server.raw(head(`/api/sessions/${id}/artifacts?digest=short`))).toMatch(/^HTTP\/1\.1 400 /);
    }));

  test("for a session that is not there, or was imported, is refused", () =>
    inSession(async (server, _, archive) => {
      const absent = await server.ask("POST", "/api/sessions/s_ffffffffffffffff/artifacts", { body: "x" });
      expect(absent.status).toBe(404);
      archive.sqlite
        .prepare("INSERT INTO sessions (id, native_id, format) VALUES ('s_00000000000000aa', 'codex:x', 'codex')")
        .run();
      const imported = await server.ask("POST", "/api/sessions/s_00000000000000aa/artifacts", { body: "x" });
      expect(imported.status).toBe(409);
    }));
});

describe("a body that is not what was said of it", () => {
  test.each(["small", "large"])("is refused by its digest, and nothing of a %s one is kept", (size) =>
    inSession(async (server, id, archive) => {
      const bytes = Buffer.alloc(size === "small" ? 100 : 500_000, "x");
      for (const [query, headers] of [
        [`?digest=${"0".repeat(64)}`, {}],
        ["", { "content-digest": contentDigest("something else") }],
        [`?digest=${sha(bytes)}`, { "content-digest": contentDigest("something else") }],
        ["", { "content-digest": "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:" }],
        ["", { "content-digest": "sha-256=:short:" }],
      ] as const) {
        const refused = await server.ask("POST", `/api/sessions/${id}/artifacts${query}`, { body: bytes, headers });
        expect(refused.status).toBe(400);
        await refused.arrayBuffer();
      }
      await expect.poll(() => filesOf(archive)).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
      const right = await store(server, id, bytes, `?digest=${sha(bytes)}`, { "content-digest": contentDigest(bytes) });
      expect(right.digest).toBe(sha(bytes));
    }),
  );

  test.each([
    ["shorter than its length", "Content-Length: 200000\r\n\r\n", "x".repeat(100_000), ""],
    ["cut inside a chunk", "Transfer-Encoding: chunked\r\n\r\n", `186a0\r\n${"x".repeat(90_000)}`, ""],
    ["chunks that are none", "Transfer-Encoding: chunked\r\n\r\n", "186a0\r\nxx\r\nzz\r\n", ""],
    [
      "both a length and chunks",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "5\r\nhello\r\n0\r\n\r\n",
      "400",
    ],
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "hello", "400"],
    ["packed", "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n", "hello", "415"],
    ["packed by its transfer", "Transfer-Encoding: gzip, chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "4"],
    ["larger than any may be", `Content-Length: ${"9".repeat(15)}\r\n\r\n`, "x", "413"],
    ["of a length that is no number", "Content-Length: 5x\r\n\r\n", "hello", "400"],
  ])("%s leaves nothing", (_, head, body, status) =>
    inSession(async (server, id, archive) => {
      const answer = await server.raw(
        `POST /api/sessions/${id}/artifacts HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.credentials.bearer}\r\n${head}${body}`,
      );
      expect(answer.startsWith(status === "" ? "" : `HTTP/1.1 ${status}`), answer.slice(0, 100)).toBe(true);
      expect(answer).not.toContain("HTTP/1.1 201");
      await expect.poll(() => filesOf(archive)).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
      expect((await server.ask("GET", "/api/health")).status).toBe(200);
    }),
  );

  test("longer than its length is taken as far as it goes, and the rest is no request", () =>
    inSession(async (server, id, archive) => {
      const answer = await server.raw(
        `POST /api/sessions/${id}/artifacts HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.credentials.bearer}\r\nContent-Length: 5\r\n\r\nhello and more of it`,
      );
      expect(answer.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe("HTTP/1.1 400");
      const sizes = archive.sqlite.prepare("SELECT size FROM artifacts").pluck();
      await expect.poll(() => sizes.all()).toEqual([5]);
    }));

  test("a sender that goes away leaves nothing", () =>
    inSession(async (server, id, archive) => {
      for (const sent of [1000, 5_000_000]) {
        await new Promise<void>((done) => {
          const call = request(`${server.url}/api/sessions/${id}/artifacts`, {
            method: "POST",
            headers: { authorization: `Bearer ${server.credentials.bearer}`, "content-length": 10_000_000 },
          });
          call.on("error", () => done());
          call.write(Buffer.alloc(sent, "x"), () => setTimeout(() => call.destroy(), 50));
        });
      }
      await expect.poll(() => filesOf(archive), { timeout: 10_000 }).toEqual([]);
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
    }));

  test("a form is not taken apart, and no file that it names is read", () =>
    inSession(async (server, id, archive) => {
      const form = new FormData();
      form.set("filepath", "/etc/passwd");
      form.set("upload", new Blob(["x"]), "x.txt");
      const refused = await server.ask("POST", `/api/sessions/${id}/artifacts`, { body: form });
      expect(refused.status).toBe(422);
      const requested = {
        files: { upload: { filepath: "/etc/passwd", originalFilename: "x" } },
        path: "/etc/passwd",
        url: "file:///etc/passwd",
      };
      expect((await server.ask("POST", "/api/sessions", { json: requested })).status).toBe(400);
      expect((await server.ask("POST", "/api/artifacts", { json: requested })).status).toBe(405);
      const stored = await store(server, id, JSON.stringify(requested), "", { "content-type": "application/json" });
      expect(await (await rawOf(server, stored.pointer)).text()).toBe(JSON.stringify(requested));
      expect(archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(1);
    }));
});

describe("an output", () => {
  test("that is small is said back, one that is large becomes an envelope", () =>
    inSession(async (server, id) => {
      const ask = async (body: string, query: string) => {
        const response = await server.ask("POST", `/api/sessions/${id}/outputs?${query}`, { body });
        expect(response.status).toBe(200);
        return outputAnswer.parse(await response.json());
      };
      expect(await ask("a.txt", "tool=ls&call=c1&turn=1")).toMatchObject({
        text: "a.txt",
        decision: { action: "inline" },
      });
      const text = "line of a log\n".repeat(5000);
      const answer = await ask(text, "tool=bash&call=c2&turn=1&is_error=1&tools=artifact_read");
      expect(answer.decision).toMatchObject({ action: "artifact", status: "ok", toolName: "bash" });
      expect(JSON.parse(answer.text)).toMatchObject({ artifact_id: answer.artifact?.artifactId, is_error: true });
      expect(answer.text).not.toContain("artifact_grep");
      expect(await (await rawOf(server, answer.artifact?.pointer ?? "")).text()).toBe(text);
    }));

  test("is shown beside what its call asked", () =>
    inSession(async (server, id) => {
      for (const [call, input] of [
        ["c1", '{"path":"src"}'],
        ["c2", "ls -l"],
      ] as const) {
        const query = new URLSearchParams({ tool: "ls", call, input });
        const response = await server.ask("POST", `/api/sessions/${id}/outputs?${query}`, { body: "a.txt" });
        expect(response.status).toBe(200);
      }
      const { events } = (await (await server.ask("GET", `/api/sessions/${id}/events`)).json()) as {
        events: { type: string; text: string }[];
      };
      const request = events.filter((event) => event.type === "tool_call").map((event) => event.text);
      expect(request).toEqual(['{"path":"src"}', "ls -l"]);
    }));

  test("that comes after its turn was closed is dropped, and says so", () =>
    inSession(async (server, id, archive) => {
      const closed = await server.ask("POST", `/api/sessions/${id}/turns/3/close`, { json: {} });
      expect([closed.status, await closed.json()]).toEqual([200, { turn: 3, closed: true }]);
      const late = await server.ask("POST", `/api/sessions/${id}/outputs?tool=bash&turn=3`, {
        body: "x".repeat(20_000),
      });
      expect(outputAnswer.parse(await late.json())).toMatchObject({ text: "", seq: null, decision: { gate: "late" } });
      expect(filesOf(archive)).toEqual([]);
      expect((await server.ask("POST", `/api/sessions/${id}/turns/x/close`, { json: {} })).status).toBe(400);
    }));
});

test("a secret is masked in what is shown of an artifact, and is in its bytes as it was", () =>
  inSession(async (server, id) => {
    const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
    const text = `token: ${secret}\n${"a line of a log\n".repeat(2000)}`;
    const stored = await store(server, id, text);
    const output = await server.ask("POST", `/api/sessions/${id}/outputs?tool=env&is_error=1`, { body: text });
    const answer = outputAnswer.parse(await output.json());
    expect(answer.decision.action).toBe("artifact");
    const view = await server.ask("GET", `/api/artifacts/${encodeURIComponent(stored.pointer)}`);
    const list = await server.ask("GET", `/api/sessions/${id}/artifacts`);
    for (const shown of [stored.preview, answer.text, await view.text(), await list.text()])
      expect(shown).not.toContain(secret);
    expect(stored.preview).toContain("token: ");
    for (const pointer of [stored.pointer, answer.artifact?.pointer ?? ""])
      expect(await (await rawOf(server, pointer)).text()).toBe(text);
  }));

describe("the bytes of an artifact", () => {
  test("go out in ranges, under their digest, for download, in a sandbox", () =>
    inSession(async (server, id) => {
      const text = "0123456789".repeat(200_000);
      const stored = await store(
        server,
        id,
        text,
        `?name=${encodeURIComponent('r\u00e9sum\u00e9 "x"\r\n.html')}&type=text/html`,
      );
      const part = await rawOf(server, stored.pointer, { range: "bytes=1999990-" });
      expect([part.status, await part.text()]).toEqual([206, "0123456789"]);
      expect(part.headers.get("content-range")).toBe("bytes 1999990-1999999/2000000");
      const several = await rawOf(server, stored.pointer, { range: "bytes=0-1,5-6" });
      expect([several.status, (await several.text()).length]).toEqual([200, text.length]);
      expect((await rawOf(server, stored.pointer, { "if-none-match": `"${stored.digest}"` })).status).toBe(304);
      const other = await rawOf(server, stored.pointer, { range: "bytes=0-1", "if-range": '"else"' });
      expect(other.status).toBe(200);
      await other.arrayBuffer();
      expect((await rawOf(server, stored.pointer, { range: "bytes=2000000-" })).status).toBe(416);
      const head = await server.ask("HEAD", `/api/artifacts/${stored.artifactId}/raw`);
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "2000000"]);
      expect(head.headers.get("content-disposition")).toBe(
        "attachment; filename=\"r_sum_ _x___.html\"; filename*=UTF-8''r%C3%A9sum%C3%A9%20_x___.html",
      );
      expect(head.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
      expect(head.headers.get("x-content-type-options")).toBe("nosniff");
      expect(head.headers.get("content-type")).toBe("application/octet-stream");
    }));

  test.each([
    ["changed", (path: string): void => flip(path)],
    ["cut short", (path: string): void => truncateSync(path, 10)],
    ["grown", (path: string): void => writeFileSync(path, "more", { flag: "a" })],
  ])("that were %s are never given out, and the same content heals them", (_, damage) =>
    inSession(async (server, id, archive) => {
      for (const size of [5000, 3_000_000]) {
        const bytes = Buffer.alloc(size, "abc\n");
        const stored = await store(server, id, bytes);
        damage(archive.blobs.path?.(stored.digest) ?? "");
        for (const headers of [{}, { range: "bytes=0-9" }]) {
          const refused = await rawOf(server, stored.pointer, headers);
          expect(refused.status).toBe(410);
          expect(refused.headers.get("etag")).toBeNull();
          expect(await refused.json()).toMatchObject({
            error: { code: "artifact_corrupt" },
            artifact: { pointer: stored.pointer, sizeBytes: size, digest: stored.digest },
          });
        }
        await store(server, id, bytes);
        expect(Buffer.from(await (await rawOf(server, stored.pointer)).arrayBuffer()).equals(bytes)).toBe(true);
      }
    }),
  );

  test("that expired answer 410 with what was there", () => {
    let now = NOW;
    return inFolder((dir) =>
      withArchive(
        dir,
        (archive) =>
          withDoors(archive, async (server) => {
            await server.ask("POST", "/api/sessions", { json: { id: "s" } });
            const [id] = archive.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[];
            const stored = await store(server, id ?? "", "soon gone", "?name=note&ttl=60&tool=memo");
            expect((await rawOf(server, stored.pointer)).status).toBe(200);
            now += 61_000;
            const gone = await rawOf(server, stored.pointer);
            expect(gone.status).toBe(410);
            expect(await gone.json()).toMatchObject({
              error: { code: "artifact_gone" },
              artifact: { name: "note", toolName: "memo", sizeBytes: 9, expiresAt: stored.expiresAt },
            });
            expect((await server.ask("HEAD", `/api/artifacts/${stored.digest}/raw`)).status).toBe(410);
          }),
        testHost(() => now),
      ),
    );
  });
});

/** Turns one bit in the middle, and leaves size and time as they were. */
function flip(path: string): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}
