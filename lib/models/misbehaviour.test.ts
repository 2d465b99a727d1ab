// Everything a model's server does wrong, a row each: one clear error of a known code, in bounded time and room, nothing of
// the key in it. Nothing leaves loopback.
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { isAppError, type AppError } from "#lib/kernel/errors.ts";
import { assistant, trace } from "#lib/kernel/memory/testing-memory.ts";
import type { ModelEndpoint } from "#lib/kernel/model-endpoint.ts";
import { modelSummarizer } from "./model-summarizer.ts";
import { answers, completion, GOOD, message, withModelServer, type Behave } from "./testing-models.ts";

const KEY = "sk-test-4711-abcdefghijklmnop-wxyz";
const TRACES = [trace(1, 1, { content: "Paint the keel" }), assistant(1, 2, "I painted it")];
const CONTEXT = { unit: "turn", turnIds: ["turn_0001"] } as const;

const endpoint = (baseUrl: string, more: Partial<ModelEndpoint> = {}): ModelEndpoint => ({
  kind: "openai",
  baseUrl,
  model: "small-1",
  apiKey: KEY,
  ...more,
});

/** Short, so that the table takes seconds. */
const LIMITS = { timeoutMs: 1500, retryMs: 5 };

async function failureOf(work: () => unknown): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    expect(isAppError(error), String(error)).toBe(true);
    return error as AppError;
  }
  throw new Error("It answered, and should have failed.");
}

const json = (response: Parameters<Behave>[0], text: string): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(text);

const good = JSON.stringify(completion(JSON.stringify(GOOD)));

