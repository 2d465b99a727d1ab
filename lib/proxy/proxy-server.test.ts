// The proxy between real sockets: what passes is the same to the byte, whatever either side does.
import { createServer, type Socket } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { bytesOf, messageEvents, send, withProxy, withProxyTo } from "./testing-proxy.ts";

const KEY = "sk-ant-secret-7f3a";
const BODY = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hé" }] });

/** A provider that is a bare socket: it answers what no HTTP server would. */
async function withSocket(answer: (socket: Socket, sent: string) => void, run: (url: string) => Promise<void>) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", (chunk) => answer(socket, chunk.toString("latin1")));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await run(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test("headers and bytes pass both ways as they are, those of the connection aside", async () => {
  let head = "";
  await withSocket(
    (socket, sent) => {
      head = sent;
      socket.end(
        "HTTP/1.1 201 Fine Indeed\r\nX-Odd-CASE: a\r\nSet-Cookie: c=1\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 3\r\n\r\n\x00\xff\n",
      );
    },
    (url) =>
      withProxyTo(url, async ({ send: through, port }) => {
        const headers = { "X-Api-Key": KEY, "x-STRANGE": "Ü", connection: "x-gone", "x-gone": "1" };
        const answer = await through("/anthropic/v1/messages?beta=true", { headers, body: BODY });
        expect(answer.statusCode).toBe(201);
        expect(answer.statusMessage).toBe("Fine Indeed");
        expect(answer.rawHeaders.slice(0, 6)).toEqual(["X-Odd-CASE", "a", "Set-Cookie", "c=1", "Content-Length", "3"]);
        expect(await bytesOf(answer)).toEqual(Buffer.from([0, 0xc3, 0xbf, 10]).subarray(0, 3));
        expect(head).toContain("POST /v1/messages?beta=true HTTP/1.1\r\nHost: ");
        expect(head).not.toContain(`127.0.0.1:${port}\r\n`);
        expect(head).toContain(`X-Api-Key: ${KEY}\r\nx-STRANGE: \xdc\r\n`);
        expect(head).not.toContain("x-gone");
        expect(head.endsWith(`\r\n\r\n${Buffer.from(BODY).toString("latin1")}`)).toBe(true);
      }),
  );
});

test("events of a stream pass when they come, not when the stream ends", async () => {
  const events = messageEvents("msg_1", "slow");
  const gates = events.map(() => Promise.withResolvers<void>());
  await withProxy(
    async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const [i, event] of events.entries()) {
        response.write(event);
        await gates[i]!.promise;
      }
      response.end();
    },
    async ({ send: through }) => {
      const answer = await through("/anthropic/v1/messages", { body: BODY });
      // The next event is sent only after this one arrived: one that is held back would hang here.
      for (const [i, event] of events.entries()) {
        const [chunk] = (await new Promise((done) => answer.once("data", (...got) => done(got)))) as [Buffer];
        expect(chunk.toString()).toBe(event);
        gates[i]!.resolve();
      }
    },
  );
});

test("compressed bodies pass as they are, and are decoded for the record alone", async () => {
  const sent = zstdCompressSync(BODY);
  const said = gzipSync(messageEvents("msg_2", "packed").join(""));
  let got: Buffer = Buffer.alloc(0);
  await withProxy(
    async (request, response) => {
      got = await bytesOf(request);
      response.writeHead(200, { "content-encoding": "gzip", "request-id": "req_2" }).end(said);
    },
    async ({ send: through, exchanges }) => {
      const answer = await through("/anthropic/v1/messages", { body: sent, headers: { "content-encoding": "zstd" } });
      expect(await bytesOf(answer)).toEqual(said);
      expect(got).toEqual(sent);
      const [one] = await exchanges();
      expect(one!.request!.text).toBe(BODY);
      expect(one!.answer.message).toMatchObject({ id: "msg_2", content: [{ type: "text", text: "packed" }] });
      expect(one!.answer.headers).toMatchObject({ "request-id": "req_2" });
    },
  );
});

