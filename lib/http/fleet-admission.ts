// A request at a node of a fleet, before its endpoint runs: the session that it names is brought here, if whoever asks may see it. One
// that they may not see is answered like one that there is not.
import { sessionsOfPointer, pointerIn } from "#lib/archive/sessions/in-session.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { AppContext } from "./app-context.ts";
import { projectsOf, requireRole } from "./fleet-projects.ts";
import { namesSession, reachOf, roleOf } from "./fleet-reach.ts";
import { NOBODY, type Principal, type Scope } from "./principal.ts";

type Asked = { readonly method: string; readonly path: string; readonly scope: Scope };

type Incoming = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly principal: Principal | null;
};

/** The request as the endpoint sees it: with ids in place of names. */
export async function admit<T extends Incoming>(app: AppContext, asked: Asked, incoming: T): Promise<T> {
  if (app.fleet === null) return incoming;
  if (namesSession(asked.path)) {
    const id = await openFor(app, asked, incoming, incoming.params["id"]!);
    return { ...incoming, params: { ...incoming.params, id } };
  }
  if (incoming.principal === null || incoming.principal.access === "all") return incoming;
  const reach = reachOf(asked);
  if (reach === "pointer") {
    const pointer = await pointerFor(app, incoming, incoming.params["pointer"]!);
    return { ...incoming, params: { ...incoming.params, pointer } };
  }
  if (reach === "query") {
    const [name, ...others] = incoming.query.getAll("session");
    if (name === undefined || others.length > 0)
      fail("invalid", `${asked.path} needs ?session= with one session of your projects.`);
    const query = new URLSearchParams(incoming.query);
    query.set("session", await openFor(app, asked, incoming, name));
    return { ...incoming, query };
  }
  return incoming;
}

async function openFor(app: AppContext, { scope }: Asked, { principal }: Incoming, name: string): Promise<string> {
  const asker = principal ?? NOBODY;
  const { id, project } = await app.fleet!.ensure(name, projectsOf(asker));
  if (project !== null) requireRole(asker, project, roleOf(scope));
  return id;
}

/** The artifact of a session that they see. */
async function pointerFor({ archive, fleet }: AppContext, { principal }: Incoming, ref: string): Promise<string> {
  const sessions = sessionsOfPointer(archive, ref);
  const [session] = await fleet!.visibleAmong(sessions, projectsOf(principal));
  const pointer = session === undefined ? null : pointerIn(archive, session, ref);
  return pointer ?? fail("not_found", `No artifact ${ref.slice(0, 80)} in your projects. Open its session first.`);
}
