// Where a request of a fleet's node is answered. A session that an agent writes is at one node: the others pass on what concerns
// it, and take over when that one is gone.
import { hash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ownerIn } from "#lib/archive/artifacts/held-owner.ts";
import { heldIdOf } from "#lib/archive/artifacts/held-session.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import { projectsWith, type Projects } from "#lib/fleet/visible-projects.ts";
import { fail, forbid, isAppError } from "#lib/kernel/errors.ts";
import { createSessionRequest } from "#lib/wire/held-schema.ts";
import type { Takeover } from "#lib/wire/sessions-schema.ts";
import { SHARED_SESSION } from "#lib/mcp/mcp-host.ts";
import type { AppContext } from "./app-context.ts";
import { putAhead, readAhead } from "./body.ts";
import { addressOf, boundTo, noteOpened, openedPointer } from "./fleet-admission.ts";
import { reachOf, roleOf } from "./fleet-reach.ts";
import { awayNode, MOVED_HEADER, notPacked, PACKED_HEADER, passOn, type Passable } from "./pass-on.ts";
import { NOBODY, type Principal, type Scope } from "./principal.ts";
import { doubtNode, isSilent, whenSilent } from "./silent-nodes.ts";

type Asked = {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  readonly takes: "none" | "json" | "bytes" | "content";
};

type Incoming = Passable & {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly principal: Principal | null;
};

/** The request as the endpoint sees it, for a session that this node has. `elsewhere`: answered. Null: about no such session. */
type Routed<T> = T | "elsewhere" | null;

const BELOW_SESSION = /^\/api\/sessions\/:id(\/|$)/;
const AGAIN_MS = 250;
const TRIES = 3;

export async function routeInFleet<T extends Incoming>(
  app: AppContext,
  fleet: FleetNode,
  asked: Asked,
  incoming: T,
): Promise<Routed<T>> {
  const principal = incoming.principal ?? NOBODY;
  const isNew = asked.path === "/api/sessions" && asked.method === "POST";
  const session = isNew ? await sessionToBegin(incoming, principal) : await sessionOf(app, fleet, asked, incoming);
  if (session === null) return null;
  const { held } = fleet;
  if (isNew) await held.begin(session, projectOf(principal, held.project), principal.person ?? null);
  const visible = projectsWith(principal.access, roleOf(asked.scope));
  const startedAt = performance.now();
  const isLeft = (): boolean => performance.now() - startedAt < held.seconds * 1000 + 2000;
  const canRepeat = asked.takes === "none" || asked.takes === "json";
  const isSafe = asked.method === "GET" || incoming.request.headers["idempotency-key"] !== undefined;
  // What a person looks at is shown as far as it is packed. An agent waits: it goes on from what it reads.
  const isPage = asked.method === "GET" && (principal.kind === "browser" || principal.kind === "person");
  let silentAt: string | null = null;
  for (let moved = 0; ;) {
    const location = await held.locate(session, visible);
    if (location.kind === "here") {
      const project = held.lease(session)?.project ?? null;
      // Of what is written the log itself says who wrote it.
      if (asked.scope === "read" && project !== null) await noteOpened(app, asked, incoming, { project, session });
      return asSeen(asked, incoming, session, project);
    }
    if (location.kind === "none") {
      if (isNew) fail("conflict", "This id cannot be used for a new session. Choose another.");
      return null;
    }
    if (principal.isPassed === true) {
      incoming.response.setHeader(MOVED_HEADER, "1");
      fail("conflict", `Session ${session} has moved to another node. Send the request again.`);
    }
    if (isPage && (location.address === silentAt || (await isSilent(location)))) {
      await bringPacked(app, fleet, asked, incoming, { session, visible, ...location });
      return null;
    }
    if (asked.takes === "json") {
      incoming.begin();
      await readAhead(incoming.request);
    }
    // A node that was paused for longer than its lease has lost it by then.
    const waitMs = location.leftMs + held.seconds * 1000;
    const { isPassed: _, ...asker } = principal;
    const who: Principal = { ...asker, from: addressOf(incoming.request) };
    const watch = isPage ? (begun: AbortSignal) => whenSilent(location, begun) : null;
    const passed = await passOn(incoming, location, await held.passFor(who), waitMs, watch);
    if (passed === "answered") return "elsewhere";
    held.doubt(session);
    // It was looked at a moment ago, and nobody has to wait once more: also where it answers now and again.
    if (passed === "silent") {
      silentAt = location.address;
      continue;
    }
    doubtNode(location);
    if (!canRepeat || !isLeft() || (passed === "lost" && !isSafe) || (passed === "moved" && ++moved > TRIES))
      return awayNode(session, location.address);
    if (passed !== "moved") await setTimeout(AGAIN_MS);
  }
}

/**
 * The session of a page, brought to this node. What an agent began a moment ago is in no catalogue yet: the node that has it knows it.
 * Null where that is another one.
 */
export async function broughtHere(
  app: AppContext,
  fleet: FleetNode,
  name: string,
  visible: Projects,
): Promise<string | null> {
  try {
    return (await fleet.ensure(name, visible)).id;
  } catch (error) {
    if (!isAppError(error) || error.code !== "not_found") throw error;
    const id = namedSession(app, name);
    const { kind } = id === null ? { kind: "none" } : await fleet.held.locate(id, visible);
    if (kind === "none") throw error;
    return kind === "here" ? id : null;
  }
}

