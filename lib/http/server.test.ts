import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendBytes } from "./bytes.ts";
import { createChanges } from "./changes.ts";
import { NOW } from "#lib/archive/testing-archive.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { openCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { isServerLive, proofOf } from "./server-address.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { createPlimsollServer, portOf } from "./server.ts";
import type { Call, Incoming } from "./endpoint.ts";
import { sendJson } from "./send-json.ts";
import { streamChanges } from "./streams.ts";
import { receiveFile } from "./upload.ts";

const text = "0123456789".repeat(1000);
const nonce = "n".repeat(64);
const changes = createChanges("e");
/** What the pretended Next was asked. */
const reached: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
let dir = "";
let server: Server;
let credentials: Credentials;
let secret = "";

const answers = new Map<string, (incoming: Incoming) => Promise<void>>([
  [
    "GET /api/artifacts/:pointer/raw",
    ({ request, response, params, query }) =>
      sendBytes(
        request,
        response,
        {
          name: params["pointer"] ?? "",
          sizeBytes: text.length,
          contentType: "text/html",
          digest: "d1",
          async *read(range) {
            yield Buffer.from(text.slice(range?.start, range?.end));
          },
        },
        query.get("inline") === "1",
      ),
  ],
  [
    "PUT /api/upload",
    async ({ request, response, query }) => {
      const path = await receiveFile(dir, request, query.get("name") ?? "", 5000);
      sendJson(response, 202, { path });
    },
  ],
  [
    "GET /api/changes",
    (incoming) =>
      streamChanges({ ...incoming, app: { changes }, query: {} } as unknown as Call<unknown, object>, () =>
        Promise.resolve(true),
      ),
  ],
  [
    "GET /api/endpoint",
    async ({ response, query }) => sendJson(response, 200, { proof: proofOf(nonce, query.get("challenge") ?? "") }),
  ],
]);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-http-"));
  credentials = openCredentials(dir);
  server = createPlimsollServer({
    credentials,
    answer: ({ method, path }, incoming) => answers.get(`${method} ${path}`)!(incoming),
    next: async (request, response) => {
      reached.push({ url: request.url ?? "", headers: { ...request.headers } });
      response.end("page");
    },
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  secret = (await credentials.exchange(credentials.newLaunchToken())) ?? "";
});

afterAll(async () => {
  changes.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(dir, { recursive: true });
});

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const cookie = (): string => `plimsoll_${portOf(server)}=${secret}`;

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(base() + path, { redirect: "manual", ...init, headers: { cookie: cookie(), ...init.headers } });
}

/** Sends exactly these lines; all that comes back until the server closes or 300 ms pass in silence after a byte. */
function raw(lines: readonly string[], body = "", firstByteMs = 10_000): Promise<string> {
  return new Promise((done) => {
    const socket = connect(portOf(server), "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`));
    let got = "";
    // The first byte takes its time on a busy machine; the rest comes with it.
    socket.setTimeout(firstByteMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      socket.setTimeout(300);
      got += chunk.toString("latin1");
    });
    socket.on("error", () => done(got));
    socket.on("close", () => done(got));
  });
}

