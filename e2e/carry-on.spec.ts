// A full session goes on in a new file: dry run, written, its command, the continuation with its first call, and no way back then.
// The session is synthetic.
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { axeFindings } from "./axe.ts";
import { firstCall } from "./first-call.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

test("a fork is written, goes on in its agent, and cannot be taken back then", async ({ page, server }) => {
  test.slow();
  const calls = Array.from({ length: 4 }, (_, n) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/harbour/log-${n}.txt` },
    output: filler(900 + n),
    prompt: 9000 + n * 4000,
  }));
  const old = writeSample(join(server.dir, "sources", "projects"), {
    id: sampleId(78),
    prompt: "Read the harbour logs",
    calls,
  });
  const before = readFileSync(old, "utf8");
  // The server may have served other tests before.
  const files = readdirSync(dirname(old));
  await page.goto("/");
  const link = page.getByRole("table", { name: "Sessions" }).getByRole("link", { name: /Read the harbour logs/ });
  const href = (await link.first().getAttribute("href"))!.split("?")[0]!;
  const write = page.getByRole("button", { name: "Write the new session file" });

  await page.goto(`${href}/compact?show=fork`);
  await expect(page.getByTestId("verdict")).toContainText("at the next call");
  await expect(page.getByRole("list", { name: "Warnings" })).toContainText("is untried");
  await page.getByLabel("Lines of the new file").getByRole("button", { expanded: false }).first().click();
  expect(await axeFindings(page)).toEqual([]);
  await write.click();
  await expect(page.getByTestId("resume-command")).toContainText("claude --resume");
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(page.getByText("Taken back.")).toBeVisible();
  expect(readdirSync(dirname(old))).toEqual(files);

  await page.getByRole("button", { name: "Plan another" }).click();
  await write.click();
  const command = await page.getByTestId("resume-command").textContent();
  const id = /--resume (\S+)/.exec(command!)![1]!;
  const made = join(dirname(old), `${id}.jsonl`);
  expect(existsSync(made)).toBe(true);
  await expect(page.getByRole("link", { name: "Open the continuation" })).toBeVisible({ timeout: 20_000 });
  appendFileSync(made, firstCall(made, id, 21_400));
  await expect(page.getByTestId("carry-on-written")).toContainText("real 21,400", { timeout: 20_000 });
  await expect(page.getByTestId("no-take-back")).toContainText("the agent has written to the file");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Open the continuation" }).click();
  await expect(page.getByTestId("continuation").first()).toContainText(/continues.*predicted.*real 21.4k/);
  expect(readFileSync(old, "utf8")).toBe(before);

  // The list has it in its rows, without the list of all continuations.
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await page.goto("/");
  const table = page.getByRole("table", { name: "Sessions" });
  await expect(table).toContainText(/continues.*predicted.*real 21.4k/);
  await expect(table).toContainText("continued in");
  expect(asked).not.toContain("/api/carry-ons");
});