/** In place of a node that is silent: what is packed is read here. Fails where what is asked for is not. */
async function bringPacked(
  app: AppContext,
  fleet: FleetNode,
  { path }: Asked,
  { params, response }: Incoming,
  at: { readonly session: string; readonly visible: Projects; readonly host: string; readonly leftMs: number },
): Promise<void> {
  await fleet.ensure(at.session, at.visible).catch((error: unknown) => {
    if (!isAppError(error) || error.code !== "not_found") throw error;
  });
  const owner = BELOW_ARTIFACT.test(path)
    ? ownerIn(app.archive, "pointer", params["pointer"]!)
    : ownerIn(app.archive, "session", at.session);
  if (owner === null) notPacked(at.session, at);
  response.setHeader(PACKED_HEADER, "1");
}

/** Of a session whose node is silent: which one that is, and when another takes over. It asks the database who holds the session. */
export async function takeoverOf(app: AppContext, name: string, principal: Principal): Promise<Takeover | null> {
  const session = app.fleet === null ? null : namedSession(app, name);
  if (session === null) return null;
  try {
    const location = await app.fleet!.held.locate(session, projectsWith(principal.access, "reader"));
    const isAway = location.kind === "there" && (await isSilent(location));
    return isAway ? { node: location.host, inMs: Math.round(location.leftMs) } : null;
  } catch (error) {
    // What is here opens, also while the database is away.
    if (!isAppError(error) || error.code !== "timeout") throw error;
    return null;
  }
}

/** An artifact of a page, as this node shows it; null where another node writes its session, and answers the browser. */
export async function artifactHere<T>(
  app: AppContext,
  principal: Principal,
  ref: string,
  show: (pointer: string) => Promise<T>,
): Promise<T | null> {
  const shown = async (): Promise<T> => show(await openedPointer(app, principal, ref));
  try {
    return await shown();
  } catch (error) {
    if (!isAppError(error) || error.code !== "not_found" || app.fleet === null) throw error;
    const session = await ownerOf(app, app.fleet, "pointer", ref);
    if (session === null) throw error;
    const { kind } = await app.fleet.held.locate(session, projectsWith(principal.access, "reader"));
    if (kind === "none") throw error;
    return kind === "here" ? shown() : null;
  }
}

function asSeen<T extends Incoming>(asked: Asked, incoming: T, id: string, project: string | null): T {
  if (BELOW_SESSION.test(asked.path)) return { ...incoming, params: { ...incoming.params, id } };
  return incoming.query.has("session") && reachOf(asked) === "query" ? boundTo(incoming, { id, project }) : incoming;
}

/** The project that a session of somebody's begins in. */
function projectOf({ access }: Principal, usual: string): string {
  const own = projectsWith(access, "writer");
  if (own === "all") return usual;
  return own[0] ?? forbid("You may not write to any project. Ask for a token with the role writer.");
}

/** Where no id is given the key of the request makes one: sent again, to whichever node, it means the same session. */
async function sessionToBegin({ request, begin }: Incoming, principal: Principal): Promise<string | null> {
  begin();
  const bytes = await readAhead(request);
  let body: { id?: unknown };
  try {
    body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString("utf8")) as { id?: unknown });
  } catch {
    // The endpoint says what is wrong.
    return null;
  }
  if (typeof body !== "object" || body === null) return null;
  const key = request.headers["idempotency-key"];
  if (body.id === undefined) {
    // Also without a key: whoever gives the session its project knows its name.
    body = { ...body, id: key === undefined ? randomUUID() : idOf(principal, String(key)) };
    putAhead(request, Buffer.from(JSON.stringify(body)));
  }
  // What the endpoint refuses begins nothing: its id would be this project's for good.
  const { success, data } = createSessionRequest.safeParse(body);
  if (!success || data.id === undefined) return null;
  const session = heldIdOf(data.id);
  return principal.session === null || principal.session === session ? session : null;
}

function idOf(principal: Principal, key: string): string {
  const id = hash("sha256", `${principal.id} ${key}`, "hex");
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`;
}

const BELOW_ARTIFACT = /^\/api\/artifacts\/:pointer(\/|$)/;
const BELOW_COMPACTION = /^\/api\/compactions\/:id(\/|$)/;

/** The session that a request is about, where agents may write it. */
async function sessionOf(
  app: AppContext,
  fleet: FleetNode,
  { path }: Asked,
  incoming: Incoming,
): Promise<string | null> {
  const { params } = incoming;
  const principal = incoming.principal ?? NOBODY;
  if (BELOW_SESSION.test(path)) return namedSession(app, params["id"]!);
  const named = incoming.query.get("session") ?? principal.session;
  if (named !== null) return namedSession(app, named);
  // Who sees some projects names a session: what all clients share is of none of them.
  if (path === "/mcp") return principal.access === "all" ? heldIdOf(SHARED_SESSION.id) : null;
  if (BELOW_ARTIFACT.test(path)) return ownerOf(app, fleet, "pointer", params["pointer"]!);
  if (BELOW_COMPACTION.test(path)) return ownerOf(app, fleet, "compaction", params["id"]!);
  return null;
}

/** Of one that is imported here nobody has to be asked. */
function namedSession({ archive }: AppContext, name: string): string | null {
  const id = /^s_[0-9a-f]{16}$/.test(name) ? name : heldIdOf(name.replace(/^plimsoll:/, ""));
  return ownerIn(archive, "session", id)?.isHeld === false ? null : id;
}

async function ownerOf(
  { archive }: AppContext,
  { held }: FleetNode,
  kind: "pointer" | "compaction",
  name: string,
): Promise<string | null> {
  const owner = ownerIn(archive, kind, name);
  return owner === null ? held.sessionOfName(name) : owner.isHeld ? owner.id : null;
}
