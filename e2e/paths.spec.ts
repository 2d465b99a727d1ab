// Hostile names and paths through every parameter of every route; what is stored comes back byte for byte.
import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { expect, test as base } from "@playwright/test";
import { ENDPOINTS } from "../lib/http/routes.ts";
import { filler, sampleId, sampleLines, writeSample } from "./sample-sessions.ts";
import { startServer, type TestServer } from "./test-server.ts";

const OUTPUT = `${filler(9000, "keel")}\u0000\u001b[2J \u202e end\n`;
const SAMPLE = {
  id: sampleId(1),
  prompt: "Measure the hull",
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/hull.txt" }, output: OUTPUT, prompt: 9000 }],
};

type Own = { readonly session: string; readonly pointer: string; readonly file: string };

const test = base.extend<object, { server: TestServer; own: Own }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads what a fixture needs from its first parameter
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  own: [
    async ({ server }, use) => {
      const file = writeSample(join(server.dir, "sources"), SAMPLE);
      const found = async (): Promise<{ pointer: string; sessionId: string }[]> =>
        ((await (await server.ask("GET", "/api/artifacts")).json()) as { artifacts: [] }).artifacts;
      await expect.poll(async () => (await found()).length, { timeout: 20_000 }).toBe(1);
      const [artifact] = await found();
      await use({ session: artifact?.sessionId ?? "", pointer: artifact?.pointer ?? "", file });
    },
    { scope: "worker" },
  ],
});

type Answer = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer };

/** Sends the path as it is: fetch would straighten it first. */
function send(
  server: TestServer,
  method: string,
  path: string,
  headers: NodeJS.Dict<string> = {},
  body?: string | Buffer,
) {
  return new Promise<Answer>((done, failed) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port: server.port,
        method,
        path,
        headers: { authorization: `Bearer ${server.token}`, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    request.on("error", failed);
    request.end(body);
  });
}

/** Does this with each, eight at a time. */
async function many<T>(items: readonly T[], ask: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(ask));
}

const HOSTILE = [
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e/%2e%2e/etc/passwd",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "..%252f..%252fetc%252fpasswd",
  "%c0%ae%c0%ae/",
  "%c0%ae%c0%ae%c0%af",
  "%ff%fe",
  "%",
  "%zz",
  "%u002e",
  "%E0%A4%A",
  "....//....//etc/passwd",
  "..;/..;/etc/passwd",
  "\\..\\..\\etc\\passwd",
  "..%5c..%5cetc%5cpasswd",
  "/etc/passwd",
  "//etc/passwd",
  "%2fetc%2fpasswd",
  "/proc/self/environ",
  "%2fproc%2fself%2fenviron",
  "%2fdev%2fzero",
  "C:%5cwindows%5cwin.ini",
  "C:\\windows\\win.ini",
  "%5c%5cbeacon.test%5cshare",
  "file:///etc/passwd",
  "file%3a%2f%2f%2fetc%2fpasswd",
  "http%3a%2f%2fbeacon.test%2f",
  "ID%00.png",
  "ID%0a",
  "ID%0d%0aSet-Cookie:%20x=1",
  "ID%20",
  "ID/",
  "ID/../ID",
  "ID%2f..%2fID",
  "ID.",
  "ID;x=1",
  "ID%23x",
  "ID%3fx",
  "ID'",
  "ID%22",
  "ID%20OR%201=1--",
  "ID*",
  "ID%25",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "then",
  "length",
  "undefined",
  "null",
  "NaN",
  "-1",
  "0",
  "1e9",
  "0x10",
  "9007199254740993",
  "99999999999999999999",
  "%00",
  "%20",
  ".",
  "..",
  "~",
  "~root",
  "$HOME",
  "%24%7bjndi:ldap:%2f%2fbeacon.test%7d",
  "%7b%7b7*7%7d%7d",
  "CON",
  "NUL.txt",
  "%E2%80%AEx",
  "%EF%BC%8E%EF%BC%8E%EF%BC%8Fetc",
  "%F3%A0%81%A1",
  "%ED%A0%80",
  "a".repeat(5000),
  "%2e".repeat(1500),
];

