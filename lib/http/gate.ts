// The gate: one decision about every request, before any page, route, static file or stream sees it.
// Pure: what it knows of credentials is given. Order: shape of the request, host, method, origin,
// credential, body. A web page of another site that points its own name at 127.0.0.1 fails at the host;
// a page on another port of this machine fails at the origin; another user of this machine at the credential.
import type { Visible } from "./bound.ts";
import type { Endpoint } from "./endpoint.ts";
import { isSharedPage, lackText, reachOf } from "./fleet-reach.ts";
import type { SignInRequest } from "./fleet-sign-in.ts";
import { PERSON_COOKIE } from "./person-cookie.ts";
import { browserPrincipal, covers, type Principal } from "./principal.ts";
import { bearerToken, cookieValues, headerLists, printable } from "./request-head.ts";
import { findRoute, isOpenFile } from "./routes.ts";
import type { FoundRoute } from "./routes.ts";

export type GateRequest = {
  readonly method: string;
  /** The request target as it came over the wire. */
  readonly target: string;
  /** Names and values as they came, duplicates included. */
  readonly rawHeaders: readonly string[];
};

export type GateState = {
  readonly port: number;
  /** The id of the browser that holds this cookie secret, or null. */
  readonly browserOf: (secret: string) => string | null;
  /** The principal of this bearer token, or null. */
  readonly bearerOf: (token: string) => Principal | null;
  /** How the session of a bound token sees a request; null for what is not in it. */
  readonly visibility: (session: string, found: FoundRoute, query: URLSearchParams) => Visible | null;
  /** The principal of a person's cookie, or null. */
  readonly personOf?: ((secret: string) => Principal | null) | undefined;
  /** People sign in here. */
  readonly hasSignIn?: boolean;
  /** Where browsers find this server, when a proxy stands before it. */
  readonly publicUrl?: URL | null;
  /** Next runs in development, and asks for what production does not have. */
  readonly dev?: boolean;
};

export type Verdict =
  | {
      readonly kind: "next";
      readonly path: string;
      readonly principal: Principal | null;
    }
  | {
      readonly kind: "endpoint";
      readonly principal: Principal | null;
      readonly endpoint: Endpoint;
      readonly params: Readonly<Record<string, string>>;
      readonly query: URLSearchParams;
    }
  | ({ readonly kind: "sign-in" } & SignInRequest)
  /** A launch link: exchange the token, then send the browser to `location`. */
  | {
      readonly kind: "launch";
      readonly token: string;
      readonly location: string;
      readonly signedIn: boolean;
      readonly crossSite: boolean;
    }
  | Refusal;

export type Refusal = {
  readonly kind: "refuse";
  readonly status: number;
  readonly message: string;
  /** What answers: nothing, a JSON error, a page that says how to sign in, asks again, or is for others. */
  readonly as: "empty" | "json" | "sign-in" | "again" | "no-page";
  readonly allow?: string;
};

const pageMethods = "GET, HEAD";
// A browser sends nothing else to us; TRACE echoes, CONNECT tunnels, QUERY is nobody's yet.
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** What is not printable ASCII, backslashes, and the escapes of dots, slashes, NUL and line ends: no path of ours has them. */
const hostilePath = /[^!-~]|\\|%(?:00|0a|0d|2e|2f|5c|25|c0|c1)/i;

