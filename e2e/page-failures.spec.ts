// A page that the server cannot make says why in words: React sends those of no error in production. Synthetic.
import { join } from "node:path";
import Database from "better-sqlite3";
import { idOf } from "./sampled.ts";
import { filler, sampleId, writeSample, type Sample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const session = (number: number): Sample => ({
  id: sampleId(number),
  prompt: `Mend quay ${number}`,
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/quay.txt" }, output: filler(300), prompt: 9000 }],
});

test("a part of a page that does not come is said in words, and the page is loaded again", async ({ page }) => {
  await page.goto("/playground");
  await page.waitForLoadState("networkidle");
  await page.route("**/*.js", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Cheat sheet" }).click();
  const failure = page.getByRole("alert").filter({ hasText: "This page could not be shown" });
  await expect(failure).toContainText("A part of it was not loaded: Plimsoll has stopped, or was updated.");
  await page.unroute("**/*.js");
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("button", { name: "Cheat sheet" })).toBeVisible();
  await expect(failure).toHaveCount(0);
});

test("a name that several sessions begin with: the page names some, and is made again when it is asked again", async ({
  page,
  server,
}) => {
  for (const number of [93, 94]) {
    writeSample(join(server.dir, "sources", "projects"), session(number));
    const path = `/api/sessions/${idOf(session(number))}`;
    await expect.poll(async () => (await server.ask("GET", path)).status).toBe(200);
  }
  await page.goto("/sessions/claude-code:");
  const failure = page.getByRole("alert").filter({ hasText: "This page could not be shown" });
  await expect(failure).toContainText("begins");
  await expect(failure).toContainText("Give more characters of the id.");
  const again = page.waitForRequest((request) => request.isNavigationRequest());
  await failure.getByRole("button", { name: "Try again" }).click();
  await again;
  await expect(failure).toBeVisible();
});

test("a page that a fault of the server keeps from being made says the number that its log has", async ({
  page,
  server,
}) => {
  const logged: string[] = [];
  server.process.stderr?.on("data", (chunk) => logged.push(String(chunk)));
  const output = filler(9000);
  const { calls, ...rest } = session(95);
  writeSample(join(server.dir, "sources", "projects"), { ...rest, calls: calls.map((call) => ({ ...call, output })) });
  const artifacts = async (): Promise<readonly { pointer: string }[]> =>
    ((await (await server.ask("GET", "/api/artifacts")).json()) as { artifacts: { pointer: string }[] }).artifacts;
  await expect.poll(async () => (await artifacts()).length).toBe(1);
  const sqlite = new Database(join(server.archive, "archive.db"));
  sqlite.exec("ALTER TABLE artifact_reads RENAME TO lost_reads");
  try {
    await page.goto(`/artifacts/${(await artifacts())[0]!.pointer}`);
    const failure = page.getByRole("alert").filter({ hasText: "This page could not be shown" });
    await expect(failure).toContainText(/Plimsoll failed to make this page\. Its log has the details under \d+\./);
    const [number] = /\d{4,}/.exec((await failure.textContent())!)!;
    const line = logged
      .join("")
      .split("\n")
      .find((one) => one.includes(`"error":"${number}"`));
    expect(JSON.parse(line!)).toMatchObject({
      where: expect.stringMatching(/^GET \/artifacts\/art/),
      stack: expect.stringContaining("no such table"),
    });
  } finally {
    sqlite.exec("ALTER TABLE lost_reads RENAME TO artifact_reads");
    sqlite.close();
  }
});