describe("over a raw socket", () => {
  const own = (): string => `Host: 127.0.0.1:${portOf(server)}`;

  test.each([
    ["a foreign host", ["GET /api/health HTTP/1.1", "Host: evil.example"], 421],
    ["no host", ["GET / HTTP/1.1"], 400],
    ["no host in HTTP/1.0", ["GET / HTTP/1.0"], 400],
    ["two hosts", ["GET / HTTP/1.1", "Host: evil.example", "OWN"], 400],
    ["an absolute address", ["GET http://evil.example/api/health HTTP/1.1", "OWN"], 400],
    ["a tunnel", ["CONNECT evil.example:443 HTTP/1.1", "OWN"], 405],
    ["TRACE", ["TRACE / HTTP/1.1", "OWN"], 405],
    [
      "length and chunks",
      ["POST /api/sources HTTP/1.1", "OWN", "Content-Length: 5", "Transfer-Encoding: chunked"],
      400,
    ],
    ["a web socket", ["GET / HTTP/1.1", "OWN", "COOKIE", "Connection: Upgrade", "Upgrade: websocket"], 403],
    [
      "a web socket from elsewhere",
      [
        "GET /api/changes HTTP/1.1",
        "OWN",
        "COOKIE",
        "Origin: https://evil.example",
        "Connection: Upgrade",
        "Upgrade: websocket",
      ],
      403,
    ],
    ["17 KB of headers", ["GET / HTTP/1.1", "OWN", `X: ${"a".repeat(17_000)}`], 431],
    ["no HTTP", ["hello"], 400],
  ])("%s is refused, with every security header", async (_name, lines, status) => {
    const before = reached.length;
    const sent = lines.map((line) => (line === "OWN" ? own() : line === "COOKIE" ? `Cookie: ${cookie()}` : line));
    const answer = await raw(sent);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(answer).toContain(`${name}: ${value}`);
    expect(answer).not.toMatch(/access-control-allow/i);
    expect(reached.length).toBe(before);
  });

  test("a body that is too large is refused before it is sent", async () => {
    const lines = [
      "POST /api/sources HTTP/1.1",
      own(),
      `Cookie: ${cookie()}`,
      `Origin: ${base()}`,
      "Content-Type: application/json",
    ];
    const answer = await raw([...lines, "Content-Length: 200000000", "Expect: 100-continue"]);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).not.toContain("100 Continue");
  });

  test("what a client says to Next's insides does not reach it", async () => {
    const inner = [
      "x-middleware-subrequest: middleware:middleware",
      "X-Forwarded-Host: evil.example",
      "Forwarded: host=evil",
      "x-nonce: mine",
    ];
    await raw([
      "GET /page HTTP/1.1",
      own(),
      `Cookie: ${cookie()}`,
      "Content-Security-Policy: script-src 'nonce-mine'",
      ...inner,
    ]);
    const headers = reached.at(-1)?.headers ?? {};
    expect(Object.keys(headers)).not.toContain("x-middleware-subrequest");
    expect(Object.keys(headers)).not.toContain("x-forwarded-host");
    expect(Object.keys(headers)).not.toContain("forwarded");
    expect(headers["x-nonce"]).not.toBe("mine");
    expect(headers["content-security-policy"]).toContain(`'nonce-${headers["x-nonce"]}'`);
  });
});

describe("signing in", () => {
  test("a link works once, gives a cookie that scripts cannot read, and leaves no token in the address", async () => {
    const token = credentials.newLaunchToken();
    const first = await fetch(`${base()}/sessions/s_1?tab=tools&token=${token}`, { redirect: "manual" });
    expect(first.status).toBe(302);
    expect(first.headers.get("location")).toBe("/sessions/s_1?tab=tools");
    expect(first.headers.get("set-cookie")).toMatch(
      /^plimsoll_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect(first.headers.get("referrer-policy")).toBe("no-referrer");
    const again = await fetch(`${base()}/?token=${token}`, { redirect: "manual" });
    expect(again.status).toBe(401);
    expect(again.headers.get("set-cookie")).toBeNull();
    expect(await again.text()).toContain("npm start");
  });

  test("a link from another site is followed by a page of ours, whose requests carry the cookie", async () => {
    const target = `/?x=%22&token=${credentials.newLaunchToken()}`;
    const fetched = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    const answer = await raw([`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${portOf(server)}`, ...fetched]);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain("SameSite=Strict");
    expect(answer).toContain('content="0;url=/?x=%22"');
  });

  test("the archive keeps digests of cookies only, for its owner alone, and a new server knows the browser", () => {
    const file = join(dir, "browsers.json");
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openCredentials(dir).browserOf(secret)).not.toBeNull();
    expect(openCredentials(dir, () => Date.now() + 400 * 86_400_000).browserOf(secret)).toBeNull();
  });

  test("a launch link is worth nothing after ten minutes", async () => {
    let now = NOW;
    const later = openCredentials(null, () => now);
    const [first, second] = [later.newLaunchToken(), later.newLaunchToken()];
    now += 9.9 * 60_000;
    expect(await later.exchange(first)).not.toBeNull();
    now += 0.2 * 60_000;
    expect(await later.exchange(second)).toBeNull();
  });

  test("a damaged file of browsers signs everybody out and stops nothing", () => {
    const other = mkdtempSync(join(tmpdir(), "plimsoll-http-"));
    writeFileSync(join(other, "browsers.json"), '[{"hash":"');
    expect(openCredentials(other).browserOf(secret)).toBeNull();
    rmSync(other, { recursive: true });
  });

  test("the command line knows the server of its file from another on the same port", async () => {
    const endpoint = { pid: 1, port: portOf(server), nonce, token: "t".repeat(32) };
    expect(await isServerLive(endpoint)).toBe(true);
    expect(await isServerLive({ ...endpoint, nonce: "m".repeat(64) })).toBe(false);
  });
});

