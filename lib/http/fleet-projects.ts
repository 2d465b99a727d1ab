// Which projects of a fleet a request may see.
import type { Projects } from "#lib/fleet/visible-projects.ts";
import type { Principal } from "./principal.ts";

/** Tokens and browsers of this server see all of them. */
export const projectsOf = (_principal: Principal | null): Projects => "all";
