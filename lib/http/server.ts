// The server: the gate in front, the endpoints behind it, and Next for the pages. Nothing reaches
// a handler that the gate did not pass, web sockets and `Expect: 100-continue` included.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Endpoint, Incoming } from "./endpoint.ts";
import type { NodeCredentials } from "./fleet-credentials.ts";
import { SIGN_IN_DAYS } from "./credentials.ts";
import { hashAhead } from "./idempotency.ts";
import { failureOf } from "./failure.ts";
import { cookieName, decide } from "./gate.ts";
import type { GateState, Refusal, Verdict } from "./gate.ts";
import { GATE_PAGE_POLICY, HINT_HEADERS, isDroppedHeader, pagePolicy, SECURITY_HEADERS } from "./headers.ts";
import { runAs } from "./caller.ts";
import { againPage, failedPage, noPage, onwardPage, peoplePage, signInPage } from "./pages.ts";
import { sendProblem } from "./send-json.ts";

export type ServerParts = {
  readonly credentials: NodeCredentials;
  /** What the session of a bound token sees; without it such a token sees nothing. */
  readonly visibility?: GateState["visibility"];
  readonly answer: (endpoint: Endpoint, incoming: Incoming) => Promise<void>;
  /** Next's request handler. */
  readonly next: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Development's reload socket; without it no upgrade is ever accepted. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly dev?: boolean;
  /** Where browsers find this server, when a proxy stands before it. */
  readonly publicUrl?: URL | null;
};

// Node's defaults are 60 s of headers, 300 s of request and no end of connections: 2,000 sockets of one byte a
// second would hold the server. A dropped file of 4 GiB may take minutes; every other body has BODY_MS.
const HEADERS_MS = 10_000;
const REQUEST_MS = 600_000;
const BODY_MS = 60_000;
// Node's 5 s is as long as an agent's jq may take: a client that sent its next request on the connection beside it met the
// end of that connection.
const IDLE_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 1024;
/** How long a refused client may go on sending before its socket is closed; what it sends is thrown away. */
const REFUSED_MS = 1000;

/** Responses whose senders wait to be told that their bytes are wanted. */
const asking = new WeakSet<ServerResponse>();

/** A server that is not listening yet; it learns its port when it does. */
export function createPlimsollServer(parts: ServerParts): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: IDLE_MS,
    // The gate answers a missing Host itself, with the headers that every response has.
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = 200;

  let result: GateState | null = null;
  // Nobody is answered before it listens, and the port stays then.
  const state = (): GateState =>
    (result ??= {
      port: portOf(server),
      browserOf: parts.credentials.browserOf,
      bearerOf: parts.credentials.bearerOf,
      personOf: parts.credentials.personOf,
      hasSignIn: parts.credentials.signIn !== undefined,
      publicUrl: parts.publicUrl ?? null,
      visibility: parts.visibility ?? (() => null),
      dev: parts.dev ?? false,
    });
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // Before anything is waited for: of a body that comes meanwhile all has to be heard.
    if (request.headers["idempotency-key"] !== undefined) hashAhead(request);
    respond(parts, state(), request, response).catch((error: unknown) => {
      const failure = failureOf(error, `${request.method} ${pathOf(request)}`);
      if (response.headersSent) return void response.destroy();
      dropBody(request, response);
      // A person's cookie that a node does not know yet may fail here: they see a page, as with any other address of pages.
      if (isForPerson(request)) return sendPage(response, failure.status, failedPage(failure.error.message));
      sendProblem(response, failure.status, failure.error);
    });
  };
  server.on("request", answer);
  const onContinue = (request: IncomingMessage, response: ServerResponse): void => {
    const verdict = judge(state(), request);
    if (verdict.kind === "endpoint" && verdict.endpoint.takes === "content") asking.add(response);
    else if (verdict.kind !== "refuse") response.writeContinue();
    answer(request, response);
  };
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    const unknown = parts.credentials.prepare?.(request.rawHeaders) ?? null;
    if (unknown === null) return onContinue(request, response);
    // What fails here is asked again, and told, by answer().
    void unknown.catch(() => undefined).then(() => onContinue(request, response));
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    setSecurityHeaders(response);
    response.writeHead(417, { connection: "close" }).end();
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const verdict = judge(state(), request);
    if (parts.upgrade && verdict.kind === "next" && verdict.principal !== null) parts.upgrade(request, socket, head);
    else refuseSocket(socket, verdict.kind === "refuse" ? verdict.status : 403);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => refuseSocket(socket, 405));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    refuseSocket(socket, status);
  });
  return server;
}

/** A browser that goes to an address; what pages and programs fetch gets JSON. */
const isForPerson = ({ method, headers, url = "" }: IncomingMessage): boolean =>
  method === "GET" && /\btext\/html\b/.test(headers.accept ?? "") && !/^\/(api|v1|mcp|metrics|_next)\b/.test(url);

