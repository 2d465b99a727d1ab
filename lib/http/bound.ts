// What a token that is bound to a session may see. Names are settled here, once: behind the gate a request carries the session's id
// and exact pointers, so that no endpoint can look further than it was meant to.
import { isNameOf, pointerIn } from "#lib/archive/sessions/in-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { FoundRoute } from "./routes.ts";

/** A request as a bound token's session sees it. */
export type Visible = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
};

/** How a session sees requests; null for what is not in it, and for every endpoint that does not say what it shows. */
export function visibilityOf(
  archive: Archive,
): (session: string, found: FoundRoute, query: URLSearchParams) => Visible | null {
  return (session, { endpoint: { bound }, params }, query) => {
    if (bound === null) return null;
    const settled = { ...params };
    const request = new URLSearchParams(query);
    if (bound === "session") {
      if (!isNameOf(archive, session, params["id"] ?? "")) return null;
      settled["id"] = session;
    }
    if (bound === "pointer") {
      const pointer = pointerIn(archive, session, params["pointer"] ?? "");
      if (pointer === null) return null;
      settled["pointer"] = pointer;
    }
    if (bound === "query") {
      if (request.getAll("session").some((name) => !isNameOf(archive, session, name))) return null;
      request.set("session", session);
    }
    return { params: settled, query: request };
  };
}