/** Decides about one request. */
export function decide(request: GateRequest, state: GateState): Verdict {
  const headers = headerLists(request.rawHeaders);
  const one = (name: string): string | null => headers.get(name)?.[0] ?? null;

  if (!request.target.startsWith("/") || request.target.startsWith("//")) return empty(400);
  const hosts = headers.get("host") ?? [];
  if (hosts.length !== 1) return empty(400);
  const host = hosts[0] ?? "";
  const publicUrl = state.publicUrl ?? null;
  const isPublic = publicUrl !== null && host === publicUrl.host;
  if (!isPublic && !ownHosts(state.port).includes(host)) return empty(421);
  const own = isPublic ? publicUrl.origin : `http://${host}`;
  if (headers.has("transfer-encoding") && headers.has("content-length")) return empty(400);
  // Node's parser takes "gzip, chunked" for chunks, and would hand on bytes that are still packed.
  const coding = headers.get("transfer-encoding");
  if (coding !== undefined && coding.join().toLowerCase() !== "chunked") return empty(400);

  const mark = request.target.indexOf("?");
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : request.target.slice(mark + 1));
  const found = safeFind(path, request.method);
  const api = path === "/api" || /^\/(?:api|v1)\//.test(path) || path === "/mcp" || path === "/metrics";
  const method = request.method;

  if (!knownMethods.has(method)) return refuse(405, `Method ${printable(method)} is not supported.`, api, pageMethods);
  const reading = method === "GET" || method === "HEAD";

  const origin = originVerdict(one, own, { reading, api });
  if (origin) return origin;

  if (path.length > 4096 || hostilePath.test(path) || path.split("/").some((part) => part === ".." || part === ".")) {
    return refuse(400, "The path contains invalid characters.", api);
  }
  // The image optimiser fetches what it is told to; it is off, and its path answers nothing.
  if (path === "/_next/image") return refuse(404, "The image optimiser is off.", true);

  if (found === "bad") return refuse(400, "This path is not valid UTF-8.", true);
  const cookies = cookieValues(headers.get("cookie") ?? [], cookieName(state.port));
  const browser = cookies.map((secret) => state.browserOf(secret)).find((id) => id !== null) ?? null;
  if (state.hasSignIn === true && /^\/sign-in(\/|$)/.test(path)) {
    if (!reading && (method !== "POST" || path !== "/sign-in/out")) return refuse(405, "", false, pageMethods);
    if (!reading && !isOwnRequest(one, own)) return refuse(403, "", false);
    return { kind: "sign-in", path, query, origin: own, isByNode: browser !== null };
  }
  if (found?.endpoint.auth === "open" && reading) return toEndpoint(found, null, query);
  if (isOpenFile(path) && reading) return { kind: "next", path, principal: null };

  const token = bearerToken(one("authorization"));
  const bearer = token === null ? null : state.bearerOf(token);

  const launchToken = query.get("token");
  if (!api && launchToken !== null && method === "GET" && !path.startsWith("/_next/")) {
    query.delete("token");
    const rest = query.toString();
    return {
      kind: "launch",
      token: launchToken,
      location: rest ? `${path}?${rest}` : path,
      signedIn: browser !== null,
      crossSite: isElsewhere(one("sec-fetch-site")),
    };
  }

  const people = state.personOf === undefined ? [] : cookieValues(headers.get("cookie") ?? [], PERSON_COOKIE);
  const person = people.map((secret) => state.personOf!(secret)).find((one) => one !== null) ?? null;
  const principal = bearer ?? person ?? (browser === null ? null : browserPrincipal(browser));
  if (principal === null) {
    if (api || !reading || path.startsWith("/_next/")) {
      return refuse(401, token === null ? NOT_SIGNED_IN : UNKNOWN_TOKEN, true);
    }
    // SameSite=Strict keeps the cookie off a link followed from elsewhere. Asking once more, from our own
    // page, sends it; then Sec-Fetch-Site is same-origin, so this cannot go round in a circle.
    const as = isElsewhere(one("sec-fetch-site")) ? "again" : "sign-in";
    return { kind: "refuse", status: 401, message: "Not signed in.", as };
  }

  if (api) {
    if (!found) return refuse(404, principal.session === null ? `No ${printable(path)} on this server.` : UNSEEN, true);
    const { endpoint } = found;
    // What a bound token does not see answers as what is not there, before anything else is said about it.
    const visible = principal.session === null ? null : state.visibility(principal.session, found, query);
    if (principal.session !== null && visible === null) return refuse(404, UNSEEN, true);
    if (endpoint.auth === "bearer" && principal.kind !== "command-line") {
      return refuse(403, "Only the plimsoll command may call this. Send the token of endpoint.json.", true);
    }
    if (endpoint.auth === "browser" || endpoint.auth === "human") {
      const isPerson = principal.kind === "person";
      const isLet = principal.kind === "browser" || (isPerson && endpoint.auth === "human");
      if (!isLet) return refuse(403, isPerson ? OF_MACHINE : OF_BROWSER, true);
    }
    if (!found.methods.includes(method)) {
      const allow = found.methods.join(", ");
      return refuse(405, `${path} accepts ${allow}, not ${method}.`, true, allow);
    }
    const isOwn = principal.kind === "person" && reachOf(endpoint) === "own";
    if (!isOwn && !covers(principal, endpoint.scope)) return refuse(403, lackText(principal, method, endpoint), true);
    if (principal.access !== "all" && reachOf(endpoint) === "fleet") {
      const message = `${endpoint.path} shows every project of the fleet. Only an admin of the fleet may call it.`;
      return refuse(403, message, true);
    }
    if (!reading && bearer === null && !isOwnRequest(one, own)) {
      return refuse(403, "This request does not come from a page of this site. Send it from the page.", true);
    }
    const body = bodyVerdict(endpoint, headers, one);
    if (body) return body;
    return toEndpoint({ ...found, ...visible }, principal, visible?.query ?? query);
  }

  if (principal.kind === "token")
    return refuse(403, "A token is for /api, /mcp and /v1. Pages need a browser that signed in.", true);
  // Development's overlay asks for the source of a stack by POST; nothing under this name exists in production.
  if (state.dev && path.startsWith("/__nextjs_") && isOwnRequest(one, own)) {
    return { kind: "next", path, principal };
  }
  if (!reading) return refuse(405, `Pages accept ${pageMethods}, not ${method}.`, true, pageMethods);
  if (carriesBody(headers, one)) return refuse(413, "A page request must have no body.", true);
  if (principal.access !== "all" && !isSharedPage(path))
    return { kind: "refuse", status: 403, message: "Only an admin of the fleet sees this page.", as: "no-page" };
  return { kind: "next", path, principal };
}

