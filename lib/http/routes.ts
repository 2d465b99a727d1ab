// Every endpoint of the server, in one table. The gate reads it: what is not here is not answered.
import { z } from "zod";
import { artifactEndpoints } from "./endpoints/artifact-endpoints.ts";
import { byteEndpoints } from "./endpoints/byte-endpoints.ts";
import { commandEndpoints } from "./endpoints/command-endpoints.ts";
import { eventEndpoints } from "./endpoints/event-endpoints.ts";
import { sendingEndpoints } from "./endpoints/sending-endpoints.ts";
import { fleetEndpoints } from "./endpoints/fleet-endpoints.ts";
import { findingEndpoints } from "./endpoints/finding-endpoints.ts";
import { keepEndpoints } from "./endpoints/keep-endpoints.ts";
import { exportEndpoints } from "./endpoints/export-endpoints.ts";
import { mcpEndpoints } from "./endpoints/mcp-endpoint.ts";
import { carryOnEndpoints } from "./endpoints/carry-on-endpoints.ts";
import { memoryEndpoints } from "./endpoints/memory-endpoints.ts";
import { fleetRetentionEndpoints } from "./endpoints/fleet-retention-endpoints.ts";
import { peopleEndpoints } from "./endpoints/people-endpoints.ts";
import { playgroundEndpoints } from "./endpoints/playground-endpoints.ts";
import { serverEndpoints } from "./endpoints/server-endpoints.ts";
import { markEndpoints } from "./endpoints/mark-endpoints.ts";
import { searchEndpoints } from "./endpoints/search-endpoints.ts";
import { sessionEndpoints } from "./endpoints/session-endpoints.ts";
import { settingsEndpoints } from "./endpoints/settings-endpoints.ts";
import { sourceEndpoints } from "./endpoints/source-endpoints.ts";
import { telemetryEndpoints } from "./endpoints/telemetry-endpoints.ts";
import { usageEndpoints } from "./endpoints/usage-endpoints.ts";
import { webhookEndpoints } from "./endpoints/webhook-endpoints.ts";
import { get, type Endpoint } from "./endpoint.ts";
import { openApi } from "./openapi.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...serverEndpoints,
  ...sessionEndpoints,
  ...searchEndpoints,
  ...markEndpoints,
  ...usageEndpoints,
  ...findingEndpoints,
  ...keepEndpoints,
  ...exportEndpoints,
  ...eventEndpoints,
  ...memoryEndpoints,
  ...carryOnEndpoints,
  ...artifactEndpoints,
  ...byteEndpoints,
  ...playgroundEndpoints,
  ...sourceEndpoints,
  ...settingsEndpoints,
  ...webhookEndpoints,
  ...commandEndpoints,
  ...mcpEndpoints,
  ...telemetryEndpoints,
  ...sendingEndpoints,
  ...fleetEndpoints,
  ...peopleEndpoints,
  ...fleetRetentionEndpoints,
  get("/api/openapi.json", {
    bound: "free",
    answer: z.record(z.string(), z.unknown()),
    run: () => openApi(ENDPOINTS),
  }),
];

/** Files that anyone on this machine may have: they hold code, no data. Hashed names only, no `..`, no `%`. */
const openFile = /^\/_next\/static\/(?!.*\.\.)[A-Za-z0-9_~.-]+(\/[A-Za-z0-9_~.-]+)*$/;

/** True for static files that are served without a credential. */
export function isOpenFile(path: string): boolean {
  return openFile.test(path) || path === "/favicon.ico" || path === "/icon.svg";
}

export type FoundRoute = {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  /** What this path answers. */
  readonly methods: readonly string[];
};

/**
 * The endpoint of a path, with its parameters decoded; null when there is none. Of several at one path it is the one that
 * answers the method, or the first.
 */
export function findRoute(path: string, method = ""): FoundRoute | null {
  const parts = path.split("/");
  for (const { pattern, first, byMethod } of PATHS.get(parts.length) ?? []) {
    const params = matchParts(pattern, parts);
    if (params !== null) return { endpoint: byMethod.get(method) ?? first, params, methods: [...byMethod.keys()] };
  }
  return null;
}

type Path = { readonly pattern: readonly string[]; readonly first: Endpoint; readonly byMethod: Map<string, Endpoint> };

/** By the number of their parts. */
const PATHS = Map.groupBy(
  [...Map.groupBy(ENDPOINTS, ({ path }) => path)].map(([path, endpoints]): Path => ({
    pattern: path.split("/"),
    first: endpoints[0]!,
    // GET answers HEAD too.
    byMethod: new Map(
      endpoints.flatMap((one): [string, Endpoint][] =>
        one.method === "GET"
          ? [
              ["GET", one],
              ["HEAD", one],
            ]
          : [[one.method, one]],
      ),
    ),
  })),
  ({ pattern }) => pattern.length,
);

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
