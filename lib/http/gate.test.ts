import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { decide } from "./gate.ts";
import type { GateState, Verdict } from "./gate.ts";
import { COMMAND_LINE, type Principal } from "./principal.ts";

const port = 4820;
const state: GateState = {
  port,
  browserOf: (secret) => (secret === "good" ? "browser:1" : null),
  bearerOf: (token) => (token === "cli" ? COMMAND_LINE : null),
  visibility: () => null,
};
const host = `127.0.0.1:${port}`;
const cookie = `plimsoll_${port}=good`;

type Headers = Record<string, string | string[] | undefined>;

function ask(method: string, target: string, headers: Headers = {}): Verdict {
  const all: Headers = { host, ...headers };
  const rawHeaders = Object.entries(all).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
  return decide({ method, target, rawHeaders }, state);
}

function statusOf(verdict: Verdict): number {
  return verdict.kind === "refuse" ? verdict.status : 0;
}

describe("the host of a request", () => {
  const paths = ["/", "/api/health", "/_next/static/chunks/a.js", "/api/artifacts/art:1/raw", "/api/changes"];

  test.each([
    "evil.example",
    "127.0.0.1.nip.io",
    "localhost.evil.example",
    `127.0.0.1.evil.example:${port}`,
    "127.0.0.1:9",
    "127.0.0.1",
    `LOCALHOST:${port}`,
    `0.0.0.0:${port}`,
    `${host} `.repeat(2),
    "",
  ])("%j is refused on every path, with nothing in the answer", (wrong) => {
    for (const path of paths) {
      const verdict = ask("GET", path, { host: wrong, cookie });
      expect(verdict).toMatchObject({ kind: "refuse", as: "empty" });
      expect([400, 421]).toContain(statusOf(verdict));
    }
  });

  test.each([host, `localhost:${port}`, `[::1]:${port}`])("%s is ours", (right) => {
    expect(ask("GET", "/api/health", { host: right, cookie }).kind).toBe("endpoint");
  });

  test("none, or two, is no request", () => {
    expect(statusOf(decide({ method: "GET", target: "/", rawHeaders: [] }, state))).toBe(400);
    expect(statusOf(ask("GET", "/", { host: [host, host], cookie }))).toBe(400);
  });

  test("an absolute address, a star or a double slash is refused", () => {
    for (const target of ["http://evil.example/api/health", `http://${host}/`, "*", "//evil.example/", "x"]) {
      expect(statusOf(ask("GET", target, { cookie }))).toBe(400);
    }
  });
});

describe("the origin of a request", () => {
  test.each([
    "https://evil.example",
    "null",
    "http://localhost:3001",
    "http://127.0.0.1.evil.example",
    `https://${host}`,
    `http://localhost:${port}`,
  ])("%s may not ask anything, with a cookie or with a token", (origin) => {
    for (const key of [{ cookie }, { authorization: "Bearer cli" }]) {
      expect(statusOf(ask("POST", "/api/sources", { origin, ...key, "content-type": "application/json" }))).toBe(403);
      expect(statusOf(ask("GET", "/api/sessions", { origin, ...key }))).toBe(403);
      expect(statusOf(ask("GET", "/_next/static/a.js", { origin, ...key }))).toBe(403);
      expect(statusOf(ask("OPTIONS", "/api/sessions", { origin, ...key }))).toBe(403);
    }
  });

  test("another site may link to a page, and do nothing else", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect(ask("GET", "/sessions/s_1", { ...link, cookie }).kind).toBe("next");
    expect(ask("GET", "/sessions/s_1", link)).toMatchObject({ status: 401, as: "again" });
    expect(statusOf(ask("GET", "/sessions/s_1", { ...link, "sec-fetch-dest": "iframe", cookie }))).toBe(403);
    expect(statusOf(ask("GET", "/api/sessions", { ...link, cookie }))).toBe(403);
    for (const site of ["cross-site", "same-site"]) {
      const other = { "sec-fetch-site": site, "sec-fetch-mode": "no-cors", cookie };
      expect(statusOf(ask("GET", "/api/artifacts/art:1/raw", { ...other, "sec-fetch-dest": "image" }))).toBe(403);
      expect(statusOf(ask("GET", "/api/changes", other))).toBe(403);
      expect(statusOf(ask("GET", "/", other))).toBe(403);
    }
  });

  test("a browser's change must say that it comes from here; the command line need not", () => {
    expect(statusOf(ask("POST", "/api/demo", { cookie }))).toBe(403);
    expect(ask("POST", "/api/demo", { cookie, origin: `http://${host}` }).kind).toBe("endpoint");
    expect(ask("POST", "/api/demo", { cookie, "sec-fetch-site": "same-origin" }).kind).toBe("endpoint");
    expect(ask("POST", "/api/demo", { authorization: "Bearer cli" }).kind).toBe("endpoint");
  });
});

