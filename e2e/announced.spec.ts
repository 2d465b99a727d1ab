// What a screen reader says: the answer to a search or a filter, once, in a region that was there before its words; and not each step
// on the way to it.
import { expect, type Page } from "@playwright/test";
import { shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const sample = (n: number, prompt: string): Sample => ({
  id: sampleId(n),
  prompt,
  calls: [
    {
      tool: "Read",
      input: { file_path: `/home/sailor/hold-${n}.csv` },
      output: `crate,kg\n${Array.from({ length: 4000 }, (_, at) => `${at},${at % 7}`).join("\n")}`,
      prompt: 30_000,
    },
    { tool: "Bash", input: { command: "ls" }, output: filler(3000), prompt: 60_000 },
  ],
});
const HOLD = sample(81, "Find why the hold is full");
const KEEL = sample(82, "Scrape the keel");
const test = sampled([HOLD, KEEL]);

/** Collects what live regions say from now on: words that came into a region that stood there already. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    const isLive = (element: Element | null): Element | null => {
      const region = element?.closest("output, [role=status], [role=alert], [aria-live]") ?? null;
      if (region === null) return null;
      const live = region.getAttribute("aria-live") ?? "polite";
      return live === "off" ? null : region;
    };
    const observer = new MutationObserver((records) => {
      const regions = new Set(
        records.flatMap(({ target }) => {
          const region = isLive(target instanceof Element ? target : target.parentElement);
          return region === null ? [] : [region];
        }),
      );
      for (const region of regions) {
        const text = (region.textContent ?? "").trim();
        if (text !== "") heard.push(text);
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

test("a search of the sessions says once what it found, and its field keeps its name", async ({ page }) => {
  await page.goto("/");
  await shortcutHolds(page, "/");
  const field = page.getByLabel("Search in all sessions", { exact: true });
  const heard = await listen(page);
  await field.fill("keel");
  await expect(page.getByLabel("Found")).toHaveText("1 session, 1 hit");
  await expect(field).toBeVisible();
  // Not "2 sessions" of the list before.
  expect((await heard()).filter((text) => /^\d+ sessions?\b/u.test(text))).toEqual(["1 session, 1 hit"]);
});

test("the search page, findings and usage say what a choice comes to", async ({ page }) => {
  await page.goto("/search?q=zzzz");
  await expect(page.getByText("Nothing found")).toBeVisible();
  const heard = await listen(page);
  await page.getByLabel("Search everything", { exact: true }).fill("keel");
  await expect.poll(heard).toContainEqual(expect.stringMatching(/^\d+ match(es)? in 1 session/u));
  await page.goto("/findings");
  await shortcutHolds(page, "g-s");
  const heardOfFindings = await listen(page);
  await page.getByRole("button", { name: "Muted" }).click();
  await expect.poll(heardOfFindings).toContainEqual("No findings.");
});

test("reading a table and searching bytes say what came of it, not each step", async ({ page, server }) => {
  const answer = await server.ask("GET", `/api/artifacts?session=${idOf(HOLD)}`);
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string; contentType: string }[] };
  const csv = artifacts.find(({ contentType }) => contentType === "text/csv")!;
  await page.goto(`/artifacts/${encodeURIComponent(csv.pointer)}?view=table`);
  const foot = page.locator("output", { hasText: "4,000 rows, 2 columns" });
  await expect(foot).toHaveAttribute("aria-live", "polite");
  expect(await page.locator("output", { hasText: /^Reading/u }).count()).toBe(0);
});
