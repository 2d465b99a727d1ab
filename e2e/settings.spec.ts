import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import { holdScripts } from "./hold-scripts.ts";
import { pressShortcut } from "./press-shortcut.ts";

const test = heldTest();

test("a preset is picked, explained and saved as the archive's default", async ({ page, server }) => {
  await page.goto("/settings");
  await expect(page.getByText("An output over 8,000 bytes (1\u2009% of a 200,000-token window")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save as the default" })).toBeDisabled();
  await page.getByRole("radio", { name: /agentium/ }).check();
  await expect(page.getByText("An output over 51,200 bytes is stored")).toBeVisible();
  await page.getByLabel("Fixed limit", { exact: true }).fill("60000");
  await expect(page.getByText("changed", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Save as the default" }).click();
  await expect(page.getByRole("row", { name: /agentium/ })).toContainText("default");
  const saved = async () => (await (await server.ask("GET", "/api/settings/policy")).json()) as Record<string, unknown>;
  expect(await saved()).toMatchObject({ policy: { preset: "agentium", max_bytes: 60_000 }, changed: ["max_bytes"] });
  await page.reload();
  await expect(page.getByRole("radio", { name: /agentium/ })).toBeChecked();
  // A click that comes before the page is alive is lost.
  await expect(async () => {
    await page.getByRole("button", { name: "Back to plimsoll" }).click({ timeout: 1500 });
    await expect(page.getByRole("radio", { name: /plimsoll/ })).toBeChecked({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  expect(await saved()).toMatchObject({ policy: { preset: "plimsoll" }, isSet: false });
});

test("over a policy that somebody else saved meanwhile nothing is saved before it was seen; what was typed stays", async ({
  page,
  server,
}) => {
  // What the page compares with is what it read last.
  const read = page.waitForResponse((response) => response.url().endsWith("/api/settings/policy"));
  await page.goto("/settings");
  await read;
  await page.getByLabel("Fixed limit", { exact: true }).fill("60000");
  const { policy } = (await (await server.ask("GET", "/api/settings/policy")).json()) as { policy: object };
  const theirs = { policy: { ...policy, min_threshold_bytes: 5000 }, seen: policy };
  expect((await server.ask("PUT", "/api/settings/policy", theirs)).status).toBe(200);
  await page.getByRole("button", { name: "Save as the default" }).click();
  await expect(page.getByText("changed meanwhile")).toBeVisible();
  await expect(page.getByLabel("Floor", { exact: true })).toHaveValue("5000");
  await expect(page.getByLabel("Fixed limit", { exact: true })).toHaveValue("60000");
  await page.getByRole("button", { name: "Save as the default" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByLabel("Fixed limit", { exact: true })).toHaveValue("60000");
  const saved = (await (await server.ask("GET", "/api/settings/policy")).json()) as object;
  expect(saved).toMatchObject({ policy: { min_threshold_bytes: 5000, max_bytes: 60_000 } });
});

test("what is typed before the page is alive, or while it is saved, stays", async ({ page, server }) => {
  const release = await holdScripts(page);
  await page.goto("/settings", { waitUntil: "commit" });
  const limit = page.getByLabel("Fixed limit", { exact: true });
  await limit.fill("70000");
  release();
  await expect(page.getByText("An output over 70,000 bytes")).toBeVisible();
  await page.getByLabel("Preview", { exact: true }).fill("900");
  await page.route("**/api/settings/policy", async (route) => {
    if (route.request().method() === "PUT") await page.getByLabel("Window", { exact: true }).fill("90000");
    await route.continue();
  });
  await page.getByRole("button", { name: "Save as the default" }).click();
  await expect(page.getByRole("button", { name: "Back to plimsoll" })).toBeVisible();
  await expect(limit).toHaveValue("70000");
  await expect(page.getByLabel("Window", { exact: true })).toHaveValue("90000");
  await page.getByRole("button", { name: "Save as the default" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  const saved = (await (await server.ask("GET", "/api/settings/policy")).json()) as object;
  expect(saved).toMatchObject({ policy: { max_bytes: 70_000, preview_chars: 900, context_window_tokens: 90_000 } });
});

test("a number that cannot be is refused beside its field, before it is sent", async ({ page }) => {
  await page.goto("/settings");
  await page.getByLabel("Floor", { exact: true }).fill("20000");
  await expect(page.getByText("is over max_threshold_bytes")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save as the default" })).toBeDisabled();
  await page.getByLabel("Floor", { exact: true }).fill("much");
  await expect(page.getByLabel("Floor", { exact: true })).toHaveAttribute("aria-invalid", "true");
});

test("retention shows what would go before anything does, and the sweep says what went", async ({ page }) => {
  await page.goto("/settings?tab=retention");
  await expect(page.getByText("No age or size limit")).toBeVisible();
  await page.getByLabel("Longest age").fill("30");
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview).toContainText(/4 artifacts of 1 session, \d+ kB on the disk/);
  await expect(preview).toContainText("once this is saved");
  await expect(preview.getByRole("link", { name: "Who is double-booked at the fuel pier?" })).toBeVisible();
  await page.getByLabel("Named artifacts stay").uncheck();
  await expect(preview).toContainText("6 artifacts");
  await page.getByLabel("Named artifacts stay").check();
  await expect(page.getByRole("button", { name: "Sweep now…" })).toBeDisabled();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(preview).toContainText("with the next sweep");
  await page.getByRole("button", { name: "Sweep now…" }).click();
  const dialog = page.getByRole("dialog", { name: "Sweep now?" });
  await expect(dialog).toContainText("4 artifacts of 1 session end");
  await dialog.getByRole("button", { name: "Sweep" }).click();
  // The sample was written under a clock of months ago: nothing goes until somebody says that today's is right.
  await expect(page.getByText(/^Nothing had to go\. The clock is [\d,]+ days ahead/)).toBeVisible();
  await page.getByRole("button", { name: "Trust clock, sweep" }).click();
  await expect(page.getByText(/4 artifacts ended/)).toBeVisible();
  await expect(page.getByText("4 swept")).toBeVisible();
});

test("a size that is none is said beside its field", async ({ page }) => {
  await page.goto("/settings?tab=retention");
  await page.getByLabel("Most bytes").fill("a lot");
  await expect(page.getByText("A size such as 500 MB or 20 GB.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
});

test("a token is shown once, works, and is refused from the moment that it is revoked", async ({ page, server }) => {
  await page.goto("/settings?tab=tokens");
  await expect(page.getByText("No tokens yet")).toBeVisible();
  await page.getByLabel("Name").fill("harbour agent");
  await page.getByRole("button", { name: "Create token" }).click();
  const made = page.getByRole("region", { name: "The new token" });
  const token = (await made.locator("code").textContent()) ?? "";
  expect(token).toMatch(/^plm_[\w-]{43}$/);
  const status = async () =>
    (await fetch(`${server.url}/api/sessions`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  await page.reload();
  await expect(page.getByText(token)).toHaveCount(0);
  const row = page.getByRole("table", { name: "Tokens" }).getByRole("row", { name: /harbour agent/ });
  await expect(row).toContainText("write");
  await row.getByRole("button", { name: "Revoke…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(row).toContainText("revoked");
  expect(await status()).toBe(401);
});

test("About says which archive this is, what it holds, and where the limits are", async ({ page, server }) => {
  await page.goto("/settings?tab=about");
  const about = page.getByRole("region", { name: "About" });
  await expect(about).toContainText(server.archive);
  await expect(about).toContainText("1 session");
  await expect(about).toContainText(/\d artifacts/);
  await expect(about).toContainText("docs/limits.md");
});

test("each setting of the policy says its effect and its default, in groups", async ({ page }) => {
  await page.goto("/settings");
  const sizes = page.getByRole("group", { name: "What is offloaded" });
  await expect(sizes.getByLabel("Floor", { exact: true })).toHaveAccessibleDescription(/Default: 4,096 bytes\./);
  await expect(
    page.getByRole("group", { name: "Tools and expiry" }).getByLabel("Expires after"),
  ).toHaveAccessibleDescription(/Default: none\./);
});

test("the keyboard goes there, and the section is in the URL", async ({ page }) => {
  await page.goto("/artifacts");
  await pressShortcut(page, "g-e");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Settings");
  await page.getByRole("button", { name: "Tokens for agents" }).click();
  await expect(page).toHaveURL(/tab=tokens/);
  await page.goBack();
  await expect(page).not.toHaveURL(/tab=/);
});

test("axe finds nothing serious in any section, light and dark", async ({ page }) => {
  for (const tab of ["policy", "models", "calibration", "summarizer", "retention", "tokens", "about"]) {
    await page.goto(`/settings?tab=${tab}`);
    await expect(page.getByRole("status").filter({ hasText: /^Loading/ })).toHaveCount(0);
    await page.waitForLoadState("networkidle");
    expect.soft(await axeFindings(page), tab).toEqual([]);
  }
});

for (const [tab, words] of [
  ["summarizer", "Compaction summarises old turns without a model."],
  ["calibration", "Measure"],
] as const)
  test(`what ${tab} shows stays when it cannot be read again`, async ({ page }) => {
    await page.clock.install();
    await page.goto(`/settings?tab=${tab}`);
    await expect(page.getByText(words).first()).toBeVisible();
    await page.route(`**/api/settings/${tab}`, (route) =>
      route.fulfill({ status: 503, json: { error: { code: "timeout", message: "The database did not answer." } } }),
    );
    const refused: number[] = [];
    page.on("response", (response) => refused.push(response.status()));
    // A tab that slept reads again. Before the page is alive it hears of nothing.
    await expect(async () => {
      await page.clock.fastForward(60_000);
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
      await expect.poll(() => refused, { timeout: 1500 }).toContain(503);
    }).toPass({ timeout: 30_000 });
    await page.clock.runFor(1000);
    await expect(page.getByText(/could not be read/)).toHaveCount(0);
    await expect(page.getByText(words).first()).toBeVisible();
  });
