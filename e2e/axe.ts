// What axe finds on a page that is serious or critical.
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** Serious and critical findings, each with its element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Our pages frame nothing of another origin: "legacy" spares the blank page that axe opens to join frames (2 s of processor
  // time a call with a whole Chromium). Only violations are read; the nodes that pass are as many as the page has.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}