/** Nothing of this machine stands in an answer. Thousands are looked at: an `expect` of Playwright's is a step of its report each. */
function expectNothingTold(answer: Answer, what: string): void {
  const text = answer.body.toString("latin1");
  const told = [
    /root:/.exec(text)?.[0],
    /\bat .+\.(ts|js|mjs):\d+/.exec(text)?.[0],
    /SQLITE/.exec(text)?.[0],
    answer.headers["set-cookie"]?.toString(),
  ].filter((one) => one !== undefined);
  if (told.length > 0) expect(told, what).toEqual([]);
}

test("every parameter of every route takes hostile words for what they are: nobody's", async ({ server, own }) => {
  const routes = ENDPOINTS.filter((route) => route.path.includes("/:") && route.method === "GET");
  expect(routes.length).toBeGreaterThan(10);
  const wrong: string[] = [];
  for (const route of routes) {
    for (const name of route.path.match(/:\w+/g) ?? []) {
      const mine = name === ":pointer" ? own.pointer : name === ":seq" ? "1" : own.session;
      await many(HOSTILE, async (hostile) => {
        const filled = route.path.replace(name, () => hostile.replaceAll("ID", mine));
        const path = filled.replace(":id", own.session).replace(":seq", "1").replace(":pointer", own.pointer);
        const answer = await send(server, "GET", path).catch(() => null);
        // `seq` 0 and -1 are numbers; `ID/` and `ID/../x` are other addresses of what is one's own.
        // What only a signed-in browser may ask is refused before anyone looks at a name.
        const refusals = [308, 400, 404, 414, 431, ...(["browser", "human"].includes(route.auth) ? [403] : [])];
        const isRefused = answer !== null && refusals.includes(answer.status);
        if (!isRefused) wrong.push(`${answer?.status ?? "no answer"} ${path.slice(0, 120)}`);
        if (answer) expectNothingTold(answer, path);
      });
    }
  }
  expect(wrong).toEqual([]);
});

