// The page of a fleet: people, tokens, audit log and limits, as far as whoever signed in manages them.
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { listPeople, setRole } from "#lib/fleet/people/people-rows.ts";
import { listAudit } from "#lib/fleet/people/audit.ts";
import { testToken } from "#lib/fleet/testing-fleet.ts";
import { axeFindings } from "./axe.ts";
import { test, type FleetTestNode } from "./fleet-test-node.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { sideways } from "./sideways.ts";

/** As a sender does: without the cookie of this browser. */
async function sends({ server }: FleetTestNode, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ objects: [] });
  return (await fetch(`${server.url}/api/fleet/missing`, { method: "POST", headers, body })).status;
}

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test("an admin of the fleet adds a person, signs them in by a link, changes and takes their roles", async ({
  page,
  context,
  browser,
  node,
}) => {
  await node.signIn(context, "ann");
  await page.goto("/");
  await pressShortcut(page, "g-l");
  await expect(page.getByRole("heading", { name: "Fleet", level: 1 })).toBeVisible();
  await expect(rowOf(page, "bob@example.com")).toContainText("shop admin");
  const form = page.getByRole("form", { name: "Add a person" });
  await form.getByLabel("E-mail address").fill("Mary@Example.com");
  await form.getByLabel("Project").fill("Quay");
  await expect(form.getByText("a letter or digit first")).toBeVisible();
  await form.getByLabel("Project").fill("quay");
  await form.getByLabel("Role").selectOption("writer");
  await form.getByRole("button", { name: "Add person" }).click();
  await expect(page.getByText("mary@example.com is writer of quay.")).toBeVisible();
  await expect(rowOf(page, "mary@example.com")).toContainText("quay writer");

  await page.getByRole("region", { name: "Added" }).getByRole("button", { name: "Sign-in link…" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByRole("region", { name: "The link" }).locator("code").textContent();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/link\?token=[\w-]{43}$/);
  await page.getByRole("button", { name: "Done" }).click();
  const hers = await (await browser.newContext()).newPage();
  await hers.goto(link!);
  await expect(hers.getByRole("link", { name: "Account: mary@example.com" })).toBeVisible();
  await hers.context().close();

  await testToken(node.fleet, { project: "quay", name: "ferry", person: "mary@example.com" });
  await page.reload();
  await rowOf(page, "mary@example.com").getByRole("button", { name: "Roles…" }).click();
  const roles = page.getByRole("dialog", { name: "Roles" });
  await expect(roles.getByRole("button", { name: "Save" })).toBeDisabled();
  await roles.getByLabel("quay").selectOption("no role");
  await expect(roles.getByText("These tokens in their name end: ferry. Senders that use one stop.")).toBeVisible();
  await roles.getByLabel("Another project").fill("shop");
  // A project that was typed is not left out without a word.
  await expect(roles.getByRole("button", { name: "Save" })).toBeDisabled();
  await roles.getByRole("button", { name: "Add as reader" }).click();
  expect(await axeFindings(page)).toEqual([]);
  await roles.getByRole("button", { name: "Save" }).click();
  await expect(rowOf(page, "mary@example.com")).toContainText("shop reader");
  const mary = async () => (await listPeople(node.fleet)).find(({ email }) => email === "mary@example.com");
  expect((await mary())?.roles).toEqual({ shop: "reader" });

  const { token } = await testToken(node.fleet, { project: "shop", name: "mary's laptop", person: "mary@example.com" });
  await page.reload();
  await rowOf(page, "mary@example.com").getByRole("button", { name: "Remove…" }).click();
  const question = page.getByRole("dialog", { name: "Remove this person?" });
  await expect(question).toContainText("roles: shop reader");
  await expect(question).toContainText("tokens in their name: mary's laptop");
  await expect(question).toContainText("Senders that use one of these tokens stop until they have another.");
  await expect(question.getByRole("button", { name: "Keep them" })).toBeFocused();
  await question.getByRole("button", { name: "Remove", exact: true }).click();
  // No row has a role while a dialog is over the page: the answer is there once it has gone.
  await expect(question).toHaveCount(0);
  await expect(rowOf(page, "mary@example.com")).toHaveCount(0);
  expect(await mary()).toBe(undefined);
  const rows = await listAudit(node.fleet, { visible: "all", limit: 5, action: "person" });
  expect(rows.map(({ who, detail }) => [who, detail])).toEqual(
    ["removed, with 1 token", "reader", "no role, with 1 token", "sign-in link", "writer"].map((what) => [
      ...["person:ann@example.com", `mary@example.com: ${what}`],
    ]),
  );
  await expect.poll(() => sends(node, token)).toBe(401);
  await page.goto("/fleet?tab=audit&action=token");
  await expect(rowOf(page, "mary's laptop")).toContainText("changed tokens");
  await expect(page.getByRole("row").filter({ hasText: "changed access" })).toHaveCount(0);
});

test("the last admin of the fleet stays, and the page says why", async ({ page, context, node }) => {
  await node.signIn(context, "ann");
  await page.goto("/fleet");
  await rowOf(page, "ann@example.com").getByRole("button", { name: "Roles…" }).click();
  await page.getByLabel("Another project").fill("quay");
  await page.getByRole("button", { name: "Add as reader" }).click();
  await page.getByLabel("Admin of the fleet").uncheck();
  await expect(page.getByText("This is your own role")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("ann@example.com is the last admin of the fleet.")).toBeVisible();
  // The other role was given before: nothing of it is left to save.
  await page.getByLabel("Admin of the fleet").check();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await setRole(node.fleet, "ann@example.com", "quay", null);
});

test("a token is shown once, with the command that sends, and is refused once it is revoked", async ({
  page,
  context,
  node,
}) => {
  await node.signIn(context, "ann");
  await page.goto("/fleet?tab=tokens");
  const form = page.getByRole("form", { name: "New token" });
  await form.getByLabel("Name").fill("build server");
  await form.getByLabel("Project", { exact: true }).fill("shop");
  await form.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("region", { name: "The new token" });
  const token = (await shown.locator("code").first().textContent())!;
  expect(token).toMatch(/^plf_[\w-]{43}$/);
  await expect(shown.locator("pre")).toHaveText(
    `export PLIMSOLL_SEND_TOKEN=${token}\nnpx plimsoll send --to ${node.server.url} --dry-run`,
  );
  expect(await sends(node, token)).toBe(200);
  expect(await axeFindings(page)).toEqual([]);
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(token)).toHaveCount(0);
  const row = rowOf(page, "build server");
  await expect(row).toContainText("shop");
  await row.getByRole("button", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: /^Revoked and expired/ }).click();
  await expect(row).toContainText("revoked");
  await expect.poll(() => sends(node, token)).toBe(401);
});

