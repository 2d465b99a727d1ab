// What a token that is bound to a session may see, route by route. A route that is not listed does not exist for it; of one
// that is listed only what belongs to its session does. Names are settled here, once: behind the gate a request carries
// the session's id and exact pointers, so that no door can look further than it was meant to.
import { isNameOf, pointerIn } from "#lib/archive/sessions/in-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { FoundRoute } from "./routes.ts";

/**
 * `free`: tells nothing of any session. `session`, `pointer`: its parameter must lie in the session. `query`: `?session=` is
 * the session, whatever was asked. `own`: its handler asks `boundSession` itself.
 */
export const BOUND_ROUTES: Readonly<Record<string, "free" | "session" | "pointer" | "query" | "own">> = {
  "/api/health": "free",
  "/api/sessions": "own",
  "/api/sessions/:id": "session",
  "/api/sessions/:id/events": "session",
  "/api/sessions/:id/events/:seq": "session",
  "/api/sessions/:id/events/:seq/raw": "session",
  "/api/sessions/:id/outline": "session",
  "/api/sessions/:id/find": "session",
  "/api/sessions/:id/load": "session",
  "/api/sessions/:id/whatif": "session",
  "/api/sessions/:id/heaviest": "session",
  "/api/sessions/:id/tools": "session",
  "/api/sessions/:id/context": "session",
  "/api/sessions/:id/context/raw": "session",
  "/api/sessions/:id/export": "session",
  "/api/sessions/:id/request": "session",
  "/api/sessions/:id/compactions": "session",
  "/api/sessions/:id/memory": "session",
  "/api/sessions/:id/memory/:item": "session",
  "/api/sessions/:id/recall": "session",
  "/api/sessions/:id/artifacts": "session",
  "/api/sessions/:id/outputs": "session",
  "/api/sessions/:id/turns/:turn/close": "session",
  "/api/artifacts": "query",
  "/api/artifacts/:pointer": "pointer",
  "/api/artifacts/:pointer/raw": "pointer",
  "/api/artifacts/:pointer/lines": "pointer",
  "/api/artifacts/:pointer/shape": "pointer",
  "/api/artifacts/:pointer/json": "pointer",
  "/api/artifacts/:pointer/json/text": "pointer",
  "/api/artifacts/:pointer/json/find": "pointer",
  "/api/artifacts/:pointer/json/place": "pointer",
  "/api/artifacts/:pointer/json/below": "pointer",
  "/api/artifacts/:pointer/grep": "pointer",
  "/api/artifacts/:pointer/jq": "pointer",
  "/api/playground/jq": "own",
  "/api/playground/grep": "own",
  "/api/tools": "query",
  "/api/tools/:name": "query",
};

/** A request as a bound token's session sees it. */
export type Sight = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The address with its names settled. */
  readonly target: string;
};

/** How a session sees requests; null for what is not in it. */
export function sightsOf(
  archive: Archive,
): (session: string, found: FoundRoute, query: URLSearchParams) => Sight | null {
  return (session, { route, params }, query) => {
    const kind = Object.hasOwn(BOUND_ROUTES, route.path) ? BOUND_ROUTES[route.path] : undefined;
    // What manages the archive looks beyond a session, even where its path does not.
    if (kind === undefined || (route.scope === "admin" && route.body !== "none")) return null;
    const settled = { ...params };
    const asked = new URLSearchParams(query);
    if (kind === "session") {
      if (!isNameOf(archive, session, params["id"] ?? "")) return null;
      settled["id"] = session;
    }
    if (kind === "pointer") {
      const pointer = pointerIn(archive, session, params["pointer"] ?? "");
      if (pointer === null) return null;
      settled["pointer"] = pointer;
    }
    if (kind === "query") {
      if (asked.getAll("session").some((name) => !isNameOf(archive, session, name))) return null;
      asked.set("session", session);
    }
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(settled[name] ?? ""));
    const text = asked.toString();
    return { params: settled, query: asked, target: text === "" ? path : `${path}?${text}` };
  };
}
