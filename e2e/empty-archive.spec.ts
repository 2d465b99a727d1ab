// An archive without sessions: each page says what it will show and where to go, and offers nothing that can do nothing.
import { expect, test as base } from "./test-server.ts";

// A server of its own: that of all files that name none has what they imported.
const test = base.extend({ wishes: [{}, { scope: "worker" }] });

const PAGES = [
  ["/search", "No sessions yet"],
  ["/usage", "No sessions yet"],
  ["/usage?period=blocks", "No sessions yet"],
  ["/findings", "No sessions yet"],
  ["/artifacts", "No artifacts yet"],
  ["/playground", "No input chosen"],
] as const;

for (const [path, title] of PAGES)
  test(`${path} leads to where sessions are added`, async ({ page }) => {
    await page.goto(path);
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { name: title })).toBeVisible();
    if (path !== "/playground") {
      await expect(main.getByRole("group")).toHaveCount(0);
      await expect(main.locator("[aria-haspopup], button[disabled]")).toHaveCount(0);
    }
    await main.getByRole("link", { name: "Add sessions" }).click();
    await expect(page.getByRole("button", { name: "Load the demo" })).toBeVisible();
  });

test("the list of sessions has no filter and no search before the first session", async ({ page }) => {
  await page.goto("/");
  const main = page.getByRole("main");
  await expect(main.getByRole("button", { name: "Load the demo" })).toBeVisible();
  await expect(main.getByRole("button")).toHaveText(["Import…", "Watch folder…", "Load the demo"]);
  await expect(main.getByRole("combobox")).toHaveCount(0);
});

test("Sources says what it will list, and has no filter before the first file", async ({ page }) => {
  await page.goto("/sources");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "No session files yet" })).toBeVisible();
  await expect(main.getByRole("searchbox")).toHaveCount(0);
  await expect(main.getByRole("group", { name: "What is listed" })).toHaveCount(0);
});

test("comparing says that nothing is there", async ({ page }) => {
  await page.goto("/artifacts/compare");
  await expect(page.getByText("No other artifact is stored yet.")).toHaveCount(2);
  await page.goto("/sessions/compare");
  await page.getByRole("link", { name: "Add sessions" }).first().click();
  await expect(page.getByRole("button", { name: "Load the demo" })).toBeVisible();
});