describe("the credential of a request", () => {
  test("without one, no method of any door says anything", () => {
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
    for (const method of methods) {
      for (const path of [
        "/api/sessions",
        "/api/nothing",
        "/",
        "/sessions/s_1",
        "/api/commands/import",
        "/_next/data/x.json",
      ]) {
        expect([401, 405]).toContain(statusOf(ask(method, path)));
      }
    }
  });

  test("a page says how to sign in, a door answers JSON", () => {
    expect(ask("GET", "/")).toMatchObject({ status: 401, as: "sign-in" });
    expect(ask("GET", "/api/sessions")).toMatchObject({ status: 401, as: "json" });
    expect(ask("GET", "/api/sessions", { authorization: "Bearer plf_once" })).toMatchObject({
      ...{ status: 401, as: "json" },
      message: "This token is not valid here. It was revoked, has expired, or is of another server. Ask for a new one.",
    });
  });

  test.each(["bad", "", "good2", "GOOD"])("the cookie %j signs nobody in", (secret) => {
    expect(statusOf(ask("GET", "/api/sessions", { cookie: `plimsoll_${port}=${secret}` }))).toBe(401);
  });

  test("a cookie of another port does not count, one among others does", () => {
    expect(statusOf(ask("GET", "/api/sessions", { cookie: "plimsoll_4821=good; x=y" }))).toBe(401);
    expect(ask("GET", "/api/sessions", { cookie: `a=b; plimsoll_${port}=old; ${cookie}` }).kind).toBe("endpoint");
  });

  test("a launch link is exchanged, and leads only into this site", () => {
    expect(ask("GET", "/?token=t")).toMatchObject({ kind: "launch", token: "t", location: "/", signedIn: false });
    expect(ask("GET", "/sessions/s_1?tab=tools&token=t")).toMatchObject({ location: "/sessions/s_1?tab=tools" });
    expect(statusOf(ask("GET", "//evil.example/?token=t"))).toBe(400);
    expect(statusOf(ask("GET", "/\\evil.example/?token=t"))).toBe(400);
    expect(statusOf(ask("POST", "/?token=t"))).toBe(401);
  });

  test("a browser may not ask what is the command line's", () => {
    const own = { cookie, origin: `http://${host}` };
    expect(statusOf(ask("POST", "/api/commands/import", own))).toBe(403);
    expect(statusOf(ask("POST", "/api/launch", own))).toBe(403);
    expect(ask("POST", "/api/launch", { authorization: "Bearer cli" }).kind).toBe("endpoint");
  });

  test("hashed static files are open by name, and nothing that only begins like them", () => {
    expect(ask("GET", "/_next/static/chunks/0a1b.js").kind).toBe("next");
    for (const path of [
      "/_next/static/../../api/sessions",
      "/_next/static/%2e%2e/%2e%2e/api/sessions",
      "/_next/static/..%2f..%2fapi",
      "/_next/static//x",
      "/_next/static/",
      "/_next/staticx/a.js",
      "/_next/data/x",
    ]) {
      expect([400, 401]).toContain(statusOf(ask("GET", path)));
    }
  });
});

