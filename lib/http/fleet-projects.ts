// Which projects of a fleet a request may see, and what it may do there.
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import { SOURCE_GONE } from "#lib/archive/sessions/session-view.ts";
import { hasRole, projectsWith, type Projects, type Role } from "#lib/fleet/visible-projects.ts";
import { fail, forbid } from "#lib/kernel/errors.ts";
import { DEFAULT_PROJECT } from "#lib/wire/fleet-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { AppContext } from "./app-context.ts";
import type { Principal } from "./principal.ts";

/** Fails where this server is no node. */
export const nodeOf = ({ fleet }: AppContext): FleetNode =>
  fleet ??
  fail(
    "unsupported",
    "This server is not a node of a fleet. Start it with PLIMSOLL_DATABASE and PLIMSOLL_BUCKET: docs/fleet.md.",
  );

/** Nobody sees none. */
export const projectsOf = (principal: Principal | null): Projects =>
  principal === null ? [] : projectsWith(principal.access, "reader");

/** The projects that somebody may write to. */
export const writableBy = ({ access }: Principal): Projects => projectsWith(access, "writer");

/**
 * Whose searches somebody saves: a person has their own, whatever they came in with. What runs the fleet and names nobody shares one
 * list, and a token without a person has another. So has one that somebody else made: any admin of a project may name a person.
 */
export const searcherOf = ({ id, person, isByOther, access }: Principal): string =>
  isByOther ? id : (person ?? (access === "all" ? "" : id));

/** The projects that somebody manages. */
export const managedBy = ({ access }: Principal): Projects => projectsWith(access, "admin");

/** Fails where somebody may not do this in a project: with the same words for one that there is and one that there is not. */
export function requireRole({ access }: Principal, project: string, role: Role): void {
  if (hasRole(access, project, role)) return;
  const own = access === "all" ? [] : Object.keys(access);
  const text = own.length === 0 ? "You have no project." : `Yours: ${own.slice(0, 5).join(", ")}.`;
  forbid(`You may not ${VERBS[role]} the project ${project}. ${text}`);
}

/** The project that a sender means: the one that they name, or their only one. */
export function projectToSend(principal: Principal, named: string | undefined): string {
  const own = projectsWith(principal.access, "sender");
  if (named === undefined && own !== "all" && own.length > 1)
    fail("invalid", `You may send to ${own.length} projects: ${own.slice(0, 5).join(", ")}. Name the one you mean.`);
  const project = named ?? (own === "all" ? undefined : own[0]) ?? DEFAULT_PROJECT;
  requireRole(principal, project, "sender");
  return project;
}

/** Fails where somebody may send to no project: what the bucket has, and uploads to it, are for senders alone. */
export function requireSender({ access }: Principal): void {
  const own = projectsWith(access, "sender");
  if (own !== "all" && own.length === 0) forbid("You may not send to any project. Ask an admin of one for a token.");
}

const VERBS: Readonly<Record<Role, string>> = {
  sender: "send to",
  reader: "read",
  writer: "write to",
  admin: "manage",
};

/**
 * On a node relatives may be of other projects: whoever does not see those does not see that there are any. And a session's file is on its
 * sender's machine: that it is not on the node says nothing of it.
 */
export async function withinProjects(
  { fleet }: AppContext,
  principal: Principal,
  opened: SessionSummary,
): Promise<SessionSummary> {
  const summary = fleet === null ? opened : withoutGone(opened);
  if (fleet === null || principal.access === "all") return summary;
  const { lineage, parentId } = summary;
  const relatives = [...lineage.map(({ id }) => id), ...(parentId === null ? [] : [parentId])];
  const seen = new Set(await fleet.visibleAmong(relatives, projectsOf(principal)));
  const isParentSeen = parentId !== null && seen.has(parentId);
  return {
    ...summary,
    ...(!isParentSeen && { parentId: null, parentToolCallSeq: null }),
    lineage: lineage.filter(({ id }) => seen.has(id)),
  };
}

function withoutGone(summary: SessionSummary): SessionSummary {
  const { source, status, quality } = summary;
  if (source === null || !source.gone) return summary;
  return {
    ...summary,
    status: status === "gone" ? "idle" : status,
    quality: quality.filter((note) => note !== SOURCE_GONE),
    source: { ...source, gone: false },
  };
}