test("no key is ever written: not of a header, a query or a cookie", async () => {
  await withProxy(
    (request, response) => void request.resume().on("end", () => response.end('{"candidates":[]}')),
    async ({ send: through, exchanges, written }) => {
      const headers = {
        authorization: `Bearer ${KEY}`,
        "x-api-key": KEY,
        "x-goog-api-key": KEY,
        "api-key": KEY,
        "x-my-own-token": KEY,
        cookie: `session=${KEY}`,
      };
      for (const path of [
        `/gemini/v1beta/models/g:generateContent?key=${KEY}&alt=sse`,
        `/openai/responses?token=${KEY}`,
        "/anthropic/v1/messages",
      ])
        await bytesOf(await through(path, { headers, body: BODY }));
      expect((await exchanges()).map(({ path }) => path).toSorted()).toEqual([
        "/responses",
        "/v1/messages",
        "/v1beta/models/g:generateContent?alt=sse",
      ]);
      expect(written()).not.toContain(KEY);
      expect(written()).not.toContain("secret");
    },
  );
});

test("what asks no model passes, and is not recorded", async () => {
  await withProxy(
    (request, response) => void response.end(`${request.method} ${request.url}`),
    async ({ send: through, exchanges }) => {
      const asked = async (path: string, method: string) => (await bytesOf(await through(path, { method }))).toString();
      expect(await asked("/openai/models", "GET")).toBe("GET /v1/models");
      expect(await asked("/anthropic/v1/messages/count_tokens", "POST")).toBe("POST /v1/messages/count_tokens");
      expect(await exchanges()).toEqual([]);
    },
  );
});

test("a provider that breaks off ends the answer, as it would without a proxy", async () => {
  await withSocket(
    (socket) => {
      socket.write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5000\r\n\r\ndata: garbage\n\n",
      );
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
    (url) =>
      withProxyTo(url, async ({ send: through, exchanges }) => {
        const answer = await through("/anthropic/v1/messages", { body: BODY });
        await expect(bytesOf(answer)).rejects.toThrow();
        const [one] = await exchanges();
        expect(one!.answer).toMatchObject({ status: 200, text: "data: garbage\n\n", message: null });
        expect(one!.notes.join()).toContain("was interrupted");
      }),
  );
});

test("a provider that lies about its length is cut where it said", async () => {
  await withSocket(
    (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nshort and much more"),
    (url) =>
      withProxyTo(url, async ({ send: through }) => {
        expect((await bytesOf(await through("/anthropic/v1/messages", { body: BODY }))).toString()).toBe("shor");
      }),
  );
});

test("a provider that hangs is left as soon as the program gives up", async () => {
  const gone = Promise.withResolvers<void>();
  await withProxy(
    (request, response) => void (request.resume(), response.once("close", () => gone.resolve())),
    async ({ send: through, exchanges }) => {
      const stop = new AbortController();
      const asked = through("/anthropic/v1/messages", { body: BODY, signal: stop.signal });
      setTimeout(() => stop.abort(), 30);
      await expect(asked).rejects.toThrow();
      await gone.promise;
      const [one] = await exchanges();
      expect(one).toMatchObject({ firstByteMs: null, answer: { status: null } });
      expect(one!.notes).toEqual(["The program disconnected before the answer ended."]);
    },
  );
});

test("a provider that cannot be reached is an error that says so", async () => {
  await withProxyTo("http://127.0.0.1:1", async ({ send: through }) => {
    const answer = await through("/openai/chat/completions", { body: BODY });
    expect(answer.statusCode).toBe(502);
    const { error } = JSON.parse((await bytesOf(answer)).toString()) as { error: { message: string } };
    expect(error.message).toContain("ECONNREFUSED");
  });
});

test("other hosts, web pages and unknown paths are refused, and nothing is sent", async () => {
  let asked = 0;
  await withProxy(
    (_request, response) => void (asked++, response.end()),
    async ({ send: through, port }) => {
      const status = async (path: string, headers: Record<string, string>) =>
        (await through(path, { headers })).statusCode;
      expect(await status("/anthropic/v1/messages", { host: "evil.example" })).toBe(403);
      expect(await status("/anthropic/v1/messages", { origin: "http://evil.example" })).toBe(403);
      expect(await status("/v1/messages", {})).toBe(403);
      expect(await status("/anthropic.evil.example/v1", {})).toBe(403);
      expect((await send(port, "//evil.example/anthropic/v1/messages")).statusCode).toBe(403);
      expect(asked).toBe(0);
    },
  );
});