describe("the body of a request", () => {
  const own = { cookie, origin: `http://${host}` };
  const json = { ...own, "content-type": "application/json" };

  test("is refused before it is read when it is too large", () => {
    expect(statusOf(ask("POST", "/api/sources", { ...json, "content-length": "1048577" }))).toBe(413);
    expect(ask("POST", "/api/sources", { ...json, "content-length": "1048576" }).kind).toBe("endpoint");
    expect(statusOf(ask("GET", "/", { cookie, "content-length": "5" }))).toBe(413);
    expect(statusOf(ask("GET", "/api/sessions", { cookie, "content-length": "5" }))).toBe(413);
  });

  test("has a length, or may be counted while it streams", () => {
    expect(statusOf(ask("POST", "/api/sources", { ...json, "transfer-encoding": "chunked" }))).toBe(411);
    const bytes = { ...own, "content-type": "application/octet-stream", "transfer-encoding": "chunked" };
    expect(ask("PUT", "/api/upload?name=x.jsonl", bytes).kind).toBe("endpoint");
    expect(
      statusOf(ask("POST", "/api/sources", { ...json, "content-length": "1", "transfer-encoding": "chunked" })),
    ).toBe(400);
    expect(statusOf(ask("POST", "/api/sources", { ...json, "content-length": "-1" }))).toBe(400);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "of type %j is not JSON",
    (type) => {
      const headers = { ...own, "content-length": "15", ...(type ? { "content-type": type } : {}) };
      expect(statusOf(ask("POST", "/api/sources", headers))).toBe(415);
    },
  );

  test("is never unpacked", () => {
    expect(statusOf(ask("POST", "/api/sources", { ...json, "content-length": "9", "content-encoding": "gzip" }))).toBe(
      415,
    );
  });
});

describe("methods and paths", () => {
  const own = { cookie, origin: `http://${host}` };

  test.each(["/sessions/%ff", "/artifacts/%E0%A4%A", "/nowhere/%", "/api/sessions/%ff"])(
    "a path that is not UTF-8 is refused before a page is asked for it: %s",
    (path) =>
      expect(ask("GET", path, { cookie })).toMatchObject({
        kind: "refuse",
        status: 400,
        message: "This path is not valid UTF-8.",
      }),
  );

  test("that are not used say which are", () => {
    expect(ask("PATCH", "/api/health", own)).toMatchObject({ status: 405, allow: "GET, HEAD" });
    expect(ask("POST", "/", own)).toMatchObject({ status: 405 });
    expect(statusOf(ask("TRACE", "/", own))).toBe(405);
    expect(statusOf(ask("CONNECT", "/", own))).toBe(405);
    expect(statusOf(ask("OPTIONS", "/api/sessions", own))).toBe(405);
  });

  test("of the image optimiser answer nothing", () => {
    expect(statusOf(ask("GET", "/_next/image?url=http://169.254.169.254/&w=64&q=75", { cookie }))).toBe(404);
    expect(statusOf(ask("GET", "/_next/image?url=/api/artifacts/x/raw"))).toBe(404);
  });

  test.each([
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd",
    "%c0%ae%c0%ae/",
    "\\..\\..\\etc\\passwd",
    "art:1%00.png",
    "art:1%0a",
    "art:1/../art:2",
    "%ff",
    "a".repeat(10_000),
  ])("hostile %s is refused", (pointer) => {
    expect(statusOf(ask("GET", `/api/artifacts/${pointer}`, { cookie }))).toBe(400);
  });

  test.each(["/etc/passwd", "....//....//", "a/b/c/d/e", "x/"])("%s is no door", (rest) => {
    expect(statusOf(ask("GET", `/api/artifacts/${rest}`, { cookie }))).toBe(404);
  });
});

test("whatever a request says, without a credential it reaches open files and nothing else", () => {
  const name = fc.constantFrom(
    "x-middleware-subrequest",
    "x-forwarded-host",
    "rsc",
    "next-action",
    "x-nextjs-data",
    "range",
    "upgrade",
  );
  fc.assert(
    fc.property(
      fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
      fc.oneof(
        fc.webPath(),
        fc.webPath().map((path) => `/api${path}`),
        fc.webPath().map((path) => `/_next${path}`),
      ),
      fc.dictionary(name, fc.string()),
      (method, path, headers) => {
        const verdict = ask(method, path === "" ? "/" : path, headers);
        if (verdict.kind === "next") expect(verdict.path).toMatch(/^\/(_next\/static\/|favicon\.ico$|icon\.svg$)/);
        else if (verdict.kind === "endpoint") expect(verdict.endpoint.auth).toBe("open");
        else expect(["refuse", "launch"]).toContain(verdict.kind);
      },
    ),
    { numRuns: 3000 },
  );
});

test("development's own questions are answered in development alone", () => {
  const headers = { host, cookie, origin: `http://${host}`, "content-length": "2", "content-type": "application/json" };
  const rawHeaders = Object.entries(headers).flat();
  const request = { method: "POST", target: "/__nextjs_original-stack-frames", rawHeaders };
  expect(statusOf(decide(request, state))).toBe(405);
  expect(decide(request, { ...state, dev: true }).kind).toBe("next");
});

describe("somebody of a project of a fleet", () => {
  const mary: Principal = {
    id: "person:mary",
    kind: "person",
    scope: "read",
    session: null,
    access: { shop: "reader" },
  };
  const of = (path: string, method = "GET"): Verdict => {
    const person = `plimsoll_fleet=mary`;
    const request = { method, target: path, rawHeaders: ["host", host, "cookie", person, "origin", `http://${host}`] };
    return decide(request, { ...state, personOf: (secret) => (secret === "mary" ? mary : null) });
  };

  test.each([
    "/",
    "/search?q=a",
    "/usage",
    "/findings",
    "/docs",
    "/sessions/s_1",
    "/sessions/s_1/compact",
    "/artifacts",
    "/artifacts/art%3A1",
    "/artifacts/compare",
    "/sessions/compare",
    "/workers/table-worker.js",
    "/monaco/editor.js",
  ])("sees %s, which asks within projects", (path) => expect(of(path).kind).toBe("next"));

  test.each(["/playground", "/sources", "/settings", "/sessions/s_1/more"])(
    "does not see %s, which shows the server",
    (path) => expect(of(path)).toMatchObject({ kind: "refuse", status: 403, as: "no-page" }),
  );

  test("is told what the role lacks, not what a token lacks", () =>
    expect(of("/api/sessions/s_1/compactions", "POST")).toMatchObject({
      ...{ kind: "refuse", status: 403 },
      message: "Your role here is reader. Ask an admin of the project for the role writer.",
    }));
});
