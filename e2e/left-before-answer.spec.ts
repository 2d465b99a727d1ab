// A page that is left before its write is answered: the page that stands there then keeps its own address. Synthetic sessions.
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { idOf } from "./sampled.ts";
import { filler, sampleId, writeSample, type Sample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const session = (number: number, prompt: string): Sample => ({
  id: sampleId(number),
  prompt,
  calls: Array.from({ length: 4 }, (_, at) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/harbour/buoy-${at}.txt` },
    output: filler(2000 + at),
    prompt: 20_000 + at * 2000,
    ...(at < 3 && { then: `Paint buoy ${at + 1}` }),
  })),
});

/** From Compact… of one session to that of another, by links alone; then the write is answered. */
async function leaveWhile(page: Page, path: string, button: string): Promise<void> {
  const held = Promise.withResolvers<void>();
  const isWrite = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    if (route.request().postData()?.includes('"dryRun":true')) return route.fallback();
    const answer = await route.fetch();
    isWrite.resolve();
    await held.promise;
    await route.fulfill({ response: answer });
  });
  await page.getByRole("button", { name: button }).click();
  await isWrite.promise;
  await page.getByRole("link", { name: "Sessions" }).first().click();
  const table = page.getByRole("table", { name: "Sessions" });
  await table
    .getByRole("link", { name: /Paint the second pier/ })
    .first()
    .click();
  await page.getByRole("tab", { name: "Memory" }).click();
  await page
    .getByRole("link", { name: /Compact/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/compact/);
  await expect(page.getByRole("slider", { name: "Turns kept whole at the end" })).toBeVisible();
  const answered = page.waitForResponse(`**${path}`);
  held.resolve();
  await answered;
  await page.waitForTimeout(1000);
}

for (const { title, query, path, button } of [
  { title: "a plan", query: "?tail=1", path: "compactions", button: "Save as a plan" },
  { title: "a new file", query: "?show=fork", path: "carry-on", button: "Write the new session file" },
])
  test(`${title} that is written after its page was left does not show on another session`, async ({
    page,
    server,
  }) => {
    const projects = join(server.dir, "sources", "projects");
    const [first, second] = [session(94, "Paint the first pier"), session(95, "Paint the second pier")];
    for (const one of [first, second]) writeSample(projects, one);
    for (const one of [first, second])
      await expect.poll(async () => (await server.ask("GET", `/api/sessions/${idOf(one)}`)).status).toBe(200);
    await page.goto(`/sessions/${idOf(first)}/compact${query}`);
    await leaveWhile(page, `/api/sessions/${idOf(first)}/${path}`, button);
    await expect(page).toHaveURL(new RegExp(`/sessions/${idOf(second)}/compact`));
    await expect(page).not.toHaveURL(/done=|written=/);
    await expect(page.getByTestId("done")).toHaveCount(0);
  });
