// A session that is removed elsewhere, in another tab or by the command line: a page that shows it says so. Synthetic.
import { join } from "node:path";
import { idOf } from "./sampled.ts";
import { filler, sampleId, writeSample, type Sample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const session = (number: number, prompt: string): Sample => ({
  id: sampleId(number),
  prompt,
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/pier.txt" }, output: filler(300), prompt: 9000 }],
});

for (const [by, number] of [
  ["a tab", 97],
  ["the command line", 98],
] as const)
  test(`a session that ${by} removed leaves the pages that show it`, async ({ page, context, server }) => {
    const sample = session(number, `Mend the pier of ${by}`);
    writeSample(join(server.dir, "sources", "projects"), sample);
    const id = idOf(sample);
    await expect.poll(async () => (await server.ask("GET", `/api/sessions/${id}`)).status).toBe(200);
    await page.goto(`/sessions/${id}`);
    await expect(page.getByRole("tab", { name: "Transcript" })).toBeVisible();
    const list = await context.newPage();
    await list.goto("/");
    const row = list.getByRole("table", { name: "Sessions" }).getByRole("link", { name: sample.prompt });
    await expect(row).toBeVisible();
    const answer =
      by === "a tab"
        ? await server.ask("DELETE", `/api/sessions/${id}`)
        : await server.ask("POST", "/api/commands/remove", { session: id });
    expect(answer.status).toBe(200);
    await expect(row).toHaveCount(0);
    await expect(page.getByText("This session cannot be shown")).toBeVisible();
  });