const TABLE: readonly (readonly [
  name: string,
  code: string,
  message: RegExp,
  behave: Behave,
  more?: Partial<ModelEndpoint>,
])[] = [
  ["says nothing at all", "timeout", /did not answer within 1\.5 s/, () => {}],
  [
    "sends its head and then nothing",
    "timeout",
    /did not answer within/,
    (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
  ],
  [
    "drips a byte at a time",
    "timeout",
    /did not answer within/,
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    },
  ],
  ["hangs up before an answer", "unsupported", /could not be asked/, (response) => void response.destroy()],
  [
    "breaks off in the middle of a body with a length",
    "unsupported",
    /was interrupted after \d+ bytes/,
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": String(good.length) });
      response.write(good.slice(0, 40), () => setTimeout(() => response.destroy(), 20));
    },
  ],
  [
    "breaks off in the middle of a stream",
    "unsupported",
    /was interrupted after \d+ bytes/,
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(good.slice(0, 40), () => setTimeout(() => response.destroy(), 20));
    },
  ],
  [
    "says how long its answer is, and that is too long",
    "too_large",
    /over 1 MB/,
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": String(10 * 1024 ** 3) });
      response.write("{");
    },
  ],
  [
    "sends without end",
    "too_large",
    /over 1 MB/,
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = (): void => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    },
  ],
  [
    "packs 64 MB into a few kilobytes",
    "too_large",
    /over 1 MB/,
    (response) =>
      void response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(64 * 1024 ** 2, " "))),
  ],
  [
    "redirects",
    "invalid",
    /redirect \(302\), which is not followed/,
    (response) => void response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
  ],
  [
    "redirects for good, and wants the body again",
    "invalid",
    /redirect \(308\)/,
    (response) => void response.writeHead(308, { location: "/elsewhere" }).end(),
  ],
  [
    "answers with a page",
    "unsupported",
    /as text\/html, not as application\/json/,
    (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html><script>alert(1)</script>"),
  ],
  [
    "streams although it was asked not to",
    "unsupported",
    /as text\/event-stream/,
    (response) =>
      void response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end('data: {"choices":[]}\n\ndata: [DONE]\n\n'),
  ],
  ["names no type", "unsupported", /without a type/, (response) => void response.writeHead(200).end(good)],
  ["has nothing to say", "unsupported", /without a type/, (response) => void response.writeHead(204).end()],
  ["answers with an empty body", "unsupported", /not valid JSON/, (response) => json(response, "")],
  ["answers with half a document", "unsupported", /not valid JSON/, (response) => json(response, good.slice(0, -30))],
  ["answers with another document", "unsupported", /does not fit this kind/, answers({ hello: "sailor" })],
  ["answers with null", "unsupported", /does not fit this kind/, answers(null)],
  ["answers with a list", "unsupported", /does not fit this kind/, answers([1, 2])],
  ["answers without a choice", "unsupported", /does not fit this kind/, answers({ choices: [] })],
  ["puts an error into a good status", "unsupported", /does not fit this kind/, answers({ error: { message: "no" } })],
  ["answers as the other kind does", "unsupported", /does not fit this kind/, answers(message(JSON.stringify(GOOD)))],
  [
    "is of the other kind than was set",
    "unsupported",
    /does not fit this kind/,
    answers(completion(JSON.stringify(GOOD))),
    { kind: "anthropic" },
  ],
  [
    "does not know the key",
    "invalid",
    /did not accept the key \(401\).*“bad key”/,
    answers({ error: { message: "bad key" } }, 401),
  ],
  ["forbids", "invalid", /did not accept the key \(403\)/, answers({ error: "no" }, 403)],
  [
    "does not know the model",
    "invalid",
    /does not know this address or model \(404\).*“no model small-1”/,
    answers({ message: "no model small-1" }, 404),
  ],
  [
    "finds the context too long",
    "invalid",
    /refused the request \(400\).*“maximum context length is 4096”/,
    answers({ error: { message: "maximum context length is 4096" } }, 400),
  ],
  ["refused the request as too large", "too_large", /too large \(413\)/, answers({}, 413)],
  [
    "is asked too often, three times",
    "unsupported",
    /no more requests at the moment \(429\).*“slow down”/,
    answers({ error: { message: "slow down" } }, 429),
  ],
  [
    "wants to be asked tomorrow",
    "unsupported",
    /no more requests at the moment \(429\)/,
    answers({ error: { message: "quota" } }, 429, { "retry-after": "86400" }),
  ],
  ["fails, three times", "unsupported", /failed \(500\)/, answers({ error: { message: "oops" } }, 500)],
  [
    "fails behind a gateway with a page",
    "unsupported",
    /failed \(502\)\.$/,
    (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>"),
  ],
  [
    "is overloaded",
    "unsupported",
    /failed \(529\)/,
    answers({ error: { message: "overloaded" } }, 529),
    { kind: "anthropic" },
  ],
  [
    "fails with an error that has no end",
    "unsupported",
    /failed \(500\)\.$/,
    (response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    },
  ],
  [
    "repeats the key in its error",
    "invalid",
    /did not accept the key \(401\).*“Incorrect key: \*\*\*…wxyz/,
    (response, { headers }) =>
      void response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: `Incorrect key: ${String(headers.authorization).slice(7)}` } })),
  ],
  [
    "steers the terminal in its error",
    "invalid",
    /“a\[31m b c”/,
    answers({ error: { message: "a\u001b[31m\r\nb\u202e \u{e0041}c" } }, 400),
  ],
  [
    "refuses",
    "unsupported",
    /The model refused\. It said: “I cannot”/,
    answers(completion(null, { refusal: "I cannot" })),
  ],
  ["filters its answer", "unsupported", /refused/, answers(completion("", {}, { finish_reason: "content_filter" }))],
  [
    "refuses, the other kind",
    "unsupported",
    /refused/,
    answers(message("", { stop_reason: "refusal" })),
    { kind: "anthropic" },
  ],
  [
    "stops in the middle, although what is there can be read",
    "too_large",
    /is cut off/,
    answers(completion(JSON.stringify(GOOD), {}, { finish_reason: "length" })),
  ],
  [
    "stops in the middle, the other kind",
    "too_large",
    /is cut off/,
    answers(message(JSON.stringify(GOOD), { stop_reason: "max_tokens" })),
    { kind: "anthropic" },
  ],
  ["answers without text", "unsupported", /without any text/, answers(completion(null))],
  ["answers with spaces", "unsupported", /without any text/, answers(completion(" \n "))],
  [
    "calls a tool instead of answering",
    "unsupported",
    /without any text/,
    answers(
      completion(null, { tool_calls: [{ id: "c", type: "function", function: { name: "rm", arguments: "{}" } }] }),
    ),
  ],
  [
    "calls a tool, the other kind",
    "unsupported",
    /without any text/,
    answers(message("", { content: [{ type: "tool_use", id: "t", name: "rm", input: {} }], stop_reason: "tool_use" })),
    { kind: "anthropic" },
  ],
  ["talks instead of summarising", "invalid", /no JSON object/, answers(completion("The keel was painted."))],
  ["answers with a number", "invalid", /no JSON object/, answers(completion("42"))],
  ["forgets the summary", "invalid", /no JSON object/, answers(completion('{"durable_facts":[{"fact":"a"}]}'))],
  ["leaves the summary empty", "invalid", /no JSON object/, answers(completion('{"episodic_summary":"  "}'))],
  [
    "only thinks, and puts the object there",
    "invalid",
    /no JSON object/,
    answers(completion(`<think>${JSON.stringify(GOOD)} would do`)),
  ],
  [
    "writes what nobody would see",
    "unsupported",
    /summary is empty/,
    answers(completion(JSON.stringify({ episodic_summary: "\u200b\u202e\u{e0041}" }))),
  ],
];