describe("bytes", () => {
  test.each([
    ["bytes=0-9", 206, "0123456789", "bytes 0-9/10000"],
    ["bytes=9990-", 206, "0123456789", "bytes 9990-9999/10000"],
    ["bytes=-10", 206, "0123456789", "bytes 9990-9999/10000"],
    ["bytes=9995-20000", 206, "56789", "bytes 9995-9999/10000"],
    ["bytes=10000-", 416, "", "bytes */10000"],
    ["bytes=-0", 416, "", "bytes */10000"],
    ["bytes=0-1,5-6", 200, text, null],
    ["bytes=9-1", 200, text, null],
    ["lines=1-2", 200, text, null],
  ])("%s", async (range, status, body, contentRange) => {
    const response = await get("/api/artifacts/a/raw", { headers: { range } });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect(await response.text()).toBe(body);
  });

  test("have their digest for a tag, and a range of other bytes is the whole", async () => {
    expect((await get("/api/artifacts/a/raw", { headers: { "if-none-match": 'W/"x", "d1"' } })).status).toBe(304);
    const other = await get("/api/artifacts/a/raw", { headers: { range: "bytes=0-1", "if-range": '"d0"' } });
    expect(other.status).toBe(200);
    const head = await get("/api/artifacts/a/raw", { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("10000");
    expect(head.headers.get("etag")).toBe('"d1"');
  });

  test("are a download, and shown only in a sandbox", async () => {
    const download = await get("/api/artifacts/a%22%E2%80%AEb/raw");
    expect(download.headers.get("content-disposition")).toBe("attachment; filename=\"a__b\"; filename*=UTF-8''a__b");
    expect(download.headers.get("content-type")).toBe("application/octet-stream");
    const shown = await get("/api/artifacts/a/raw?inline=1");
    expect(shown.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
    expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a dropped file", () => {
  const put = (name: string, body: string): Promise<Response> =>
    get(`/api/upload?name=${encodeURIComponent(name)}`, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream", origin: base() },
      body,
    });

  test("keeps its name, in a folder of its own inside the archive", async () => {
    const { path } = (await (await put("../../x/a b.jsonl", "hello")).json()) as { path: string };
    expect(path).toMatch(/uploads\/[0-9a-f]{8}\/a b\.jsonl$/);
    expect(path.startsWith(dir)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("hello");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("that is too large or breaks off leaves nothing behind", async () => {
    const before = readdirSync(join(dir, "uploads")).length;
    const large = await put("large.jsonl", "x".repeat(6000));
    expect(large.status).toBe(413);
    await raw(
      [
        "PUT /api/upload?name=cut.jsonl HTTP/1.1",
        `Host: 127.0.0.1:${portOf(server)}`,
        `Cookie: ${cookie()}`,
        `Origin: ${base()}`,
        "Content-Type: application/octet-stream",
        "Content-Length: 100",
      ],
      "half",
      // It goes away before an answer.
      300,
    );
    await expect.poll(() => readdirSync(join(dir, "uploads")).length).toBe(before);
  });

  test("whose bytes exceed the cap while they stream is told so, and its sender is let go", async () => {
    const before = readdirSync(join(dir, "uploads")).length;
    const lines = [
      "PUT /api/upload?name=endless.jsonl HTTP/1.1",
      `Host: 127.0.0.1:${portOf(server)}`,
      `Cookie: ${cookie()}`,
      `Origin: ${base()}`,
      "Content-Type: application/octet-stream",
      "Transfer-Encoding: chunked",
    ];
    const answer = await raw(lines, `1000\r\n${"x".repeat(4096)}\r\n1000\r\n${"x".repeat(4096)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain("Connection: close");
    await expect.poll(() => readdirSync(join(dir, "uploads")).length).toBe(before);
  });

  test.each(["", "..", "/", "."])("named %j is refused", async (name) => {
    expect((await put(name, "x")).status).toBe(400);
  });
});

describe("the stream of changes", () => {
  test("sends what was missed, and asks for everything when it cannot know", async () => {
    const hub = createChanges("h", 3);
    for (const id of ["1", "2", "3", "4"]) hub.publish({ type: "counted", id });
    const seen = (last: string | null): string[] => {
      const got: string[] = [];
      hub.subscribe(last, (id, change) => got.push(`${id} ${change.type}`))();
      return got;
    };
    expect(seen("h-2")).toEqual(["h-3 counted", "h-4 counted"]);
    expect(seen("h-4")).toEqual([]);
    expect(seen(null)).toEqual([]);
    for (const lost of ["h-0", "h-9", "other-3", "h-x", ""]) expect(seen(lost)).toEqual(["h-4 resync"]);
  });

  test("is open to sixteen pages of a browser, and to the next when one closes", async () => {
    const pages = Array.from({ length: 16 }, () => new AbortController());
    const streams = await Promise.all(pages.map(({ signal }) => get("/api/changes", { signal })));
    expect(streams.map((stream) => stream.status)).toEqual(streams.map(() => 200));
    const refused = await get("/api/changes");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: "too_large" } });
    for (const page of pages) page.abort();
    await expect
      .poll(async () => {
        const page = new AbortController();
        const { status } = await get("/api/changes", { signal: page.signal });
        page.abort();
        return status;
      })
      .toBe(200);
  });

  test("carries each change with its id", async () => {
    const page = new AbortController();
    const stream = await get("/api/changes", { signal: page.signal });
    changes.publish({ type: "sessions" });
    let got = "";
    for await (const chunk of stream.body ?? []) {
      got += Buffer.from(chunk).toString();
      if (got.includes("data:")) break;
    }
    page.abort();
    expect(got).toMatch(/id: e-\d+\ndata: {"type":"sessions"}\n\n/);
  });
});

test("who cannot be told while a part is away gets a page in a browser, and JSON elsewhere", async () => {
  const away = new AppError("timeout", "The fleet's database <db> does not answer.");
  const parts = { ...credentials, prepare: () => Promise.reject(away) };
  const other = createPlimsollServer({
    credentials: parts,
    answer: async () => undefined,
    next: async () => undefined,
  });
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  try {
    const ask = async (path: string, accept: string): Promise<unknown[]> => {
      const answer = await fetch(`http://127.0.0.1:${portOf(other)}${path}`, { headers: { accept } });
      return [answer.status, answer.headers.get("content-type")!.split(";")[0], await answer.text()];
    };
    const html = "text/html,application/xhtml+xml";
    const says = (text: string): string => expect.stringContaining(text) as string;
    expect(await ask("/settings", html)).toEqual([504, "text/html", says("database &lt;db&gt; does not answer")]);
    expect(await ask("/settings", "*/*")).toEqual([504, "application/problem+json", says('"code":"timeout"')]);
    expect(await ask("/api/sessions", html)).toEqual([504, "application/problem+json", says('"code":"timeout"')]);
  } finally {
    await new Promise((done) => other.close(done));
  }
});
