// What a node answers about all sessions, from the catalogue; each with the shape that one machine's answer has.
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import type {
  FindingAnswer,
  FindingMarkRequest,
  FindingRow,
  FindingsAnswer,
  FindingsRequest,
} from "#lib/wire/findings-schema.ts";
import type { HomeAnswer, HomeRequest } from "#lib/wire/home-schema.ts";
import type { UnusedAnswer, UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { fleetFinding, fleetFindings, markFleetFinding } from "./fleet-findings.ts";
import { fleetHome } from "./fleet-home.ts";
import { fleetUnused, fleetUsage } from "./fleet-usage.ts";

export type FleetAnswers = {
  usage(request: TableRequest, visible: Projects): Promise<UsageAnswer>;
  unused(days: number, visible: Projects): Promise<UnusedAnswer>;
  home(request: HomeRequest, visible: Projects): Promise<HomeAnswer>;
  findings(request: FindingsRequest, visible: Projects): Promise<FindingsAnswer>;
  finding(id: string, visible: Projects): Promise<FindingAnswer>;
  markFinding(
    id: string,
    request: FindingMarkRequest,
    projects: { readonly visible: Projects; readonly writable: Projects },
  ): Promise<FindingRow>;
};

export const fleetAnswers = (fleet: Fleet, now: () => number): FleetAnswers => ({
  usage: (request, visible) => fleetUsage(fleet, request, visible, now()),
  unused: (days, visible) => fleetUnused(fleet, days, visible, now()),
  home: (request, visible) => fleetHome(fleet, request, visible, now()),
  findings: (request, visible) => fleetFindings(fleet, request, visible, now()),
  finding: (id, visible) => fleetFinding(fleet, id, visible, now()),
  markFinding: (id, request, projects) => markFleetFinding(fleet, id, request, { ...projects, now: now() }),
});
