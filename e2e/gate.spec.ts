import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { chromium, expect, test } from "@playwright/test";
import { ENDPOINTS } from "../lib/http/routes.ts";
import { startServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

let server: TestServer;
let cookie = "";

test.beforeAll(async () => {
  server = await startServer();
  const response = await fetch(server.link, { redirect: "manual" });
  cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  expect(cookie).not.toBe("");
});
test.afterAll(async () => {
  await server.stop();
});

/** Every path of the inventory with its parameters filled in, and the pages. */
const paths = [
  ...new Set(
    ENDPOINTS.map(({ path }) =>
      path
        .replace(/:seq/, "1")
        .replace(/:pointer/, "art:0000")
        .replace(/:\w+/, "s_0000000000000000"),
    ),
  ),
  "/",
  "/sessions/s_0000000000000000",
  "/artifacts",
  "/sources",
  "/_next/static/chunks/none.js",
  "/_next/image?url=http://169.254.169.254/&w=64&q=75",
  "/mark.svg",
  "/nothing",
];

type Answer = { status: number; head: string; body: string };

/** Sends exactly this; the answer, or status 0 when the server only closed. */
function raw(lines: readonly string[]): Promise<Answer> {
  return new Promise((done) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    let text = "";
    const end = (): void => {
      const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
      done({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body });
    };
    // A first page may take long to come; what goes on after it began, such as the stream of changes, is ended.
    socket.setTimeout(20_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      socket.setTimeout(3000);
    });
    socket.on("error", () => undefined);
    socket.on("close", end);
  });
}

const ask = (method: string, path: string, headers: readonly string[]): Promise<Answer> =>
  raw([`${method} ${path} HTTP/1.1`, ...headers, "Connection: close"]);
const own = (): string => `Host: 127.0.0.1:${server.port}`;

test("another host is refused on every path, with a cookie and without, and nothing is said", async () => {
  const hosts = [
    "evil.example",
    "127.0.0.1.nip.io",
    "localhost.evil.example",
    "127.0.0.1:9",
    `127.0.0.1.evil.example:${server.port}`,
  ];
  for (const path of paths) {
    for (const host of hosts) {
      const answer = await ask("GET", path, [`Host: ${host}`, `Cookie: ${cookie}`]);
      assert.ok([400, 403, 421].includes(answer.status), `${path} of ${host}: ${answer.status}`);
      assert.equal(answer.body, "", `${path} of ${host}`);
    }
    assert.equal((await ask("GET", path, [own(), "Host: evil.example", `Cookie: ${cookie}`])).status, 400, path);
    assert.equal((await ask("GET", `http://evil.example${path}`, [own(), `Cookie: ${cookie}`])).status, 400, path);
    assert.equal((await raw([`GET ${path} HTTP/1.0`, `Cookie: ${cookie}`])).status, 400, path);
  }
});

test("without a credential, no method of any path says anything", async () => {
  test.setTimeout(120_000);
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]) {
      const answer = await ask(method, path, [own()]);
      const open = path.startsWith("/_next/static/") || path === "/api/endpoint";
      // That it runs and is ready, and no more: who watches a node has no credential.
      if (["/api/health", "/api/ready"].includes(path) && ["GET", "HEAD"].includes(method)) {
        assert.deepEqual([answer.status, answer.body], [200, method === "GET" ? '{"ok":true}' : ""]);
        continue;
      }
      const allowed = path.startsWith("/_next/image") ? [404, 405] : open ? [400, 401, 404, 405] : [400, 401, 405];
      assert.ok(allowed.includes(answer.status), `${method} ${path}: ${answer.status}`);
      assert.doesNotMatch(answer.head, /access-control-allow/i, `${method} ${path}`);
    }
  }
});

test("every answer carries the security headers", async () => {
  const names = [
    "content-security-policy",
    "x-content-type-options",
    "cross-origin-resource-policy",
    "cross-origin-opener-policy",
    "referrer-policy",
    "permissions-policy",
    "x-frame-options",
  ];
  for (const path of paths.filter((path) => path !== "/api/changes")) {
    for (const headers of [[own()], [own(), `Cookie: ${cookie}`], ["Host: evil.example"]]) {
      const { head } = await ask("GET", path, headers);
      for (const name of names)
        assert.ok(head.toLowerCase().includes(`\r\n${name}: `), `${path}: no ${name} in ${head}`);
      assert.doesNotMatch(head, /x-powered-by/i, path);
    }
  }
});

