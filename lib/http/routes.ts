// Every door of the server, in one table. The gate reads it: what is not here is not answered, and
// `routes.test.ts` walks app/api and the byte doors and fails until each is classified.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { TokenScope } from "#lib/wire/tokens-schema.ts";

/**
 * `credential`: whoever came in, as far as the scope goes. `browser`: a signed-in browser alone. `bearer`: the command line
 * alone. `open`: no data, by name.
 */
export type Auth = "credential" | "browser" | "bearer" | "open";

export type ApiRoute = {
  readonly path: string;
  readonly methods: readonly string[];
  readonly auth: Auth;
  /** What a token needs for those of its methods that are not reading. */
  readonly scope: TokenScope;
  /** `node`: answered in front of Next, where bytes stream with their length. */
  readonly door: "next" | "node";
  /** `bytes`: application/octet-stream. `content`: bytes of any type, which is told by Content-Type. */
  readonly body: "none" | "json" | "bytes" | "content";
  readonly bodyBytes: number;
};

const read = ["GET", "HEAD"] as const;

function reads(path: string, door: "next" | "node" = "next", auth: Auth = "credential"): ApiRoute {
  return { path, methods: read, auth, scope: "read", door, body: "none", bodyBytes: 0 };
}

/** What changes something needs `admin`, unless a line says that less is enough. */
function json(
  path: string,
  methods: readonly string[],
  auth: Auth = "credential",
  scope: TokenScope = "admin",
): ApiRoute {
  return { path, methods, auth, scope, door: "next", body: "json", bodyBytes: LIMITS.requestBytes };
}

/** Bytes of an agent, streamed in. */
function takes(path: string): ApiRoute {
  const bodyBytes = LIMITS.artifactMaxBytes;
  return { path, methods: ["POST"], auth: "credential", scope: "write", door: "node", body: "content", bodyBytes };
}

/** JSON with pasted text in it, answered piece by piece. */
function runs(path: string, scope: TokenScope): ApiRoute {
  return { ...json(path, ["POST"], "credential", scope), door: "node", bodyBytes: LIMITS.toolRequestBytes };
}