test("hostile words in the question are answered with one's own data, or refused", async ({ server, own }) => {
  // Some 2,000 requests: a quarter of a minute, and more on a busy machine.
  test.setTimeout(180_000);
  const questions = [
    [
      "/api/sessions",
      ["q", "format", "project", "model", "state", "badge", "since", "artifacts", "parent", "sort", "dir", "limit"],
    ],
    [`/api/sessions/${own.session}/events`, ["from", "to", "type", "limit"]],
    [`/api/sessions/${own.session}/find`, ["q"]],
    ["/api/artifacts", ["session", "q", "tool", "type", "sort", "dir", "limit"]],
    [`/api/artifacts/${own.pointer}/lines`, ["from", "count"]],
    [`/api/artifacts/${own.pointer}/raw`, ["inline", "download", "name", "path"]],
    ["/api/sources", ["q", "status", "limit"]],
    ["/api/sources/problems", ["path", "limit"]],
    ["/api/sources/raw", ["path"]],
  ] as const;
  const wrong: string[] = [];
  for (const [path, names] of questions) {
    for (const name of names) {
      await many(HOSTILE, async (hostile) => {
        // As a browser would send it, and as it is.
        const asIs = hostile.replaceAll(/[\\#\s{}|^<>"&]/g, encodeURIComponent);
        for (const value of asIs.includes("%") ? [encodeURIComponent(hostile), asIs] : [encodeURIComponent(hostile)]) {
          const address = `${path}?${name}=${value}`;
          const answer = await send(server, "GET", address);
          const allowed = name === "path" && path === "/api/sources/raw" ? [400, 404, 431] : [200, 400, 404, 431];
          if (!allowed.includes(answer.status)) wrong.push(`${answer.status} ${address.slice(0, 120)}`);
          expectNothingTold(answer, address);
        }
      });
    }
  }
  for (const prototype of ["__proto__[x]=1", "filter[__proto__][x]=1", "constructor[prototype][x]=1", "__proto__=1"]) {
    const answer = await send(server, "GET", `/api/sessions?${prototype}`);
    expect([200, 400], prototype).toContain(answer.status);
  }
  expect(wrong).toEqual([]);
});

test("hostile words in a body, and in headers, are refused", async ({ server }) => {
  const json = { "content-type": "application/json" };
  for (const hostile of [...HOSTILE, { toString: 1 }, ["..", 1], null, 7, "/nowhere", "\u0000", "/etc\u0000/passwd"]) {
    for (const [path, body] of [
      ["/api/sources", { path: hostile }],
      ["/api/imports", { paths: [hostile] }],
      ["/api/imports", { paths: hostile, url: "file:///etc/passwd", filepath: "/etc/passwd" }],
    ] as const) {
      const answer = await send(server, "POST", path, json, JSON.stringify(body));
      expect([200, 202, 400, 404, 409, 415], `${path} ${JSON.stringify(hostile).slice(0, 60)}`).toContain(
        answer.status,
      );
      const isFull = typeof hostile === "string" && /^(\/|[A-Z]:[\\/])[^\0]+$/.test(hostile);
      if (!isFull) expect(answer.status, JSON.stringify(hostile)).toBe(400);
      expectNothingTold(answer, path);
    }
  }
  for (const body of [
    '{"__proto__":{"path":"/etc"}}',
    '{"constructor":{"prototype":{"path":"/etc"}}}',
    "[]",
    "1",
    "nul",
    "{",
  ]) {
    const answer = await send(server, "POST", "/api/sources", json, body);
    expect(answer.status, body).toBe(400);
  }
  for (const id of HOSTILE) {
    const answer = await send(server, "DELETE", `/api/imports/${id}`).catch(() => null);
    expect([308, 400, 404, 405, 414, 431], id.slice(0, 60)).toContain(answer?.status);
  }
  const sources = (await (await server.ask("GET", "/api/sources?limit=500")).json()) as {
    sources: { path: string; sessions: [] }[];
  };
  expect(sources.sources.filter(({ path, sessions }) => path.startsWith("/etc") && sessions.length > 0)).toEqual([]);
});

test("any words may be searched for: an answer within a second, or a refusal, never a failure", async ({
  server,
  own,
}) => {
  const words = [
    `" OR 1=1 --`,
    "*",
    `"a`,
    "a*",
    "NEAR(",
    "NEAR(a b, 5)",
    "a AND",
    "NOT",
    "OR OR",
    "title:a",
    "-a",
    "^a",
    "{a b}: c",
    "(",
    `")`,
    "'; DROP TABLE sessions; --",
    `a* OR ${"b* OR ".repeat(120)}c`,
    "%".repeat(1000),
    "_".repeat(1000),
    "\\",
    "\u0000",
    "\u0002a\u0003",
    "\ud800",
    "\u202e",
    "a".repeat(1000),
    " ",
    "𝔘𝔫𝔦",
    "%50%50",
  ];
  for (const word of words) {
    for (const path of ["/api/sessions", "/api/artifacts", "/api/sources", `/api/sessions/${own.session}/find`]) {
      const startedAt = Date.now();
      const query = new URLSearchParams({ q: word }).toString();
      const answer = await send(server, "GET", `${path}?${query}`);
      expect([200, 400], `${path} ${JSON.stringify(word).slice(0, 60)}`).toContain(answer.status);
      expectNothingTold(answer, path);
      // 3 s, where a second would do: the machine may be busy with other tests.
      expect(Date.now() - startedAt, `${path} ${word.slice(0, 60)}`).toBeLessThan(3000);
    }
  }
  for (const query of [
    "sort=1;drop table sessions",
    "sort=started&dir=asc;--",
    "limit=1;drop",
    "limit=-1",
    "limit=1e9",
    "offset=-1",
  ]) {
    expect((await send(server, "GET", `/api/sessions?${query.replaceAll(" ", "%20")}`)).status, query).toBe(400);
  }
  const all = (await (await server.ask("GET", "/api/sessions")).json()) as { total: number };
  expect(all.total).toBeGreaterThanOrEqual(1);
});

test("a source's file that points elsewhere is not followed, is listed with its reason, and holds nothing up", async ({
  server,
  own,
}) => {
  test.skip(process.platform === "win32", "Windows has neither FIFOs nor these links");
  expect(own.session).not.toBe("");
  const folder = join(server.dir, "sources", "links");
  const outside = join(server.dir, "outside");
  mkdirSync(folder);
  writeSample(outside, { ...SAMPLE, id: sampleId(60), prompt: "Secret of another folder" });
  const secret =
    readdirSync(outside, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".jsonl")) ?? "";
  symlinkSync("/etc/passwd", join(folder, "passwd.jsonl"));
  symlinkSync(join(outside, secret), join(folder, "outside.jsonl"));
  symlinkSync(outside, join(folder, "folder"));
  symlinkSync("/dev/zero", join(folder, "zero.jsonl"));
  symlinkSync("loop-b.jsonl", join(folder, "loop-a.jsonl"));
  symlinkSync("loop-a.jsonl", join(folder, "loop-b.jsonl"));
  symlinkSync("nowhere", join(folder, "dangling.jsonl"));
  mkdirSync(join(folder, "folder.jsonl"));
  execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
  linkSync(own.file, join(folder, "hard.jsonl"));
  // What comes last shows that nothing before it was waited for.
  writeSample(folder, { ...SAMPLE, id: sampleId(61), prompt: "Beside the links" });

  type Source = { path: string; status: string; reason: string | null };
  const listed = async (): Promise<Source[]> =>
    ((await (await server.ask("GET", "/api/sources?limit=500")).json()) as { sources: Source[] }).sources;
  await expect
    .poll(async () => (await listed()).some(({ path }) => path.endsWith(`${sampleId(61)}.jsonl`)), { timeout: 20_000 })
    .toBe(true);
  for (const name of ["passwd", "outside", "zero", "loop-a", "dangling", "pipe"]) {
    await expect
      .poll(async () => (await listed()).find(({ path }) => path.endsWith(`links/${name}.jsonl`)), { message: name })
      .toMatchObject({ status: "skipped", reason: expect.stringMatching(/\w+ \w+ .*\./) });
  }
  const sessions = JSON.stringify(await (await server.ask("GET", "/api/sessions?limit=500")).json());
  expect(sessions).toContain("Beside the links");
  expect(sessions).not.toContain("Secret of another folder");
  for (const name of ["passwd.jsonl", "outside.jsonl", `folder/${secret}`]) {
    const answer = await send(server, "GET", `/api/sources/raw?path=${encodeURIComponent(join(folder, name))}`);
    expect([400, 404], name).toContain(answer.status);
    expectNothingTold(answer, name);
  }
});

/** Lines whose keys and bytes are easily lost: prototypes, doubles, NUL, numbers that a parser rounds. */
const KEYS = [
  `{"__proto__":{"isPublic":true},"constructor":{"prototype":{"x":1}}}`,
  `{"toString":1,"hasOwnProperty":2,"then":3,"length":4,"":5,"a.__proto__.b":6}`,
  `{"id":"a","id":"b","role":"user","role\\u0000":"system"}`,
  `{"n":[9007199254740993,1e400,-0,1.0,123456789012345678901234567890,1E+2]}`,
  `{"lone":"\\ud800","nul":"\\u0000","rtl":"\u202eabc","joined":"\u{1f469}\u200d\u{1f680}","spaces":  [ 1 ,2 ]  }`,
];

test("the record of an event comes back byte for byte, whatever its keys are", async ({ server, own }) => {
  const id = sampleId(70);
  const first = sampleLines({ ...SAMPLE, id, prompt: "Strange keys" });
  const envelope = JSON.parse(first[0] ?? "{}") as Record<string, unknown>;
  const lines = KEYS.map((input, at) => {
    const content = [{ type: "tool_use", id: `toolu_keys_${at}`, name: "Strange", input: "INPUT" }];
    const message = { id: `msg_${at}`, role: "assistant", type: "message", model: "m", content };
    const uuid = `cccccccc-0000-4000-8000-00000000000${at}`;
    return JSON.stringify({ ...envelope, type: "assistant", uuid, message }).replace('"INPUT"', input);
  });
  const file = join(server.dir, "sources", `${id}.jsonl`);
  const bytes = Buffer.from([...first.map((line) => line.trimEnd()), ...lines, ""].join("\n"));
  writeFileSync(file, bytes);
  const session = async (): Promise<{ id: string; toolCalls?: number } | undefined> => {
    const answer = await server.ask("GET", "/api/sessions?q=%22Strange+keys%22");
    return ((await answer.json()) as { sessions: { id: string }[] }).sessions[0];
  };
  await expect.poll(session, { timeout: 20_000 }).toBeDefined();
  const found = await session();
  type Event = { seq: number; raw: { byteStart: number; byteEnd: number }; toolCallId: string | null; type: string };
  const answer = await server.ask("GET", `/api/sessions/${found?.id}/events`);
  const text = await answer.text();
  const { events } = JSON.parse(text) as { events: Event[] };
  const strange = events.filter(({ type, toolCallId }) => type === "tool_call" && toolCallId?.startsWith("toolu_keys"));
  expect(strange).toHaveLength(KEYS.length);
  for (const [at, { seq, raw }] of strange.entries()) {
    const got = await send(server, "GET", `/api/sessions/${found?.id}/events/${seq}/raw`);
    expect(got.status).toBe(200);
    expect(got.body.toString().trimEnd()).toBe(lines[at]);
    expect(got.body.equals(bytes.subarray(raw.byteStart, raw.byteEnd))).toBe(true);
    expect(got.headers["content-security-policy"]).toMatch(/^sandbox;/);
    expect(got.headers["x-content-type-options"]).toBe("nosniff");
  }
  // A polluted prototype would show in every other answer.
  expect(await (await server.ask("GET", "/api/health")).text()).not.toContain("isPublic");
  const whole = await send(server, "GET", `/api/sources/raw?path=${encodeURIComponent(file)}`);
  expect(whole.body.equals(bytes)).toBe(true);
  expect(own.session).not.toBe(found?.id);
});

test("a range is the bytes that it names, at every edge", async ({ server, own }) => {
  const path = `/api/artifacts/${encodeURIComponent(own.pointer)}/raw`;
  const whole = await send(server, "GET", path);
  expect(whole.status).toBe(200);
  expect(whole.body.toString()).toBe(OUTPUT);
  const size = whole.body.length;
  const etag = String(whole.headers["etag"]);
  const parts: [string, number, number][] = [
    ["bytes=0-0", 0, 1],
    ["bytes=0-", 0, size],
    ["bytes=-1", size - 1, size],
    [`bytes=-${size * 2}`, 0, size],
    [`bytes=${size - 1}-`, size - 1, size],
    [`bytes=10-${size * 2}`, 10, size],
    ["bytes=4095-4097", 4095, 4098],
  ];
  for (const [range, start, end] of parts) {
    const part = await send(server, "GET", path, { range });
    expect(part.status, range).toBe(206);
    expect(part.headers["content-range"], range).toBe(`bytes ${start}-${end - 1}/${size}`);
    expect(part.headers["content-length"], range).toBe(String(end - start));
    expect(part.body.equals(whole.body.subarray(start, end)), range).toBe(true);
  }
  for (const range of [`bytes=${size}-`, "bytes=-0", `bytes=${size + 10}-${size + 20}`, "bytes=999999999999999-"]) {
    const part = await send(server, "GET", path, { range });
    expect(part.status, range).toBe(416);
    expect(part.headers["content-range"], range).toBe(`bytes */${size}`);
    expect(part.body).toHaveLength(0);
  }
  // What is no single range of bytes is answered with the whole.
  for (const range of [
    "bytes=5-1",
    "bytes=-",
    "bytes=a-b",
    "lines=1-2",
    "bytes=0-1,4-5",
    "bytes=0x1-2",
    "bytes=1-2-3",
    "bytes=9999999999999999999-",
  ]) {
    const part = await send(server, "GET", path, { range });
    expect(part.status, range).toBe(200);
    expect(part.body.equals(whole.body), range).toBe(true);
  }
  expect((await send(server, "GET", path, { range: "bytes=0-0", "if-range": '"other"' })).status).toBe(200);
  expect((await send(server, "GET", path, { range: "bytes=0-0", "if-range": etag })).status).toBe(206);
  expect((await send(server, "GET", path, { "if-none-match": `"x", W/${etag}` })).status).toBe(304);
  const head = await send(server, "HEAD", path);
  expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, String(size), 0]);
});

