// What somebody who signed in at a node of a fleet is shown of the node itself: all of it works for them, or says who may.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test as base, type BrowserContext } from "@playwright/test";
import { migrateFleet } from "#db/fleet/fleet-database.ts";
import { openFleet } from "#lib/fleet/open-fleet.ts";
import { setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink } from "#lib/fleet/people/sign-ins.ts";
import { startPostgres } from "../scripts/fleet/postgres.ts";
import { axeFindings } from "./axe.ts";
import { startServer, type TestServer } from "./test-server.ts";

type Node = { readonly server: TestServer; signIn(context: BrowserContext, person: string): Promise<void> };

const test = base.extend<object, { node: Node }>({
  node: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-node-"));
      // The database runs as a user of its own.
      chmodSync(dir, 0o755);
      const postgres = await startPostgres(join(dir, "database"));
      const address = { database: postgres.url, bucket: pathToFileURL(join(dir, "bucket")).href };
      const fleet = openFleet(address);
      await fleet.objects.ensure();
      await migrateFleet(fleet.sql);
      await setFleetAdmin(fleet, "ann@example.com", true);
      await setRole(fleet, "bob@example.com", "shop", "admin");
      await setRole(fleet, "rita@example.com", "shop", "reader");
      const server = await startServer({
        env: { PLIMSOLL_DATABASE: address.database, PLIMSOLL_BUCKET: address.bucket },
      });
      await use({
        server,
        async signIn(context, person) {
          const token = await createLink(fleet, `${person}@example.com`, 5);
          // As a browser opens it: what only looks behind a link does not use it up.
          const headers = { "sec-fetch-mode": "navigate" };
          await context.request.get(`${server.url}/sign-in/link?token=${token}`, { headers });
          await context.addCookies([{ name: "hints", value: "seen", url: server.url }]);
        },
      });
      await server.stop();
      await fleet.close();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  baseURL: async ({ node }, use) => use(node.server.url),
});

const TABS = [
  ...["Offload policy", "Models", "Calibration", "Summarizer", "Retention"],
  ...["Warnings", "Budgets", "Webhooks", "Tokens for agents", "About"],
];

test("an admin of the fleet is refused nothing that Settings and Sources show", async ({ page, context, node }) => {
  await node.signIn(context, "ann");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await page.goto("/settings");
  for (const name of TABS) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
    await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
    await expect(page.locator("[role=alert]:not(:empty)")).toHaveCount(0);
  }
  for (const [name, words] of [
    ["Summarizer", "Only a browser that opened the link which this node prints may see and change it."],
    ["Tokens for agents", "plimsoll fleet token"],
    ["Retention", "plimsoll fleet retention"],
    ["About", "The fleet’s database and bucket have everything."],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByText(words)).toBeVisible();
  }
  expect(await axeFindings(page)).toEqual([]);
  await page.goto("/sources");
  await expect(page.getByRole("button", { name: "Watch folder…" })).toBeVisible();
  await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Send to fleet…" })).toHaveCount(0);
  await expect(page.locator("[role=alert]:not(:empty)")).toHaveCount(0);
  expect(await axeFindings(page)).toEqual([]);
  // Completion asks as they type.
  await page.evaluate(
    (body) => fetch("/api/playground/probe", { method: "POST", body, headers: { "content-type": "application/json" } }),
    JSON.stringify({ program: ".", inputs: [] }),
  );
  expect(refused).toEqual([]);
});

test("the link that the node prints has all of it", async ({ page, context, node }) => {
  await node.server.signIn(context);
  await page.goto("/settings?tab=tokens");
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  await page.goto("/settings?tab=summarizer");
  await expect(page.getByText("You can choose a model instead.")).toBeVisible();
  await page.goto("/sources");
  await expect(page.getByRole("button", { name: "Send to fleet…" })).toBeVisible();
});

test("what a node refuses is not offered; a link to it says why, and can be taken back", async ({
  page,
  context,
  node,
}) => {
  await node.signIn(context, "rita");
  const filter = page.getByRole("button", { name: /^Deleted/ });
  const blocks = page.getByRole("button", { name: "5 hours" });
  await page.goto("/?q=mooring");
  await expect(page.getByRole("button", { name: "Has artifacts" })).toBeVisible();
  await expect(filter).toHaveCount(0);
  await page.goto("/?file=deleted");
  await expect(page.getByText("A fleet does not know which files their agents delete.")).toBeVisible();
  await expect(filter).toBeVisible();
  await page.goto("/usage");
  await expect(page.getByRole("button", { name: "Unused" })).toBeVisible();
  await expect(blocks).toHaveCount(0);
  await page.goto("/usage?period=blocks");
  await expect(page.getByText("A fleet has no five-hour blocks")).toBeVisible();
  await expect(blocks).toHaveAttribute("aria-pressed", "true");
});

for (const person of ["bob", "rita"])
  test(`${person}, of one project, is offered neither page, and shown who may`, async ({ page, context, node }) => {
    await node.signIn(context, person);
    await page.goto("/");
    await expect(page.getByRole("navigation", { name: "Pages" }).getByRole("link")).toHaveText([
      ...["Sessions", "Search", "Usage", "Findings", "Artifacts"],
    ]);
    for (const path of ["/settings", "/settings?tab=tokens", "/sources"]) {
      await page.goto(path);
      await expect(page.getByText("Only an admin of the fleet sees this page.")).toBeVisible();
    }
  });
