"use client";
// Why an output was stored, and what each preset would have done with it.
import { PRESETS } from "#lib/kernel/artifacts/offload-presets.ts";
import type { ArtifactHistory, PresetVerdict } from "#lib/wire/artifact-history-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AsideSection } from "./aside-section.tsx";

type DecisionProps = {
  decision: ArtifactHistory["decision"];
  presets: readonly PresetVerdict[];
  origin: "imported" | "auto" | "manual" | "upload" | "migrated";
};

const HOW: Record<DecisionProps["origin"], string> = {
  imported: "Imported: every output over 4,096 bytes is stored. No policy decided.",
  auto: "A tool returned it. It stayed in the context and is stored because it is large.",
  manual: "An agent or a person stored it on purpose.",
  upload: "A person uploaded it.",
  migrated: "Moved out of another agent's transcript.",
};

export function Decision({ decision, presets, origin }: DecisionProps) {
  return (
    <AsideSection
      title="Decision"
      hint={decision === null ? undefined : decision.preset === null ? "a policy of its own" : decision.preset}
    >
      {decision === null ? (
        <p>{HOW[origin]}</p>
      ) : (
        <p>
          {decision.status === "failed" && (
            <>
              <Badge tone="error">failed</Badge>{" "}
            </>
          )}
          <SafeText text={decision.reason} />
        </p>
      )}
      <details className="mt-1">
        <summary className="cursor-pointer text-ink-3 hover:text-ink">
          {decision === null ? "What each preset would have done" : "What the other presets would have done"}
        </summary>
        <table className="mt-1 w-full table-fixed border-separate border-spacing-0">
          <caption className="sr-only">Presets</caption>
          <thead>
            <tr className="text-ink-3 [&>th]:border-b [&>th]:border-line-strong [&>th]:pb-0.5 [&>th]:font-medium">
              <th scope="col" className="w-34 text-left">
                Preset
              </th>
              <th scope="col" className="text-left">
                Does
              </th>
              <th scope="col" className="w-24 text-right">
                Limit, bytes
              </th>
            </tr>
          </thead>
          <tbody>
            {presets
              .filter(({ preset }) => decision === null || preset !== decision.preset)
              .map((verdict) => (
                <tr
                  key={verdict.preset}
                  title={verdict.reason}
                  className="hover:bg-sunk [&>td]:border-b [&>td]:border-line"
                >
                  <td className="py-0.5 text-ink">{verdict.preset}</td>
                  <td>{DOES[verdict.action]}</td>
                  <td className="num">
                    <Limit verdict={verdict} />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </AsideSection>
  );
}

function Limit({ verdict: { preset, gate, thresholdBytes, reason } }: { verdict: PresetVerdict }) {
  const { max_chars } = PRESETS[preset];
  if (gate === "disabled" || gate === "always") return <Absent why={reason} />;
  if (max_chars !== null) return `${formatTokens(max_chars)} chars`;
  return thresholdBytes === null ? <Absent why={reason} /> : formatTokens(thresholdBytes);
}

const DOES: Record<PresetVerdict["action"], string> = {
  inline: "keeps in context",
  artifact: "stores it",
  truncate: "cuts it",
  drop: "drops it",
};
