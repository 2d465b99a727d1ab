// What a node answers about all sessions, from the catalogue; each with the shape that one machine's answer has.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import type {
  FindingAnswer,
  FindingMarkRequest,
  FindingRow,
  FindingsAnswer,
  FindingsRequest,
} from "#lib/wire/findings-schema.ts";
import type { BudgetRequest, BudgetRow } from "#lib/wire/budgets-schema.ts";
import type { ArtifactsAnswer, ArtifactsQuery } from "#lib/wire/artifacts-schema.ts";
import type { HomeAnswer, HomeRequest } from "#lib/wire/home-schema.ts";
import type { LabelsAnswer } from "#lib/wire/marks-schema.ts";
import type { SearchAnswer, SearchRequest } from "#lib/wire/search-schema.ts";
import type { UnusedAnswer, UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { keptValues } from "../list/kept-counts.ts";
import { fleetLabels } from "../list/session-marks.ts";
import type { DeletedBy } from "../people/audit.ts";
import type { Projects } from "../visible-projects.ts";
import { fleetBudgets, saveFleetBudget } from "./fleet-budgets.ts";
import { fleetArtifacts, sessionOfArtifact } from "./fleet-artifacts.ts";
import { fleetFinding, fleetFindings, markFleetFinding } from "./fleet-findings.ts";
import { fleetHome } from "./fleet-home.ts";
import { fleetSearch } from "./fleet-search.ts";
import { fleetUnused, fleetUsage } from "./fleet-usage.ts";
import type { Asking } from "./tried-texts.ts";

export type FleetAnswers = {
  usage(request: TableRequest, visible: Projects): Promise<UsageAnswer>;
  budgets(visible: Projects): Promise<BudgetRow[]>;
  /** `by`: for the audit log, where it is removed. */
  saveBudget(request: BudgetRequest, by: DeletedBy): Promise<void>;
  unused(days: number, visible: Projects): Promise<UnusedAnswer>;
  search(request: SearchRequest, visible: Projects): Promise<SearchAnswer>;
  artifacts(query: ArtifactsQuery, visible: Projects): Promise<ArtifactsAnswer>;
  /** A session that has the artifact; null where none of them has. */
  sessionOfArtifact(pointer: string, visible: Projects): Promise<string | null>;
  labels(visible: Projects): Promise<LabelsAnswer>;
  home(request: HomeRequest, visible: Projects): Promise<HomeAnswer>;
  findings(request: FindingsRequest, visible: Projects): Promise<FindingsAnswer>;
  finding(id: string, visible: Projects): Promise<FindingAnswer>;
  markFinding(
    id: string,
    request: FindingMarkRequest,
    projects: { readonly visible: Projects; readonly writable: Projects },
    by: DeletedBy,
  ): Promise<FindingRow>;
};

export function fleetAnswers(fleet: Fleet, archive: Pick<Archive, "host" | "searcher">): FleetAnswers {
  const { now } = archive.host;
  const asking = (): Asking => ({ now: now(), searcher: archive.searcher });
  return {
    async usage(request, visible) {
      const [answer, budgets] = await Promise.all([
        fleetUsage(fleet, request, visible, now()),
        fleetBudgets(fleet, visible, now()),
      ]);
      return budgets.length === 0 ? answer : { ...answer, budgets };
    },
    budgets: (visible) => fleetBudgets(fleet, visible, now()),
    saveBudget: (request, by) => saveFleetBudget(fleet, request, by),
    unused: (days, visible) => fleetUnused(fleet, days, visible, now()),
    search: async (request, visible) =>
      fleetSearch(fleet, request, visible, { ...asking(), sessions: await sessionCount(fleet, visible) }),
    artifacts: (query, visible) => fleetArtifacts(fleet, query, visible, asking()),
    sessionOfArtifact: (pointer, visible) => sessionOfArtifact(fleet, pointer, visible),
    labels: (visible) => fleetLabels(fleet, visible),
    home: (request, visible) => fleetHome(fleet, request, visible, now()),
    findings: (request, visible) => fleetFindings(fleet, request, visible, now()),
    finding: (id, visible) => fleetFinding(fleet, id, visible, now()),
    markFinding: (id, request, projects, by) => markFleetFinding(fleet, id, request, { ...projects, now: now(), by }),
  };
}

async function sessionCount(fleet: Fleet, visible: Projects): Promise<number> {
  const [row] = await fleet.ask(
    () =>
      fleet.sql<{ n: number }[]>`SELECT coalesce(sum(n), 0)::int AS n FROM ${keptValues(fleet, { visible }, "all")}`,
  );
  return row!.n;
}
