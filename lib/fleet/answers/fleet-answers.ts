// What a node answers about all sessions, from the catalogue; each with the shape that one machine's answer has.
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import type { UnusedAnswer, UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { fleetUnused, fleetUsage } from "./fleet-usage.ts";

export type FleetAnswers = {
  usage(request: TableRequest, visible: Projects): Promise<UsageAnswer>;
  unused(days: number, visible: Projects): Promise<UnusedAnswer>;
};

export const fleetAnswers = (fleet: Fleet, now: () => number): FleetAnswers => ({
  usage: (request, visible) => fleetUsage(fleet, request, visible, now()),
  unused: (days, visible) => fleetUnused(fleet, days, visible, now()),
});
