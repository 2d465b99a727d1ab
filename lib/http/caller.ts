// Who asked for the page that is being rendered: pages read on the server, without a request of their own. On a node of a fleet a page
// that is not told who asks sees nothing.
import { AsyncLocalStorage } from "node:async_hooks";
import { projectsWith, type Projects } from "#lib/fleet/visible-projects.ts";
import { appContext } from "./app-context.ts";
import { managedBy, projectsOf } from "./fleet-projects.ts";
import { NOBODY, type Principal } from "./principal.ts";

const key = Symbol.for("plimsoll.caller");
type Store = AsyncLocalStorage<Principal | null>;

/** Next bundles a copy of this file for its pages: they share one store. */
const store = ((globalThis as Record<symbol, unknown>)[key] ??= new AsyncLocalStorage()) as Store;

export const runAs = <T>(principal: Principal | null, run: () => T): T => store.run(principal, run);

export const caller = (): Principal => store.getStore() ?? NOBODY;

export const callerProjects = (): Projects => projectsOf(caller());

/** True where who asked may write: on a node in a project at least. */
export function callerWrites(): boolean {
  const own = projectsWith(caller().access, "writer");
  return appContext().fleet === null || own === "all" || own.length > 0;
}

/** True where who asked came with the link that this server prints, as its endpoints for a browser ask for. */
export const callerRunsServer = (): boolean => appContext().fleet === null || caller().kind === "browser";

/** Projects of the fleet that who asked manages; none where this server is no node. */
export const callerManages = (): Projects => (appContext().fleet === null ? [] : managedBy(caller()));

/** The address of who signed in at a node of a fleet. */
export const callerPerson = (): string | null => (caller().kind === "person" ? (caller().person ?? null) : null);

/** True where a page may show what this server's archive has of every project. */
export const seesArchive = (): boolean => appContext().fleet === null || caller().access === "all";
