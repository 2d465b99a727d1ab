// Sub-agents that did the same are one row, in the transcript and in the list of sessions. Sessions are written by hand.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { sampleId, writeSample, type Sample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

/** Three of four say the same; the last sounds another bay. */
const DEPTHS = ["Nine fathoms", "Nine fathoms", "Nine fathoms", "Four fathoms"];

const FLEET: Sample = {
  id: sampleId(81),
  prompt: "Sound the bay from four boats",
  calls: DEPTHS.map((output, at) => ({
    tool: "Task",
    input: { description: "Sound the bay", prompt: "Sound the bay", subagent_type: "sounder" },
    output,
    prompt: 9000 + at * 200,
  })),
};

const boat = (at: number): Sample => ({
  id: sampleId(82 + at),
  agent: { parent: FLEET.id, name: `boat${at}` },
  prompt: "Sound the bay",
  calls: [{ tool: "Bash", input: { command: "lead --line" }, output: DEPTHS[at]!, prompt: 3000 }],
  startedAt: `2026-03-02T09:0${at}:00.000Z`,
});

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-forks-"));
      const projects = join(dir, "projects");
      mkdirSync(projects);
      const anHourAgo = Date.now() / 1000 - 3600;
      for (const at of DEPTHS.keys()) {
        const path = writeSample(projects, boat(at));
        // The file beside it says which call started it.
        const meta = {
          agentType: "sounder",
          description: "Sound the bay",
          toolUseId: `toolu_${FLEET.id.slice(-6)}_${at}`,
        };
        writeFileSync(join(dirname(path), `agent-boat${at}.meta.json`), JSON.stringify(meta));
        utimesSync(path, anHourAgo, anHourAgo);
      }
      utimesSync(writeSample(projects, FLEET), anHourAgo, anHourAgo);
      await use(projects);
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ projects }, use) => {
      const server = await startServer({ sources: [projects] });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

const ID = `s_${createHash("sha256").update(`claude-code:${FLEET.id}`).digest("hex").slice(0, 16)}`;
const row = (page: Page, seq: number) => page.locator(`article[data-seq="${seq}"]`);

async function imported(server: TestServer): Promise<void> {
  type Forks = { groups: { forks: unknown[] }[] };
  const groups = async () => {
    const answer = await server.ask("GET", `/api/sessions/${ID}/forks`);
    return answer.ok ? ((await answer.json()) as Forks).groups.map(({ forks }) => forks.length) : [];
  };
  await expect.poll(groups, { timeout: 20_000 }).toEqual([3]);
}

test("identical forks are one row of the transcript, which opens, by hand and by key", async ({ page, server }) => {
  await imported(server);
  await page.goto(`/sessions/${ID}`);
  const forks = page.getByRole("button", { name: "3 identical forks" });
  await expect(forks).toHaveAttribute("aria-expanded", "false");
  await expect(row(page, 2)).toContainText("tokens together");
  for (const seq of [4, 6]) await expect(row(page, seq)).toHaveCount(0);
  await expect(row(page, 8)).toContainText("Sound the bay");
  // j steps over what is folded.
  await pressShortcut(page, "j");
  await pressShortcut(page, "j");
  await expect(row(page, 2)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("j");
  await expect(row(page, 8)).toHaveAttribute("aria-current", "true");
  await forks.focus();
  await page.keyboard.press("Enter");
  await expect(forks).toHaveAttribute("aria-expanded", "true");
  await expect(page).toHaveURL(/forks=2/u);
  for (const seq of [2, 4, 6, 8]) await expect(row(page, seq)).toBeVisible();
  await page.reload();
  await expect(row(page, 6)).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await forks.click();
  await expect(row(page, 4)).toHaveCount(0);
  await expect(page).not.toHaveURL(/forks=/u);
  // A link to one that is folded shows it all the same.
  await page.goto(`/sessions/${ID}?event=6`);
  await expect(row(page, 6)).toHaveAttribute("aria-current", "true");
  await expect(row(page, 4)).toHaveCount(0);
});

test("identical forks are one row of their family in the list of sessions, which opens", async ({ page, server }) => {
  await imported(server);
  await page.goto("/");
  await page.getByRole("button", { name: "Unfold 4 sub-agents" }).click();
  const forks = page.getByRole("button", { name: "3 identical forks" });
  await expect(forks).toHaveAttribute("aria-expanded", "false");
  const rows = page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
  await expect(rows).toHaveCount(3);
  await forks.click();
  await expect(rows).toHaveCount(5);
  await expect(forks).toHaveAttribute("aria-expanded", "true");
  await forks.click();
  await expect(rows).toHaveCount(3);
});

test("the header's menu names identical forks once", async ({ page, server }) => {
  await imported(server);
  await page.goto(`/sessions/${ID}`);
  await page.getByRole("button", { name: "Sub-agents of this session" }).click();
  await expect(page.getByRole("menuitem")).toHaveCount(2);
  await expect(page.getByRole("menuitem").first()).toContainText("3 identical");
});