describe("a server that", () => {
  test.each(TABLE.map(([name, ...row]) => ({ name, row })))("$name", async ({ row: [code, said, behave, more] }) => {
    await withModelServer(behave, async ({ url, requests: request }) => {
      const from = performance.now();
      const summarizer = modelSummarizer(endpoint(url, more), LIMITS);
      const failure = await failureOf(() => summarizer.summarize(TRACES, CONTEXT));
      expect(failure.message).toMatch(said);
      expect(failure.code).toBe(code);
      expect(failure.message).not.toContain(KEY);
      expect(failure.message.length).toBeLessThan(700);
      expect(performance.now() - from).toBeLessThan(4000);
      expect(request.length).toBeGreaterThan(0);
    });
  });

  test("has a name that does not exist, or a port where nobody listens, is told apart from one that fails", async () => {
    const closed = await withModelServer(answers({}), async ({ url }) => url);
    const failure = await failureOf(() => modelSummarizer(endpoint(closed), LIMITS).summarize(TRACES, CONTEXT));
    expect(failure).toMatchObject({ code: "unsupported" });
    expect(failure.message).toMatch(/127\.0\.0\.1:\d+ could not be asked \(ECONNREFUSED\)/);
  });

  test("speaks no TLS where TLS is asked for is not spoken to without", () =>
    withModelServer(answers({}), async ({ port, requests: request }) => {
      const summarizer = modelSummarizer(endpoint(`https://127.0.0.1:${port}`), LIMITS);
      const failure = await failureOf(() => summarizer.summarize(TRACES, CONTEXT));
      expect(failure.message).toMatch(/could not be asked \(.*(SSL|TLS|EPROTO)/i);
      expect(request).toEqual([]);
    }));

  test("redirects never has the place that it named asked", () =>
    withModelServer(answers(completion(JSON.stringify(GOOD))), (other) =>
      withModelServer(
        (response) => void response.writeHead(307, { location: `${other.url}/v1/chat/completions` }).end(),
        async ({ url, requests: request }) => {
          await failureOf(() => modelSummarizer(endpoint(url), LIMITS).summarize(TRACES, CONTEXT));
          expect([request.length, other.requests.length]).toEqual([1, 0]);
        },
      ),
    ));
});

describe("asking again", () => {
  const busyTwice =
    (status: number, headers: Record<string, string> = {}): Behave =>
    (response, request, nth) =>
      nth < 3
        ? answers({ error: { message: "busy" } }, status, headers)(response, request, nth)
        : answers(completion(JSON.stringify(GOOD)))(response, request, nth);

  test.each([429, 500, 503])("is done twice after %i, and then answered", (status) =>
    withModelServer(busyTwice(status), async ({ url, requests: request }) => {
      const { summary } = await modelSummarizer(endpoint(url), LIMITS).summarize(TRACES, CONTEXT);
      expect([summary, request.length]).toEqual([GOOD.episodic_summary, 3]);
    }),
  );

  test("waits as long as the server says", () =>
    withModelServer(busyTwice(429, { "retry-after": "0" }), async ({ url, requests: request }) => {
      await modelSummarizer(endpoint(url), { timeoutMs: 1500, retryMs: 60_000 }).summarize(TRACES, CONTEXT);
      expect(request.length).toBe(3);
    }));

  test.each([
    ["a refused key", answers({}, 401), 1],
    ["a redirect", answers({}, 302), 1],
    ["garbage", answers({}), 1],
    ["a wait of a day", answers({}, 429, { "retry-after": "86400" }), 1],
    ["a busy server, more than twice", answers({}, 429), 3],
  ])("is not done after %s", (_, behave, times) =>
    withModelServer(behave, async ({ url, requests: request }) => {
      await failureOf(() => modelSummarizer(endpoint(url), LIMITS).summarize(TRACES, CONTEXT));
      expect(request.length).toBe(times);
    }),
  );

  test("ends at the deadline of all tries together", () =>
    withModelServer(answers({}, 503), async ({ url }) => {
      const from = performance.now();
      const summarizer = modelSummarizer(endpoint(url), { timeoutMs: 300, retryMs: 5000 });
      expect((await failureOf(() => summarizer.summarize(TRACES, CONTEXT))).code).toBe("timeout");
      expect(performance.now() - from).toBeLessThan(2000);
    }));
});

describe("a signal", () => {
  test.each([
    ["before it is asked", 0],
    ["while it is asked", 60],
  ])("that aborts %s ends it at once and says so", (_, ms) =>
    withModelServer(
      () => {},
      async ({ url, requests: request }) => {
        const signal = ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms);
        const from = performance.now();
        const summarizer = modelSummarizer(endpoint(url), LIMITS);
        const failure = await failureOf(() => summarizer.summarize(TRACES, { ...CONTEXT, signal }));
        expect(failure).toMatchObject({ code: "conflict", message: "Asking the model was cancelled." });
        expect(performance.now() - from).toBeLessThan(1000);
        expect(request.length).toBe(ms === 0 ? 0 : 1);
      },
    ),
  );

  test("that aborts lets the connection go", () => {
    const closed = Promise.withResolvers<void>();
    return withModelServer(
      (response) => void response.on("close", () => closed.resolve()),
      async ({ url }) => {
        const signal = AbortSignal.timeout(50);
        await failureOf(() => modelSummarizer(endpoint(url), LIMITS).summarize(TRACES, { ...CONTEXT, signal }));
        await Promise.race([closed.promise, wait(2000).then(() => Promise.reject(new Error("It is still open.")))]);
      },
    );
  });
});

test("an address that may not be asked makes no client, whoever wrote it into the setting", () => {
  for (const baseUrl of ["http://10.0.0.1/v1", "http://169.254.169.254", "file:///etc/passwd", "https://u:p@a.example"])
    expect(() => modelSummarizer(endpoint(baseUrl))).toThrow(expect.objectContaining({ code: "invalid" }));
  expect(() => modelSummarizer(endpoint("https://a.example", { apiKey: `${KEY}\r\nx: y` }))).toThrow(/key has/);
});
