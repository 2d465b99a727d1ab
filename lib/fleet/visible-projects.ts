// What of a fleet whoever asks may see: every question of the catalogue is asked within projects.
import type { Fleet, Fragment } from "./open-fleet.ts";

/** Names of projects; all of them for an admin of the fleet, and where nobody signs in. */
export type Projects = "all" | readonly string[];

/**
 * What somebody may do in a project: each may do what those before it may. But a sender hands sessions in and sees nothing, and a
 * reader sees and hands nothing in.
 */
export const ROLES = ["sender", "reader", "writer", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Roles by project. "all": an admin of the fleet, or whoever runs the node. */
export type Access = "all" | Readonly<Record<string, Role>>;

export const rankOf = (role: Role): number => ROLES.indexOf(role);

/** True where somebody has at least this role in a project. */
export function hasRole(access: Access, project: string, role: Role): boolean {
  if (access === "all") return true;
  const own = Object.hasOwn(access, project) ? access[project] : undefined;
  if (own === undefined || (own === "reader" && role === "sender")) return false;
  return rankOf(own) >= rankOf(role);
}

/** The projects in which somebody has at least this role. */
export const projectsWith = (access: Access, role: Role): Projects =>
  access === "all" ? "all" : Object.keys(access).filter((project) => hasRole(access, project, role));

export const sees = (projects: Projects, project: string): boolean => projects === "all" || projects.includes(project);

/** Those of the sessions that are in these projects. */
export async function visibleAmong(fleet: Fleet, sessions: readonly string[], projects: Projects): Promise<string[]> {
  if (sessions.length === 0) return [];
  const rows = await fleet.ask(
    () => fleet.sql<{ id: string }[]>`SELECT id FROM sessions
      WHERE id = ANY(${[...sessions]}) AND ${inProjects(fleet, projects)}`,
  );
  const found = new Set(rows.map(({ id }) => id));
  return sessions.filter((id) => found.has(id));
}

/** The condition that a row is of these projects. */
export const inProjects = ({ sql }: Pick<Fleet, "sql">, projects: Projects, column = "project"): Fragment =>
  projects === "all" ? sql`true` : sql`${sql(column)} = ANY(${[...projects]})`;