test("another origin is refused, whatever it carries", async () => {
  const origins = [
    "https://evil.example",
    "null",
    "http://localhost:3001",
    "http://127.0.0.1.evil.example",
    `https://127.0.0.1:${server.port}`,
  ];
  for (const origin of origins) {
    for (const path of paths.filter((path) => !path.startsWith("/_next/image"))) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const headers = [
          own(),
          `Cookie: ${cookie}`,
          `Origin: ${origin}`,
          "Access-Control-Request-Private-Network: true",
        ];
        const answer = await ask(method, path, headers);
        assert.equal(answer.status, 403, `${method} ${path} of ${origin}`);
        assert.doesNotMatch(answer.head, /access-control-allow/i, `${method} ${path} of ${origin}`);
      }
    }
  }
});

test("a form's body is not JSON, wherever it comes from", async () => {
  const headers = [
    own(),
    `Cookie: ${cookie}`,
    `Origin: ${server.url}`,
    "Content-Type: text/plain",
    "Content-Length: 13",
  ];
  expect((await raw(["POST /api/sources HTTP/1.1", ...headers, "Connection: close", "", '{"path":"/x"}'])).status).toBe(
    415,
  );
});

test("what Next is told from outside opens nothing", async () => {
  const tricks = [
    "x-middleware-subrequest: middleware:middleware:middleware:middleware:middleware",
    "x-middleware-subrequest: src/middleware:src/middleware:src/middleware",
    "x-nextjs-data: 1",
    "RSC: 1",
    "Next-Action: 0123456789012345678901234567890123456789",
    `X-Forwarded-Host: 127.0.0.1:${server.port}`,
    "Forwarded: for=127.0.0.1;host=localhost",
  ];
  for (const trick of tricks) {
    for (const path of [
      "/",
      "/sessions/s_0000000000000000",
      "/api/sessions",
      "/page.rsc",
      "/en/sources",
      "/index.rsc",
    ]) {
      expect((await ask("GET", path, [own(), trick])).status, `${trick} ${path}`).toBe(401);
    }
  }
  const action = [
    own(),
    `Cookie: ${cookie}`,
    `Origin: ${server.url}`,
    "Next-Action: 0123456789012345678901234567890123456789",
    "Content-Length: 0",
  ];
  expect((await ask("POST", "/", action)).status).toBe(405);
});

