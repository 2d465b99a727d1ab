// A person chooses a share of the load line; a session that passes it while it runs is said on the page that is open.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { sampleId, sampleLines, writeSample, type SampleCall } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

test.use({ wishes: {} });

const call = (prompt: number): SampleCall => ({ tool: "Bash", input: { command: "ls" }, output: "gull", prompt });

test("a running session that passes the share is said, and the way to what filled it", async ({ page, server }) => {
  const begun = { id: sampleId(7301), prompt: "Chart the reef", calls: [call(9000), call(20_000)] };
  const path = writeSample(join(server.dir, "sources"), begun);
  await page.goto("/settings?tab=warnings");
  const field = page.getByLabel("Warn at", { exact: true });
  await field.fill("5");
  await expect(page.getByText("A whole number from 10 to 100, or nothing.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await field.fill("60");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect(page.getByRole("table", { name: "Sessions" })).toContainText("Chart the reef");

  const grown = sampleLines({ ...begun, calls: [...begun.calls, call(130_000)] });
  appendFileSync(path, grown.slice(sampleLines(begun).length).join(""));
  const warning = page.getByRole("status").filter({ hasText: "of its load line" });
  await expect(warning).toContainText(/Chart the reef is at \d\d % of its load line: 130,000 of [\d,]+ tokens\./);
  expect(await axeFindings(page)).toEqual([]);
  await warning.getByRole("link", { name: "See what filled it" }).click();
  await expect(page).toHaveURL(/\/sessions\/s_[0-9a-f]+\?tab=load/);
  await expect(warning).toBeHidden();
});

test("what is typed while a setting is saved stays", async ({ page }) => {
  await page.goto("/settings?tab=warnings");
  const field = page.getByLabel("Warn at", { exact: true });
  const save = page.getByRole("button", { name: "Save" });
  const answered = Promise.withResolvers<void>();
  await page.route("**/api/settings/warning", async (route) => {
    if (route.request().method() === "PUT") await answered.promise;
    await route.continue();
  });
  await field.fill("65");
  await save.click();
  await field.fill("75");
  answered.resolve();
  await expect(save).toBeEnabled();
  await expect(field).toHaveValue("75");
  await save.click();
  await expect(save).toBeDisabled();
  await page.reload();
  await expect(field).toHaveValue("75");

  await page.goto("/settings?tab=policy");
  const tail = page.getByRole("textbox").first();
  const typed = await tail.inputValue();
  const policyAnswered = Promise.withResolvers<void>();
  await page.route("**/api/settings/policy", async (route) => {
    if (route.request().method() === "PUT") await policyAnswered.promise;
    await route.continue();
  });
  await tail.fill(`${Number(typed) + 1}`);
  await page.getByRole("button", { name: "Save as the default" }).click();
  await tail.fill(`${Number(typed) + 2}`);
  policyAnswered.resolve();
  await expect(page.getByRole("button", { name: "Save as the default" })).toBeEnabled();
  await expect(tail).toHaveValue(`${Number(typed) + 2}`);
});
