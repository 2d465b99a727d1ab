// What axe finds on a page that is serious or critical, in light and in dark.
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** The axe that the builder brings. */
const { source } = createRequire(import.meta.resolve("@axe-core/playwright"))("axe-core") as { source: string };

/** What a colour decides. Everything else of a page is the same in both themes, and axe takes as long for these two as for all others. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Serious and critical findings, each with its theme and its element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Once for both themes: left to itself, the builder sends and parses these 550 KB twice for each.
  await Promise.all(page.frames().map((frame) => frame.evaluate(source)));
  await show(page, "dark");
  const dark = await findings(page, "dark", (axe) => axe.withRules(COLOUR_RULES));
  await show(page, "light");
  return [...dark, ...(await findings(page, "light"))];
}

/** Changes the theme as the system does; what fades from one to the other is through at once. */
async function show(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // The editor takes its colours anew when it is told, and they are drawn with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function findings(page: Page, theme: string, narrow = (axe: AxeBuilder) => axe): Promise<string[]> {
  // Our pages frame nothing of another origin: "legacy" spares the blank page that axe opens to join frames (2 s of processor
  // time a call with a whole Chromium). Only violations are read; the nodes that pass are as many as the page has.
  const axe = new AxeBuilder({ page, axeSource: ";" }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await narrow(axe).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${theme}, ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
    );
}
