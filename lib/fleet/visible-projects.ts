// What of a fleet whoever asks may see: every question of the catalogue is asked within projects.
import type { Fleet, Fragment } from "./open-fleet.ts";

/** Names of projects; all of them for an admin of the fleet, and where nobody signs in. */
export type Projects = "all" | readonly string[];

/** The condition that a row is of these projects. */
export const inProjects = ({ sql }: Pick<Fleet, "sql">, projects: Projects, column = "project"): Fragment =>
  projects === "all" ? sql`true` : sql`${sql(column)} = ANY(${[...projects]})`;
