"use client";
import { useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { useManages, type Managed } from "../ui/access-context.ts";
import { PageHead } from "../ui/page-head.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { AuditTab } from "./audit-tab.tsx";
import { fleetTabParsers, type FleetTab } from "./fleet-state.ts";
import { FleetTokensTab } from "./fleet-tokens-tab.tsx";
import { LimitsTab } from "./limits-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";

const TABS: readonly { value: FleetTab; label: string; says: string }[] = [
  { value: "people", label: "People", says: "Who may sign in, and what they may do." },
  { value: "tokens", label: "Tokens", says: "What senders, scripts and agents sign in with." },
  { value: "audit", label: "Audit log", says: "Who read other people’s sessions, and who deleted or changed what." },
  { value: "retention", label: "Retention", says: "What projects keep, and what was deleted." },
];

const PANELS: Readonly<Record<FleetTab, () => ReactNode>> = {
  people: PeopleTab,
  tokens: FleetTokensTab,
  audit: AuditTab,
  retention: LimitsTab,
};

/** People, tokens, audit log and limits of a fleet, as far as whoever looks manages them. */
export function FleetPage() {
  const [{ tab }, choose] = useQueryStates(fleetTabParsers, { history: "push" });
  const manages = useManages();
  const Panel = PANELS[tab];
  return (
    <>
      <PageHead title="Fleet">
        {TABS.find(({ value }) => value === tab)?.says} <Within managed={manages} />
      </PageHead>
      <div className="flex-none border-b border-line px-6 pt-4 pb-3 max-md:px-4">
        <Segmented label="Section" value={tab} options={TABS} onPick={(next) => void choose({ tab: next })} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 max-md:px-4">
        <Panel />
      </div>
    </>
  );
}

const SHOWN = 5;

/** Whose page it is: of the whole fleet, or of their own projects. */
function Within({ managed }: { managed: Managed }) {
  if (managed === "all") return "All projects.";
  const names = managed.toSorted();
  return (
    <>
      {names.length === 1 ? "Project" : "Projects"} <SafeText text={names.slice(0, SHOWN).join(", ")} />
      {names.length > SHOWN && ` and ${names.length - SHOWN} more`}.
    </>
  );
}