test("a dropped file keeps its bytes and loses what is dangerous in its name", async ({ server, own }) => {
  expect(own.session).not.toBe("");
  const inside = realListing(server);
  for (const [at, hostile] of [
    ...HOSTILE,
    "x\u202egpj.jsonl",
    "a\r\nb.jsonl",
    'a"b.jsonl',
    "\u{1f469}".repeat(90),
  ].entries()) {
    const id = `22222222-2222-4333-8444-${String(at).padStart(12, "0")}`;
    const lines = sampleLines({ ...SAMPLE, id, prompt: `Dropped ${at}`, calls: [] });
    const name = encodeURIComponent(hostile.replaceAll("ID", "art"));
    const answer = await send(
      server,
      "PUT",
      `/api/upload?name=${name}`,
      { "content-type": "application/octet-stream" },
      lines.join(""),
    );
    expect([200, 202, 400, 409], hostile.slice(0, 60)).toContain(answer.status);
    expectNothingTold(answer, hostile);
    expect(JSON.stringify(answer.headers), hostile).not.toContain("x=1");
  }
  // Every file lies two folders below `uploads`, under a name that is one harmless part of a path.
  const uploads = join(server.archive, "uploads");
  const kept = readdirSync(uploads, { recursive: true, encoding: "utf8" });
  const files = kept.filter((path) => lstatSync(join(uploads, path)).isFile());
  expect(files.length).toBeGreaterThan(40);
  for (const path of files) {
    const [folder, name = "", ...deeper] = path.split("/");
    expect(folder).toMatch(/^[0-9a-f]{8}$/);
    expect(deeper).toEqual([]);
    expect(name).toMatch(/^[\p{L}\p{N}._ @+-]+$/u);
    expect(readFileSync(join(uploads, path), "utf8")).toContain('"Dropped ');
  }
  expect(realListing(server)).toEqual(inside);
  const answer = await send(
    server,
    "GET",
    `/api/sources/raw?path=${encodeURIComponent(join(uploads, files[0] ?? ""))}`,
  );
  expect([200, 404]).toContain(answer.status);
  if (answer.status === 200) expect(answer.body.equals(readFileSync(join(uploads, files[0] ?? "")))).toBe(true);
});

/** What stands beside the archive: nothing may be added there. */
function realListing(server: TestServer): string[] {
  return readdirSync(server.dir).toSorted();
}
