// The page of a fleet for `npm run screenshots`: people with roles, on a node with a database of its own.
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { setRole } from "#lib/fleet/people/people-rows.ts";
import { startFleetNode } from "./fleet-test-node.ts";

const ROLES = [
  ["amara", "quay", "writer"],
  ["lin", "harbour-office", "admin"],
  ["lin", "mill", "reader"],
  ["lin", "pier", "reader"],
  ["lin", "quay", "reader"],
  ["lin", "shop", "reader"],
  ["noor", "harbour-office", "admin"],
  ["noor", "shop", "reader"],
  ["otto", "quay", "writer"],
  ["otto", "shop", "reader"],
  ["sven", "shop", "reader"],
] as const;

/** The file of the picture that was made. */
export async function shootFleet(browser: Browser, out: string): Promise<string> {
  const node = await startFleetNode();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  try {
    for (const [person, project, role] of ROLES) await setRole(node.fleet, `${person}@example.com`, project, role);
    await node.signIn(context, "rita");
    await node.signIn(context, "ann");
    const page = await context.newPage();
    await page.goto(`${node.server.url}/fleet`);
    await page.getByRole("table", { name: "People" }).waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(800);
    await page.locator("main time").evaluateAll((times) => {
      for (const time of times) time.textContent = "just now";
    });
    const path = join(out, "fleet-people-light.png");
    await page.screenshot({ path });
    return path;
  } finally {
    await context.close();
    await node.stop();
  }
}