export const API_ROUTES: readonly ApiRoute[] = [
  reads("/api/health"),
  reads("/api/sessions"),
  json("/api/sessions", ["POST"], "credential", "write"),
  reads("/api/sessions/:id"),
  reads("/api/sessions/:id/events"),
  json("/api/sessions/:id/events", ["POST"], "credential", "write"),
  reads("/api/sessions/:id/events/:seq"),
  reads("/api/sessions/:id/events/:seq/raw", "node"),
  reads("/api/sessions/:id/outline"),
  reads("/api/sessions/:id/find"),
  reads("/api/sessions/:id/load"),
  reads("/api/sessions/:id/ledger"),
  reads("/api/sessions/:id/whatif"),
  reads("/api/sessions/:id/heaviest"),
  reads("/api/sessions/:id/tools"),
  reads("/api/sessions/:id/context"),
  reads("/api/sessions/:id/context/message"),
  reads("/api/sessions/:id/context/raw", "node"),
  reads("/api/sessions/:id/export", "node"),
  json("/api/sessions/:id/request", ["POST"], "credential", "write"),
  reads("/api/sessions/:id/compactions"),
  json("/api/sessions/:id/compactions", ["POST"], "credential", "write"),
  reads("/api/compactions/:id"),
  json("/api/compactions/:id/undo", ["POST"], "credential", "write"),
  reads("/api/sessions/:id/memory"),
  json("/api/sessions/:id/memory", ["POST"], "credential", "write"),
  reads("/api/sessions/:id/memory/:item"),
  reads("/api/sessions/:id/recall"),
  reads("/api/sessions/:id/artifacts"),
  takes("/api/sessions/:id/artifacts"),
  json("/api/sessions/:id/artifacts", ["DELETE"]),
  reads("/api/sessions/:id/artifacts/delete-preview"),
  takes("/api/sessions/:id/outputs"),
  json("/api/sessions/:id/turns/:turn/close", ["POST"], "credential", "write"),
  reads("/api/artifacts"),
  reads("/api/artifacts/:pointer"),
  json("/api/artifacts/:pointer", ["DELETE"]),
  reads("/api/artifacts/:pointer/delete-preview"),
  reads("/api/artifacts/:pointer/history"),
  reads("/api/artifacts/:pointer/lines"),
  reads("/api/artifacts/:pointer/shape"),
  reads("/api/artifacts/:pointer/json"),
  reads("/api/artifacts/:pointer/json/text"),
  reads("/api/artifacts/:pointer/json/find"),
  reads("/api/artifacts/:pointer/json/place"),
  reads("/api/artifacts/:pointer/json/below"),
  reads("/api/artifacts/:pointer/grep"),
  reads("/api/artifacts/:pointer/jq"),
  json("/api/artifacts/:pointer/jq", ["POST"], "credential", "read"),
  reads("/api/artifacts/:pointer/raw", "node"),
  runs("/api/playground/jq", "read"),
  // Completion is for who types in a page; an agent runs its programs.
  { ...runs("/api/playground/probe", "read"), auth: "browser" },
  runs("/api/playground/grep", "read"),
  runs("/api/playground/save", "write"),
  reads("/api/playground/history"),
  reads("/api/playground/programs"),
  json("/api/playground/programs", ["POST"], "credential", "write"),
  reads("/api/playground/programs/:id"),
  json("/api/playground/programs/:id", ["DELETE"], "credential", "write"),
  reads("/api/tools"),
  // Each tool looks at the scope itself: most only read.
  { ...json("/api/tools/:name", ["POST"], "credential", "read"), bodyBytes: LIMITS.toolRequestBytes },
  reads("/api/retention"),
  json("/api/retention", ["PUT"]),
  reads("/api/retention/stats"),
  json("/api/retention/preview", ["POST"], "credential", "read"),
  json("/api/retention/sweep", ["POST"]),
  reads("/api/sources"),
  json("/api/sources", ["POST", "DELETE"]),
  reads("/api/sources/problems"),
  reads("/api/sources/raw", "node"),
  reads("/api/attached"),
  json("/api/attached", ["POST"]),
  json("/api/attached/:id", ["DELETE"]),
  json("/api/attached/:id/refresh", ["POST"]),
  reads("/api/imports"),
  json("/api/imports", ["POST"]),
  json("/api/imports/:id", ["POST", "DELETE"]),
  json("/api/demo", ["POST"]),
  json("/api/commands/:name", ["POST"], "bearer"),
  reads("/api/settings/policy"),
  json("/api/settings/policy", ["PUT"]),
  reads("/api/settings/presets"),
  reads("/api/settings/presets/savings"),
  json("/api/settings/presets/savings", ["POST"]),
  reads("/api/settings/models"),
  json("/api/settings/models", ["PUT"]),
  reads("/api/settings/calibration"),
  json("/api/settings/calibration", ["POST"]),
  // Where transcripts may be sent is a person's to say, not an agent's.
  reads("/api/settings/summarizer", "next", "browser"),
  json("/api/settings/summarizer", ["PUT"], "browser"),
  json("/api/settings/summarizer/try", ["POST"], "browser"),
  reads("/api/tokens", "next", "browser"),
  json("/api/tokens", ["POST"], "browser"),
  json("/api/tokens/:id", ["DELETE"], "browser"),
  reads("/api/changes", "node"),
  // Beside the pages, because only they may load what colours text.
  reads("/sessions/:id/highlight"),
  reads("/artifacts/:pointer/highlight"),
  {
    path: "/api/upload",
    methods: ["PUT"],
    auth: "credential",
    scope: "admin",
    door: "node",
    body: "bytes",
    bodyBytes: LIMITS.uploadBytes,
  },
  // The command line proves with it that this is the server of endpoint.json before it sends the token.
  reads("/api/endpoint", "node", "open"),
  // A new link that signs a browser in, for a second start on the same archive.
  {
    path: "/api/launch",
    methods: ["POST"],
    auth: "bearer",
    scope: "admin",
    door: "node",
    body: "json",
    bodyBytes: LIMITS.requestBytes,
  },
];

/** Files that anyone on this machine may have: they hold code, no data. Hashed names only, no `..`, no `%`. */
const openFile = /^\/_next\/static\/(?!.*\.\.)[A-Za-z0-9_~.-]+(\/[A-Za-z0-9_~.-]+)*$/;

/** True for static files that are served without a credential. */
export function isOpenFile(path: string): boolean {
  return openFile.test(path) || path === "/favicon.ico" || path === "/icon.svg";
}

export type FoundRoute = {
  readonly route: ApiRoute;
  readonly params: Readonly<Record<string, string>>;
  /** Of all routes at this path. */
  readonly methods: readonly string[];
};

/**
 * The route of a path, with its parameters decoded; null when there is none. Of several at one path it is the one that
 * answers the method, or the first.
 */
export function findRoute(path: string, method?: string): FoundRoute | null {
  const parts = path.split("/");
  const found: { route: ApiRoute; params: Record<string, string> }[] = [];
  for (const { route, pattern } of PATTERNS.get(parts.length) ?? []) {
    const params = matchParts(pattern, parts);
    if (params !== null && (found.length === 0 || found[0]?.route.path === route.path)) found.push({ route, params });
  }
  const [first] = found;
  if (first === undefined) return null;
  const methods = found.flatMap(({ route }) => route.methods);
  return { ...(found.find(({ route }) => method !== undefined && route.methods.includes(method)) ?? first), methods };
}

/** By the number of their parts. */
const PATTERNS = Map.groupBy(
  API_ROUTES.map((route) => ({ route, pattern: route.path.split("/") })),
  ({ pattern }) => pattern.length,
);

/** What a token needs for a method of a route. */
export const scopeFor = (route: ApiRoute, method: string): TokenScope =>
  method === "GET" || method === "HEAD" ? "read" : route.scope;

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [i, want] of pattern.entries()) {
    const part = parts[i] ?? "";
    if (want.startsWith(":")) {
      if (part === "") return null;
      params[want.slice(1)] = decodeURIComponent(part);
    } else if (want !== part) return null;
  }
  return params;
}
