"use client";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useRunsServer } from "../ui/access-context.ts";
import { Empty } from "../ui/empty.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { AboutTab } from "./about-tab.tsx";
import { BudgetsTab } from "./budgets-tab.tsx";
import { CalibrationTab } from "./calibration-tab.tsx";
import { ModelsTab } from "./models-tab.tsx";
import { PolicyTab } from "./policy-tab.tsx";
import { RetentionTab } from "./retention-tab.tsx";
import { SummarizerTab } from "./summarizer-tab.tsx";
import { TokensTab } from "./tokens-tab.tsx";
import { WarningsTab } from "./warnings-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { parseAsStringLiteral } from "nuqs/server";
import type { ReactNode } from "react";

// What the reader chose on the settings page, as it stands in the URL.
const SECTIONS = [
  ...(["policy", "models", "calibration", "summarizer", "retention"] as const),
  ...(["warnings", "budgets", "webhooks", "tokens", "about"] as const),
] as const;
type Section = (typeof SECTIONS)[number];

const sectionParsers = { tab: parseAsStringLiteral(SECTIONS).withDefault("policy") };

const TABS: readonly { value: Section; label: string; says: string }[] = [
  { value: "policy", label: "Offload policy", says: "When a tool output goes to the store instead of the context." },
  { value: "models", label: "Models", says: "What a model can hold and what it costs, and who says so." },
  { value: "calibration", label: "Calibration", says: "How wrong the estimates are, on your own sessions." },
  { value: "summarizer", label: "Summarizer", says: "Who writes the summary when a session is compacted." },
  { value: "retention", label: "Retention", says: "What stays, for how long, and what would go." },
  { value: "warnings", label: "Warnings", says: "When a page says that a running session is nearly full." },
  { value: "budgets", label: "Budgets", says: "What may be spent, and what was spent of it." },
  { value: "webhooks", label: "Webhooks", says: "Which addresses are sent what happens in sessions." },
  { value: "tokens", label: "Tokens for agents", says: "Who else may read and store here, and how much of it." },
  { value: "about", label: "About", says: "Where this archive is, and what it holds." },
];

export function SettingsPage({ archive }: { archive: string }) {
  const [{ tab }, choose] = useQueryStates(sectionParsers, { history: "push" });
  const runsServer = useRunsServer();
  return (
    <>
      <PageHead title="Settings">{TABS.find(({ value }) => value === tab)?.says}</PageHead>
      <div className="flex-none border-b border-line px-6 pt-4 pb-3 max-md:px-4">
        <Segmented label="Section" value={tab} options={TABS} onPick={(next) => void choose({ tab: next })} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 max-md:px-4">
        {tab === "policy" && <PolicyTab />}
        {tab === "models" && <ModelsTab />}
        {tab === "calibration" && <CalibrationTab />}
        {tab === "summarizer" && (runsServer ? <SummarizerTab /> : <OfOwnLink />)}
        {tab === "retention" && <RetentionTab />}
        {tab === "warnings" && <WarningsTab />}
        {tab === "budgets" && <BudgetsTab />}
        {tab === "webhooks" && <WebhooksTab />}
        {tab === "tokens" &&
          (runsServer ? (
            <TokensTab />
          ) : (
            <OfOwnLink>
              Tokens of the fleet are on{" "}
              <Link className="link underline" href="/fleet?tab=tokens">
                Fleet
              </Link>
              .
            </OfOwnLink>
          ))}
        {tab === "about" && <AboutTab archive={archive} />}
      </div>
    </>
  );
}

/** In place of what concerns the machine of a node: whoever signed in at the fleet does not set it up. */
function OfOwnLink({ children }: { children?: ReactNode }) {
  return (
    <Empty title="Of this node alone">
      Only a browser that opened the link which this node prints may see and change it. {children}
    </Empty>
  );
}