test("the server fetches nothing for anybody", async () => {
  let hits = 0;
  const canary = createServer((_request, response) => {
    hits += 1;
    response.end();
  });
  await new Promise<void>((done) => canary.listen(0, "127.0.0.1", done));
  const target = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/x`;
  const signedIn = [own(), `Cookie: ${cookie}`];
  await ask("GET", `/_next/image?url=${encodeURIComponent(target)}&w=64&q=75`, signedIn);
  await ask("GET", target, signedIn);
  await raw([`GET ${target} HTTP/1.1`, ...signedIn, "Connection: Upgrade", "Upgrade: websocket"]);
  await raw([`GET / HTTP/1.1`, ...signedIn, "Connection: Upgrade", "Upgrade: websocket"]);
  expect(hits).toBe(0);
  canary.close();
});

test("a hostile path finds nothing and hurts nothing", async () => {
  const hostile = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd",
    "%c0%ae%c0%ae/",
    "....//....//",
    "\\..\\..\\etc\\passwd",
    "/etc/passwd",
    "//etc/passwd",
    "C:\\windows\\win.ini",
    "file:///etc/passwd",
    "art:1%00.png",
    "art:1%0a",
    "art:1/",
    "art:1/../art:2",
    "__proto__",
    "constructor",
    "a".repeat(10_000),
    "%E2%80%AEx",
    "%EF%BC%8E%EF%BC%8E%EF%BC%8F",
  ];
  for (const one of hostile) {
    for (const path of [
      `/api/artifacts/${one}`,
      `/api/artifacts/${one}/raw`,
      `/api/sessions/${one}`,
      `/api/sessions/${one}/events/1/raw`,
      `/api/sources/raw?path=${encodeURIComponent(one)}`,
    ]) {
      const answer = await ask("GET", path, [
        own(),
        `Cookie: ${cookie}`,
        `If-None-Match: ${one.replace(/[^!-~]/g, "")}`,
      ]);
      expect([400, 404, 431], path).toContain(answer.status);
      expect(answer.body).not.toContain("root:");
    }
  }
});

test("a body of 200 MB is refused before it is read", async () => {
  for (const path of ["/api/sources", "/api/imports", "/api/demo"]) {
    const headers = [
      own(),
      `Cookie: ${cookie}`,
      `Origin: ${server.url}`,
      "Content-Type: application/json",
      "Content-Length: 200000000",
    ];
    expect((await ask("POST", path, headers)).status).toBe(413);
  }
});

test("a page of another name that points here gets nothing", async () => {
  const browser = await chromium.launch({
    ...(process.env["CHROMIUM_PATH"] ? { executablePath: process.env["CHROMIUM_PATH"] } : {}),
    args: ["--host-resolver-rules=MAP rebind.test 127.0.0.1"],
    chromiumSandbox: false,
  });
  const page = await browser.newPage();
  const answered = page.waitForResponse((response) => response.url().includes("rebind.test"));
  // An empty answer with an error status is no page: Chromium's own error page stands there.
  await page.goto(`http://rebind.test:${server.port}/api/sessions`).catch(() => undefined);
  const response = await answered;
  expect(response.status()).toBe(421);
  expect(response.headers()["content-length"]).toBe("0");
  await browser.close();
});

test("another site can neither frame a page nor load what is stored, although the browser is signed in", async ({
  browser,
}) => {
  const context = await browser.newContext();
  await server.signIn(context);
  const raw = `${server.url}/api/artifacts/art:0000/raw`;
  const evil = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      `<iframe src="${server.url}/"></iframe><script src="${server.url}/api/sessions" onerror="window.blocked='script'"></script><img src="${raw}">`,
    );
  });
  await new Promise<void>((done) => evil.listen(0, "127.0.0.1", done));
  const page = await context.newPage();
  const statuses = new Map<string, number>();
  page.on("response", (response) => statuses.set(response.url(), response.status()));
  await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
  await page.waitForFunction(() => "blocked" in window);
  expect(statuses.get(`${server.url}/api/sessions`) ?? 403).toBe(403);
  expect(statuses.get(raw) ?? 403).toBe(403);
  expect(statuses.get(`${server.url}/`) ?? 403).toBe(403);
  evil.close();
  await context.close();
});

test("a link signs a browser in once; its cookie is out of reach of scripts and the token of everything", async ({
  browser,
}) => {
  const { link } = (await (await server.ask("POST", "/api/launch")).json()) as { link: string };
  const token = new URL(link).searchParams.get("token") ?? "none";
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  expect(new URL(page.url()).search).toBe("");
  expect(await page.evaluate(() => document.cookie)).not.toContain("plimsoll_");
  expect(await page.content()).not.toContain(token);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(token);
  const [kept] = (await context.cookies()).filter((one) => one.name.startsWith("plimsoll_"));
  expect(kept).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  const second = await browser.newContext();
  expect((await second.request.get(link)).status()).toBe(401);
  await context.close();
  await second.close();
});

test("a page runs under its policy without one report, and asks no other host", async ({ browser }) => {
  const context = await browser.newContext();
  await server.signIn(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on(
    "console",
    (message) => /Content.Security.Policy|Refused to/i.test(message.text()) && complaints.push(message.text()),
  );
  page.on(
    "request",
    (request) =>
      !/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(server.url) && elsewhere.push(request.url()),
  );
  for (const path of ["/", "/sources", "/artifacts"]) {
    await page.goto(server.url + path);
    await page.waitForLoadState("load");
  }
  expect(complaints).toEqual([]);
  expect(elsewhere).toEqual([]);
  await context.close();
});
