// What could be given to the agent: a text to copy with its effect, for a session with one large output. The session is synthetic.
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

test("a limit is copied from Load, and its effect is said", async ({ page, context, server }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  writeSample(join(server.dir, "sources", "projects"), {
    id: sampleId(79),
    prompt: "Print the harbour log",
    calls: [9000, 9400, 29_800, 30_200].map((prompt, n) => ({
      tool: "Bash",
      input: { command: `cat log-${n}.txt` },
      output: filler(n === 1 ? 80_000 : 900),
      prompt,
    })),
  });
  await page.goto("/");
  const link = page.getByRole("link", { name: /Print the harbour log/ }).first();
  const href = (await link.getAttribute("href"))!.split("?")[0]!;
  await page.goto(`${href}?tab=load&panel=settings`);
  const settings = page.getByRole("region", { name: "Agent settings" });
  const limit = settings.getByRole("listitem").filter({ hasText: "Limit Bash output" });
  await expect(limit).toContainText(".claude/settings.json");
  await expect(limit).toContainText(/Peak 30,200 → ~1\d,\d{3} tokens, 2 smaller calls/);
  await expect(limit).toContainText("1 output of 3 exceeded 4,000 characters.");
  await limit.getByRole("button", { name: "Copy" }).click();
  await expect(limit.getByRole("button", { name: "Copied" })).toBeVisible();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as object;
  expect(copied).toEqual({ env: { BASH_MAX_OUTPUT_LENGTH: "4000" } });
  expect(await axeFindings(page)).toEqual([]);
});
