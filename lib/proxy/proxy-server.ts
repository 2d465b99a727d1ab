// The capture proxy: passes requests to the provider and answers back, byte for byte and as they come. A copy of both is handed
// over when the exchange has ended; nothing waits for it.
import { createServer, request as httpRequest, Agent as HttpAgent } from "node:http";
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import { ByteCopy } from "./byte-copy.ts";
import { endToEnd, recordedHeaders, recordedPath } from "./forwarded-headers.ts";
import { apiOf, targetOf, type Provider, type Target, type Upstreams } from "./upstreams.ts";

/** An exchange that has ended, in whatever way. */
export type Exchange = {
  readonly provider: Provider;
  readonly api: CapturedApi;
  readonly method: string;
  readonly path: string;
  readonly at: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly request: ByteCopy;
  readonly status: number | null;
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly answer: ByteCopy;
  /** Why it ended early; null where it did not. */
  readonly ended: string | null;
};

export type ProxyParts = {
  readonly upstreams: Upstreams;
  readonly onExchange: (exchange: Exchange) => void;
};

/** A proxy that is not listening yet. */
export function createProxy({ upstreams, onExchange }: ProxyParts): Server {
  const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 });
  server.on("request", (request, response) => {
    const target = refusalOf(request, server) ?? targetOf(request.url ?? "", upstreams);
    if (target === null || typeof target === "string") return refuse(request, response, target ?? UNKNOWN_PATH);
    const api = apiOf(request.method ?? "", target.path);
    const { protocol } = target.url;
    const send = protocol === "https:" ? httpsRequest : httpRequest;
    const sent = send(target.url, {
      method: request.method,
      agent: agents[protocol as keyof typeof agents],
      // Node writes a host of its own where the first pair is none.
      headers: ["Host", target.url.host, ...endToEnd(request.rawHeaders, ["host", "expect"])],
    } as Parameters<typeof httpRequest>[1]);
    pass(request, response, sent, api === null ? null : { api, target, onExchange });
  });
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n"));
  server.on("close", () => Object.values(agents).forEach((agent) => agent.destroy()));
  return server;
}

type Recording = { readonly api: CapturedApi; readonly target: Target; readonly onExchange: ProxyParts["onExchange"] };

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  sent: ClientRequest,
  recording: Recording | null,
): void {
  const startedAt = performance.now();
  const copies = { request: new ByteCopy(), answer: new ByteCopy() };
  let answered: IncomingMessage | null = null;
  let firstByteMs: number | null = null;
  let ended: string | null = null;
  let isDone = false;
  const done = (): void => {
    if (isDone) return;
    isDone = true;
    if (recording === null) return;
    const { api, target, onExchange } = recording;
    const totalMs = performance.now() - startedAt;
    onExchange({
      provider: target.provider,
      api,
      method: request.method ?? "",
      path: recordedPath(target.path),
      at: Date.now() - Math.round(totalMs),
      firstByteMs,
      totalMs,
      requestHeaders: recordedHeaders(request.rawHeaders),
      request: copies.request,
      status: answered?.statusCode ?? null,
      answerHeaders: answered === null ? {} : recordedHeaders(answered.rawHeaders),
      answer: copies.answer,
      ended,
    });
  };

  const brokeOff = (error: NodeJS.ErrnoException): void => {
    // What a provider sends behind the end of its answer is nobody's.
    if (answered?.complete === true) return;
    ended ??= `The provider's answer was interrupted (${error.code ?? error.message}).`;
    response.destroy();
  };

  if (recording !== null) request.on("data", (chunk: Buffer) => copies.request.add(chunk));
  request.pipe(sent);
  sent.on("response", (answer) => {
    answered = answer;
    response.sendDate = false;
    response.writeHead(answer.statusCode!, answer.statusMessage, endToEnd(answer.rawHeaders));
    // The head goes out at once: the first token may be a minute away.
    response.flushHeaders();
    answer.on("data", (chunk: Buffer) => {
      firstByteMs ??= performance.now() - startedAt;
      if (recording !== null) copies.answer.add(chunk);
    });
    answer.on("error", brokeOff);
    answer.pipe(response);
  });
  sent.on("error", (error: NodeJS.ErrnoException) => {
    if (answered !== null) return brokeOff(error);
    ended ??= `The provider could not be reached (${error.code ?? "no answer"}).`;
    if (response.destroyed) return;
    refuse(
      request,
      response,
      `${ended} Asked: ${sent.host}. Check the network, and the address given to plimsoll proxy.`,
      502,
    );
  });
  request.on("error", () => sent.destroy());
  response.on("close", () => {
    if (!response.writableFinished) {
      ended ??= "The program disconnected before the answer ended.";
      sent.destroy();
    }
    done();
  });
}

const UNKNOWN_PATH =
  "Plimsoll's proxy has /anthropic, /openai and /gemini. Point the program's base URL at one of them, or start it with plimsoll run.";

/** Why a request is not passed on; null where it may be. Web pages can reach the loopback too: none is served. */
function refusalOf(request: IncomingMessage, server: Server): string | null {
  const port = (server.address() as { port: number } | null)?.port;
  const host = request.headers.host ?? "";
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return "The proxy answers to 127.0.0.1 alone. Use the address that plimsoll proxy printed.";
  if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] !== undefined)
    return "The proxy does not serve web pages.";
  return null;
}

function refuse(request: IncomingMessage, response: ServerResponse, message: string, status = 403): void {
  const body = JSON.stringify({ type: "error", error: { type: "plimsoll_proxy", message } });
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
  request.resume();
}
