// Every door of the server, in one table. The gate reads it: what is not here is not answered, and
// `routes.test.ts` walks app/api and the byte doors and fails until each is classified.
import { LIMITS } from "#lib/kernel/limits.ts";

/** `credential`: a signed-in browser or the command line. `bearer`: the command line alone. `open`: no data, by name. */
export type Auth = "credential" | "bearer" | "open";

export type ApiRoute = {
  readonly path: string;
  readonly methods: readonly string[];
  readonly auth: Auth;
  /** `node`: answered in front of Next, where bytes stream with their length. */
  readonly door: "next" | "node";
  readonly body: "none" | "json" | "bytes";
  readonly bodyBytes: number;
};

const read = ["GET", "HEAD"] as const;

function reads(path: string, door: "next" | "node" = "next", auth: Auth = "credential"): ApiRoute {
  return { path, methods: read, auth, door, body: "none", bodyBytes: 0 };
}

function json(path: string, methods: readonly string[], auth: Auth = "credential"): ApiRoute {
  return { path, methods, auth, door: "next", body: "json", bodyBytes: LIMITS.requestBytes };
}

export const API_ROUTES: readonly ApiRoute[] = [
  reads("/api/health"),
  reads("/api/sessions"),
  reads("/api/sessions/:id"),
  reads("/api/sessions/:id/events"),
  reads("/api/sessions/:id/events/:seq"),
  reads("/api/sessions/:id/events/:seq/raw", "node"),
  reads("/api/sessions/:id/outline"),
  reads("/api/sessions/:id/find"),
  reads("/api/sessions/:id/load"),
  reads("/api/sessions/:id/heaviest"),
  reads("/api/sessions/:id/tools"),
  reads("/api/sessions/:id/artifacts"),
  reads("/api/artifacts"),
  reads("/api/artifacts/:pointer"),
  reads("/api/artifacts/:pointer/lines"),
  reads("/api/artifacts/:pointer/raw", "node"),
  json("/api/sources", [...read, "POST", "DELETE"]),
  reads("/api/sources/problems"),
  reads("/api/sources/raw", "node"),
  json("/api/imports", [...read, "POST"]),
  json("/api/imports/:id", ["DELETE"]),
  json("/api/demo", ["POST"]),
  json("/api/commands/:name", ["POST"], "bearer"),
  reads("/api/changes", "node"),
  // Beside the pages, because only they may load what colours text.
  reads("/sessions/:id/highlight"),
  reads("/artifacts/:pointer/highlight"),
  {
    path: "/api/upload",
    methods: ["PUT"],
    auth: "credential",
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

export type FoundRoute = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> };

/** The route of a path, with its parameters decoded; null when there is none. */
export function findRoute(path: string): FoundRoute | null {
  const parts = path.split("/");
  for (const route of API_ROUTES) {
    const params = matchParts(route.path.split("/"), parts);
    if (params) return { route, params };
  }
  return null;
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
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