/** The port that a listening server has. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function judge(state: GateState, request: IncomingMessage): Verdict {
  return decide({ method: request.method ?? "", target: request.url ?? "", rawHeaders: request.rawHeaders }, state);
}

async function respond(
  parts: ServerParts,
  state: GateState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  setSecurityHeaders(response);
  const unknown = parts.credentials.prepare?.(request.rawHeaders) ?? null;
  if (unknown !== null) await unknown;
  const verdict = judge(state, request);
  if (verdict.kind === "refuse") return refuse(request, response, verdict, parts.credentials.signIn !== undefined);
  if (verdict.kind === "sign-in") return parts.credentials.signIn!(request, response, verdict);
  if (verdict.kind === "launch") return launch(parts, state, response, verdict);

  if (verdict.kind === "endpoint") {
    const { endpoint, params, query, principal } = verdict;
    response.setHeader("Cache-Control", "no-store");
    if (endpoint.takes === "json") limitBodyTime(request);
    const begin = (): void => {
      if (asking.delete(response)) response.writeContinue();
    };
    return parts.answer(endpoint, { request, response, params, query, principal, begin });
  }

  limitBodyTime(request);
  const nonce = randomBytes(16).toString("base64");
  const policy = pagePolicy(nonce, parts.dev ?? false);
  response.setHeader("Content-Security-Policy", policy);
  for (const [name, value] of Object.entries(HINT_HEADERS)) response.setHeader(name, value);
  dropHeaders(request, [
    ["content-security-policy", policy],
    ["x-nonce", nonce],
  ]);
  const { principal } = verdict;
  return runAs(principal, () => parts.next(request, response));
}

async function launch(
  parts: ServerParts,
  state: GateState,
  response: ServerResponse,
  verdict: Extract<Verdict, { kind: "launch" }>,
): Promise<void> {
  const secret = await parts.credentials.exchange(verdict.token);
  if (secret === null && !verdict.signedIn) return sendPage(response, 401, signInPage());
  if (secret !== null) {
    const age = SIGN_IN_DAYS * 24 * 60 * 60;
    response.setHeader(
      "Set-Cookie",
      `${cookieName(state.port)}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}`,
    );
  }
  // A redirect of a request that came from another site would not carry a SameSite=Strict cookie.
  if (verdict.crossSite) return sendPage(response, 200, onwardPage(verdict.location));
  response.writeHead(302, { location: verdict.location, "cache-control": "no-store", "content-length": 0 });
  response.end();
}

function refuse(request: IncomingMessage, response: ServerResponse, verdict: Refusal, hasSignIn: boolean): void {
  if (verdict.allow) response.setHeader("Allow", verdict.allow);
  dropBody(request, response);
  if (verdict.as === "json") {
    const code = CODES[verdict.status] ?? "invalid";
    sendProblem(response, verdict.status, { code, message: verdict.message });
  } else if (verdict.as === "sign-in")
    sendPage(response, verdict.status, hasSignIn ? peoplePage(pathOf(request)) : signInPage());
  else if (verdict.as === "no-page") sendPage(response, verdict.status, noPage(verdict.message));
  else if (verdict.as === "again") sendPage(response, verdict.status, againPage());
  else response.writeHead(verdict.status, { "content-length": 0, "cache-control": "no-store" }).end();
}

/** What still arrives of a refused request is thrown away, not kept, and not for long. */
function dropBody(request: IncomingMessage, response: ServerResponse): void {
  const hasBody = request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  if (!hasBody || request.complete) return;
  response.setHeader("Connection", "close");
  response.once("finish", () => setTimeout(() => request.socket.destroy(), REFUSED_MS).unref());
  request.resume();
}

const CODES: Readonly<Record<number, string>> = {
  401: "signed_out",
  403: "refused",
  404: "not_found",
  413: "too_large",
  415: "unsupported",
};

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(html),
    "content-security-policy": GATE_PAGE_POLICY,
    "cache-control": "no-store",
  });
  response.end(html);
}

function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

function refuseSocket(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const headers = Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${headers.join("")}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}

/** Takes from the request what a client may not say to Next, and gives it what only the gate may say. */
function dropHeaders(request: IncomingMessage, given: readonly [string, string][]): void {
  for (const name of Object.keys(request.headers)) if (isDroppedHeader(name)) delete request.headers[name];
  const raw: string[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!isDroppedHeader(name)) raw.push(name, request.rawHeaders[i + 1] ?? "");
  }
  for (const [name, value] of given) {
    request.headers[name] = value;
    raw.push(name, value);
  }
  request.rawHeaders = raw;
}

function limitBodyTime(request: IncomingMessage): void {
  if (request.complete || request.method === "GET" || request.method === "HEAD") return;
  const timer = setTimeout(() => request.socket.destroy(), BODY_MS).unref();
  request.once("end", () => clearTimeout(timer));
  request.once("close", () => clearTimeout(timer));
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}
