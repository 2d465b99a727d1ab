// A session that goes on while its compaction is looked at: what is kept is what was shown and edited. Synthetic.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { idOf } from "./sampled.ts";
import { filler, sampleId, sampleLines, writeSample, type Sample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const session = (number: number, turns: number): Sample => ({
  id: sampleId(number),
  prompt: "Count the berths of turn 0",
  calls: Array.from({ length: turns }, (_, at) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/harbour/berth-${at}.txt` },
    output: filler(3000 + at),
    prompt: 20_000 + at * 2000,
    ...(at < turns - 1 && { then: `Count the berths of turn ${at + 1}` }),
  })),
});

type Plan = { readonly events: readonly [number, number]; readonly summary: string };

test("an edited summary stands for the turns that it was edited for, though the session went on", async ({
  page,
  server,
}) => {
  const projects = join(server.dir, "sources", "projects");
  const path = writeSample(projects, session(91, 5));
  const id = idOf(session(91, 5));
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${id}`)).status).toBe(200);
  await page.goto(`/sessions/${id}/compact?tail=1&view=edit`);
  const editor = page.getByTestId("summary-editor");
  const lines = editor.getByRole("textbox");
  await expect(lines.first()).toHaveValue(/turns 1–4/);
  await lines.nth(1).fill("## What I was asked");
  await lines.nth(1).press("Tab");
  await expect(editor.getByText("edited")).toHaveCount(1);

  // Two turns more: the fifth and the sixth are no longer the last.
  const all = sampleLines(session(91, 7));
  appendFileSync(path, all.slice(readFileSync(path, "utf8").trimEnd().split("\n").length).join(""));
  await expect
    .poll(async () => (await (await server.ask("GET", `/api/sessions/${id}`)).json()) as unknown)
    .toMatchObject({ turns: 7 });
  await page.waitForTimeout(1000);
  await page.getByRole("button", { name: "Save as a plan" }).click();
  await expect(page.getByTestId("done")).toContainText("Saved as a plan");
  const memory = (await (await server.ask("GET", `/api/sessions/${id}/memory`)).json()) as { compactions: Plan[] };
  const [plan] = memory.compactions;
  expect(plan!.summary).toContain("turns 1–4");
  expect(plan!.summary).toContain(`events 1–${plan!.events[1]}`);
});