const OF_BROWSER = "Only a signed-in browser may call this. On the command line, use plimsoll token.";
const OF_MACHINE =
  "This is of the node's own machine. Only a browser with the link that the node prints when it starts may call it.";
const NOT_SIGNED_IN = "Not signed in. Use a signed-in browser, the plimsoll command or an access token.";
/** The same for each reason: whoever guesses learns nothing. */
const UNKNOWN_TOKEN =
  "This token is not valid here. It was revoked, has expired, or is of another server. Ask for a new one.";

/** What a bound token is told of everything else: the same for what is there and for what never was. */
const UNSEEN = "Not found in this token's session.";

/** The name of the cookie. Cookies do not part ports, so two servers on one machine need two names. */
export function cookieName(port: number): string {
  return `plimsoll_${port}`;
}

function ownHosts(port: number): string[] {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  const hosts = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...hosts, ...names] : hosts;
}

type One = (name: string) => string | null;

function originVerdict(one: One, own: string, is: { reading: boolean; api: boolean }): Refusal | null {
  const foreign = "Refused: this request comes from another site.";
  const origin = one("origin");
  if (origin !== null && origin !== own) return refuse(403, foreign, is.api);
  const site = one("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return null;
  // A link elsewhere may lead to a page of ours, as a whole page and not in a frame; nothing else may.
  const link = is.reading && !is.api && one("sec-fetch-mode") === "navigate" && one("sec-fetch-dest") === "document";
  return link ? null : refuse(403, foreign, is.api);
}

function isOwnRequest(one: One, own: string): boolean {
  return one("origin") === own || one("sec-fetch-site") === "same-origin";
}

function isElsewhere(site: string | null): boolean {
  return site === "cross-site" || site === "same-site";
}

function carriesBody(headers: ReadonlyMap<string, string[]>, one: One): boolean {
  return headers.has("transfer-encoding") || Number(one("content-length") ?? "0") > 0;
}

function bodyVerdict(endpoint: Endpoint, headers: ReadonlyMap<string, string[]>, one: One): Refusal | null {
  const declared = one("content-length");
  if (declared !== null && !/^\d{1,15}$/.test(declared)) return empty(400);
  if (!carriesBody(headers, one)) return null;
  if (endpoint.takes === "none") return refuse(413, `${endpoint.path} accepts no body.`, true);
  const length = declared === null ? null : Number(declared);
  if (length !== null && length > endpoint.bodyBytes) {
    return refuse(
      413,
      `${length} bytes were sent to ${endpoint.path}. It accepts at most ${endpoint.bodyBytes}.`,
      true,
    );
  }
  // JSON without a length could only be bounded by reading it; every JSON client knows its length.
  if (endpoint.takes === "json" && length === null) return refuse(411, "Send this body with a Content-Length.", true);
  const encoding = one("content-encoding");
  if (encoding !== null && encoding !== "identity" && !endpoint.unpacks.includes(encoding)) {
    return refuse(415, `Encoding ${printable(encoding)} is not supported. Send the body unencoded.`, true);
  }
  if (endpoint.takes === "content") return null;
  const want = endpoint.takes === "json" ? "application/json" : "application/octet-stream";
  const type = (one("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== want) return refuse(415, `${endpoint.path} accepts ${want} only.`, true);
  return null;
}

function safeFind(path: string, method: string): FoundRoute | null | "bad" {
  try {
    // Of a page too: Next would answer 500.
    decodeURIComponent(path);
    return findRoute(path, method);
  } catch {
    // decodeURIComponent refuses what is not UTF-8
    return "bad";
  }
}

function toEndpoint({ endpoint, params }: FoundRoute, principal: Principal | null, query: URLSearchParams): Verdict {
  return { kind: "endpoint", principal, endpoint, params, query };
}

function empty(status: number): Refusal {
  return { kind: "refuse", status, message: "", as: "empty" };
}

function refuse(status: number, message: string, api: boolean, allow?: string): Refusal {
  return { kind: "refuse", status, message, as: api ? "json" : "empty", ...(allow ? { allow } : {}) };
}