test("the log is narrowed by its address, paged, and saved", async ({ page, context, node }) => {
  const { sql } = node.fleet;
  await sql`INSERT INTO audit (project, at, who, action, address, detail)
    SELECT 'pier', now() - n * interval '1 hour', 'person:zoe@example.com', CASE WHEN n = 7 THEN 'delete' ELSE 'read' END, '10.0.0.7', 'row ' || n
    FROM generate_series(1, 130) n`;
  await node.signIn(context, "ann");
  await page.goto("/fleet?tab=audit&who=ZOE");
  await expect(page.getByText("100 rows so far.")).toBeVisible();
  await page.getByRole("button", { name: "Show older" }).click();
  await expect(page.getByText("130 rows, all of them.")).toBeVisible();
  await page.getByRole("button", { name: /^Action/ }).click();
  await page.getByRole("menuitemcheckbox", { name: "deleted" }).click();
  await expect(page).toHaveURL(/action=delete/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row").last()).toContainText("row 7");
  expect(await axeFindings(page)).toEqual([]);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = readFileSync((await (await saved).path())!, "utf8");
  expect(text).toMatch(
    /^at,who,action,project,session,address,detail\r\n\S+,person:zoe@example\.com,delete,pier,,10\.0\.0\.7,row 7\r\n$/,
  );
  await page.goto("/fleet?tab=audit&who=zoe&project=shop");
  await expect(page.getByText("No rows for these filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect(page).toHaveURL(/\/fleet\?tab=audit$/);
});

test("limits are tried before they are set, and what was deleted comes back", async ({ page, context, node }) => {
  const { sql } = node.fleet;
  await sql`INSERT INTO deleted_families (project, family, deleted_by, reason, bytes, body, deleted_at)
    VALUES ('shop', 's_00000000000000bb', 'person:ann@example.com', 'leaked', 4096, '{}', '2026-05-04')`;
  await node.signIn(context, "bob");
  await page.goto("/fleet?tab=retention");
  await expect(page.getByRole("heading", { name: "No limits yet" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Deleted" })).toContainText("leaked");
  const form = page.getByRole("form", { name: "Limits of a project" });
  await form.getByLabel("Longest age").fill("many");
  await expect(form.getByText("A whole number of days, at least 1.")).toBeVisible();
  await form.getByLabel("Longest age").fill("90");
  await form.getByLabel("Most bytes").fill("50 GB");
  await form.getByRole("button", { name: "Dry run…" }).click();
  const question = page.getByRole("dialog", { name: "Set these limits?" });
  await expect(question).toContainText("Nothing is over these limits now.");
  expect(await axeFindings(page)).toEqual([]);
  await question.getByRole("button", { name: "Set limits" }).click();
  await expect(page.getByRole("table", { name: "Limits" })).toContainText("90 days");
  expect(await sql`SELECT project, days, bytes FROM project_retention`).toMatchObject([{ project: "shop", days: 90 }]);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await expect(form.getByLabel("Project")).toBeFocused();
  await expect(form.getByLabel("Longest age")).toHaveValue("90");
  await page.getByRole("button", { name: "Remove…" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No limits yet" })).toBeVisible();
  await sql`DELETE FROM deleted_families WHERE family = 's_00000000000000bb'`;
});

test("an admin of one project sees and manages that project alone, and is refused nothing that is offered", async ({
  page,
  context,
  node,
}) => {
  await setRole(node.fleet, "eve@example.com", "quay", "admin");
  await node.signIn(context, "bob");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await page.goto("/fleet");
  await expect(page.getByText("Project shop.")).toBeVisible();
  await expect(rowOf(page, "rita@example.com")).toContainText("shop reader");
  await expect(page.getByText("eve@example.com")).toHaveCount(0);
  await expect(page.getByText("ann@example.com")).toHaveCount(0);
  for (const name of ["Sign-in link…", "Remove…"]) await expect(page.getByRole("button", { name })).toHaveCount(0);
  await expect(page.getByLabel("Role").getByRole("option")).toHaveText(["reader", "writer", "admin"]);
  await expect(page.getByLabel("Project", { exact: true }).getByRole("option")).toHaveText(["shop"]);
  await rowOf(page, "rita@example.com").getByRole("button", { name: "Roles…" }).click();
  const roles = page.getByRole("dialog", { name: "Roles" });
  await expect(roles.getByLabel("Admin of the fleet")).toHaveCount(0);
  await roles.getByLabel("shop").selectOption("writer");
  await roles.getByRole("button", { name: "Save" }).click();
  await expect(rowOf(page, "rita@example.com")).toContainText("shop writer");
  await setRole(node.fleet, "rita@example.com", "shop", "reader");
  for (const name of ["Tokens", "Audit log", "Retention"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
    await expect(page.locator("[role=alert]:not(:empty)")).toHaveCount(0);
    await expect(page.getByLabel("All projects")).toHaveCount(0);
  }
  expect(refused).toEqual([]);
});

test("who manages nothing is not offered the page, and a link to it says whom to ask", async ({
  page,
  context,
  node,
}) => {
  await node.signIn(context, "rita");
  await page.goto("/fleet");
  await expect(page.getByText("You manage none of this fleet’s projects.")).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Pages" }).getByText("Fleet")).toHaveCount(0);
});

test("on a narrow screen each section has its words and actions, and nothing sideways", async ({
  page,
  context,
  node,
}) => {
  await node.signIn(context, "ann");
  for (const tab of ["people", "tokens", "audit", "retention"]) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/fleet?tab=${tab}`);
    await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
    expect(await sideways(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 768 });
    expect(await sideways(page)).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
  }
});
