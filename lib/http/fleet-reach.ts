// What of a node somebody reaches who does not see every project of its fleet. A node's archive is a cache of all projects, so an
// endpoint shows it to admins of the whole fleet alone, unless it is named here.
import type { Role } from "#lib/fleet/visible-projects.ts";
import type { Principal, Scope } from "./principal.ts";

/**
 * `free`: tells of no session. `session`: `:id` is a session of a project in which they have the role that the scope asks for.
 * `pointer`: `:pointer` lies in such a session. `query`: `?session=` is one. `listed`: the same, or none: then its
 * function asks within `projectsOf`. `projects`: its function asks within `projectsOf`, or
 * looks at the role itself. `own`: somebody keeps it for themselves, so a person may whatever their role. `compaction`: `:id` is one
 * of such a session. `fleet`: for admins of the whole fleet.
 */
export type Reach = "free" | "session" | "pointer" | "query" | "listed" | "compaction" | "projects" | "own" | "fleet";

const NAMED: Readonly<Record<string, Reach>> = {
  "GET /api/health": "free",
  "GET /api/ready": "free",
  "GET /api/endpoint": "free",
  "GET /api/openapi.json": "free",
  "GET /api/tools": "free",
  "GET /api/sessions": "projects",
  // Its project is decided before.
  "POST /api/sessions": "projects",
  "GET /api/home": "projects",
  "GET /api/labels": "projects",
  "GET /api/search": "projects",
  "GET /api/searches": "own",
  "PUT /api/searches": "own",
  "DELETE /api/searches": "own",
  "GET /api/usage": "projects",
  "GET /api/usage/unused": "projects",
  // A node refuses them, whoever asks.
  "GET /api/usage/blocks": "projects",
  "GET /api/usage/budgets": "projects",
  "PUT /api/usage/budgets": "projects",
  "GET /api/findings": "projects",
  "GET /api/findings/:id": "projects",
  "PUT /api/findings/:id/mark": "projects",
  "POST /api/fleet/missing": "projects",
  "POST /api/fleet/commits": "projects",
  "GET /api/fleet/commits/:project/:id": "projects",
  "GET /api/fleet/audit": "projects",
  "POST /api/fleet/delete": "projects",
  "POST /api/fleet/restore": "projects",
  "GET /api/fleet/deleted": "projects",
  "GET /api/fleet/retention": "projects",
  "PUT /api/fleet/retention": "projects",
  "POST /api/fleet/retention/preview": "projects",
  "GET /api/fleet/tokens": "projects",
  "POST /api/fleet/tokens": "projects",
  "DELETE /api/fleet/tokens/:id": "projects",
  "GET /api/fleet/people": "projects",
  "PUT /api/fleet/people": "projects",
  // Whoever opens the link has all roles of the person.
  "POST /api/fleet/links": "fleet",
  // Takes roles in every project.
  "DELETE /api/fleet/people/:email": "fleet",
  "GET /api/artifacts": "listed",
  // Their functions open what the request names, as far as it is seen.
  "POST /api/playground/jq": "projects",
  "POST /api/playground/grep": "projects",
  "GET /api/status": "query",
  "POST /api/tools/:name": "query",
  "POST /mcp": "query",
  "GET /api/compactions/:id": "compaction",
  "POST /api/compactions/:id/undo": "compaction",
  // What a family is in the cache may go beyond the project; the disk is the node's.
  "GET /api/sessions/:id/bundle": "fleet",
  "GET /api/sessions/:id/restore-preview": "fleet",
  "POST /api/sessions/:id/restore": "fleet",
  "POST /api/sessions/:id/carry-on": "fleet",
  // They change the cache alone, which the next opening undoes.
  "DELETE /api/sessions/:id": "fleet",
  "GET /api/sessions/:id/remove-preview": "fleet",
  "DELETE /api/sessions/:id/artifacts": "fleet",
  "GET /api/sessions/:id/artifacts/delete-preview": "fleet",
  // Where else the same bytes are.
  "GET /api/artifacts/:pointer/history": "fleet",
  "GET /api/artifacts/:pointer/delete-preview": "fleet",
  "DELETE /api/artifacts/:pointer": "fleet",
};

const SESSION = /^\/api\/sessions\/:id(\/|$)/;
const POINTER = /^\/api\/artifacts\/:pointer(\/|$)/;

export const namesSession = (path: string): boolean => SESSION.test(path);

export function reachOf({ method, path }: { readonly method: string; readonly path: string }): Reach {
  const named = `${method} ${path}`;
  if (Object.hasOwn(NAMED, named)) return NAMED[named]!;
  return namesSession(path) ? "session" : POINTER.test(path) ? "pointer" : "fleet";
}

/** The role in a project that a scope asks for. */
export const roleOf = (scope: Scope): Role =>
  scope === "admin" ? "admin" : scope === "write" ? "writer" : scope === "read" ? "reader" : "sender";

/** What whoever asks lacks: a token a scope, somebody who signed in a role. */
export function lackText(
  { kind, scope, person, isCut }: Principal,
  method: string,
  asked: { readonly path: string; readonly scope: Scope },
): string {
  const role = roleOf(asked.scope);
  // People have no role that only sends.
  const needed = role === "sender" ? "writer" : role;
  if (isCut) return `This token does no more than ${person}, who is no ${needed} there. Ask an admin of the project.`;
  return kind === "token"
    ? `This token has the scope ${scope}; ${method} ${asked.path} needs ${asked.scope}.`
    : `Your role here is ${roleOf(scope)}. Ask an admin of the project for the role ${needed}.`;
}

export const NAMED_REACHES = Object.keys(NAMED);

/** Pages that read within projects, or in the browser alone: their endpoints decide. And the scripts that pages fetch by name. */
export const isSharedPage = (path: string): boolean =>
  /^\/(search|usage|findings|artifacts|fleet|docs|mark\.svg)?$/.test(path) ||
  /^\/sessions\/[^/]+(\/compact)?$/.test(path) ||
  /^\/artifacts\/[^/]+$/.test(path) ||
  /^\/(monaco|workers)\/[^/]+$/.test(path);
