// A request at a node of a fleet, before its endpoint runs: the session that it names is brought here, if whoever asks may see it. One
// that they may not see is answered like one that there is not.
import type { IncomingMessage, ServerResponse } from "node:http";
import { EVERY_PROJECT } from "#lib/fleet/people/audit.ts";
import { ownerIn } from "#lib/archive/artifacts/held-owner.ts";
import { sessionsOfPointer, pointerIn } from "#lib/archive/sessions/in-session.ts";
import { hasRole } from "#lib/fleet/visible-projects.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { AppContext } from "./app-context.ts";
import { projectsOf, requireRole } from "./fleet-projects.ts";
import { namesSession, reachOf, roleOf, type Reach } from "./fleet-reach.ts";
import { NOBODY, type Principal, type Scope } from "./principal.ts";

type Asked = { readonly method: string; readonly path: string; readonly scope: Scope };

type Incoming = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly principal: Principal | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** The request as the endpoint sees it: with ids in place of names. */
export async function admit<T extends Incoming>(app: AppContext, asked: Asked, incoming: T): Promise<T> {
  if (app.fleet === null) return incoming;
  if (namesSession(asked.path)) {
    const { id } = await openFor(app, asked, incoming, incoming.params["id"]!);
    return { ...incoming, params: { ...incoming.params, id } };
  }
  const reach = reachOf(asked);
  const { principal } = incoming;
  if (principal === null) return incoming;
  if (reach === "pointer") {
    const pointer = await openedPointer(app, principal, incoming.params["pointer"]!);
    incoming = { ...incoming, params: { ...incoming.params, pointer } };
  }
  if (principal.access === "all") {
    const [session, ...more] = reach === "listed" ? incoming.query.getAll("session") : [];
    if (session !== undefined && more.length === 0)
      return boundTo(incoming, await openFor(app, asked, incoming, session));
    if (isContent(asked, reach))
      await noteRead(app, asked, incoming, { project: EVERY_PROJECT, session: incoming.query.get("session") });
    return incoming;
  }
  if (reach === "query" || (reach === "listed" && incoming.query.has("session"))) {
    const [name, ...others] = incoming.query.getAll("session");
    if (name === undefined || others.length > 0)
      fail("invalid", `${asked.path} needs ?session= with one session of your projects.`);
    return boundTo(incoming, await openFor(app, asked, incoming, name));
  }
  if (reach === "compaction") {
    const owner = ownerIn(app.archive, "compaction", incoming.params["id"]!);
    const [session] = owner === null ? [] : await app.fleet.visibleAmong([owner.id], projectsOf(principal));
    if (session === undefined)
      fail(
        "not_found",
        `No compaction ${incoming.params["id"]!.slice(0, 80)} in your projects. Open its session first.`,
      );
    await openFor(app, asked, incoming, session!);
  }
  return incoming;
}

/** The request as one about this session alone. Who only reads its project stores nothing, whatever else they may do elsewhere. */
export function boundTo<T extends Pick<Incoming, "query" | "principal">>(incoming: T, { id, project }: Opened): T {
  const query = new URLSearchParams(incoming.query);
  query.set("session", id);
  const asker = incoming.principal ?? NOBODY;
  const isReader = project !== null && !hasRole(asker.access, project, "writer");
  return { ...incoming, query, principal: isReader ? { ...asker, scope: "read" } : incoming.principal };
}

type Opened = { readonly id: string; readonly project: string | null };

async function openFor(app: AppContext, asked: Asked, incoming: Incoming, name: string): Promise<Opened> {
  const asker = incoming.principal ?? NOBODY;
  const { id, project } = await app.fleet!.ensure(name, projectsOf(asker));
  if (!incoming.response.closed) incoming.response.once("close", app.fleet!.keepOpen(id));
  if (project === null) return { id, project };
  requireRole(asker, project, roleOf(asked.scope));
  await noteOpened(app, asked, incoming, { project, session: id });
  return { id, project };
}

/** Admins see what they have no role in: that they looked is noted. */
export async function noteOpened(
  app: AppContext,
  asked: Asked,
  incoming: Incoming,
  of: { readonly project: string; readonly session: string },
): Promise<void> {
  const { access, own } = incoming.principal ?? NOBODY;
  if (access === "all" && own?.includes(of.project) !== true) await noteRead(app, asked, incoming, of);
}

/** Endpoints beside those of one session that show what is in sessions of any project. */
const isContent = ({ path, method }: Asked, reach: Reach): boolean =>
  reach === "pointer" ||
  /^\/(mcp|api\/(search|artifacts|tools\/:name|playground\/|compactions|carry-ons|sources\/raw))/.test(path) ||
  (path === "/api/findings/:id" && method === "GET");

async function noteRead(
  { fleet }: AppContext,
  { method, path }: Asked,
  { principal, params, request }: Incoming,
  of: { readonly project: string; readonly session: string | null },
): Promise<void> {
  const pointer = params["pointer"] === undefined ? "" : ` ${params["pointer"]}`;
  const by = askedBy({ principal: principal ?? NOBODY, request });
  await fleet!.people.audit.note({ ...by, action: "read", ...of, detail: `${method} ${path}${pointer}` });
}

/** Who asks, and from where, as the audit log has it. */
export const askedBy = ({
  principal,
  request,
}: {
  readonly principal: Principal;
  readonly request: IncomingMessage;
}) => ({
  who: principal.id,
  address: principal.from ?? addressOf(request),
});

/** Where a request came from; what a proxy on this machine says of it stands before the proxy's own address. */
export function addressOf({ socket, headers }: IncomingMessage): string {
  const own = socket.remoteAddress ?? "unknown";
  const said = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)!
    .trim();
  return /^[0-9a-fA-F.:]{2,45}$/.test(said) ? `${said} by ${own}` : own;
}

/**
 * The artifact of a session that they see. One that a list shows may be of a session that nobody opened here: it is brought here. An
 * admin of the fleet has all that the node has.
 */
export async function openedPointer(
  { archive, fleet }: AppContext,
  principal: Principal,
  ref: string,
): Promise<string> {
  if (fleet === null) return ref;
  const visible = projectsOf(principal);
  const here = sessionsOfPointer(archive, ref);
  const [own] = visible === "all" ? here : await fleet.visibleAmong(here, visible);
  const session = own ?? (await fleet.answers.sessionOfArtifact(ref, visible));
  if (session !== null && own === undefined) await fleet.ensure(session, visible);
  if (visible === "all") return ref;
  const pointer = session === null ? null : pointerIn(archive, session, ref);
  return pointer ?? fail("not_found", `No artifact ${ref.slice(0, 80)} in your projects.`);
}
