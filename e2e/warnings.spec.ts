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
