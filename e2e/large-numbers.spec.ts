// Artifacts whose figures have seven digits. Synthetic.
import { expect } from "@playwright/test";
import { sampleId, type Sample } from "./sample-sessions.ts";
import { sampled } from "./sampled.ts";

const output = Array.from({ length: 200_000 }, (_, at) => `fathom ${at} of the log`).join("\n");
const LOG: Sample = {
  id: sampleId(94),
  prompt: "Read the whole log",
  calls: [{ tool: "Bash", input: { command: "cat log" }, output, prompt: 120_000 }],
};
const test = sampled([LOG]);

test("lines and tokens of a large output are whole numbers, not cut", async ({ page }) => {
  await page.goto("/artifacts");
  const row = page.getByRole("row", { name: /Read the whole log/ });
  await expect(row).toContainText("200,000");
  await expect(row).toContainText(/~1,\d{3},\d{3}/);
  const cut = await row.evaluate((element) =>
    [...element.querySelectorAll("td")].flatMap((cell) =>
      /^~?[\d,]+/.test(cell.innerText) && cell.scrollWidth > cell.clientWidth ? [cell.innerText] : [],
    ),
  );
  expect(cut).toEqual([]);
});
