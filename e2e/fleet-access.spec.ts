// What somebody who signed in at a node of a fleet is shown of the node itself: all of it works for them, or says who may.
import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { test } from "./fleet-test-node.ts";

const TABS = [
  ...["Offload policy", "Models", "Calibration", "Summarizer", "Retention"],
  ...["Warnings", "Budgets", "Webhooks", "Tokens for agents", "About"],
];

test("an admin of the fleet is refused nothing that Settings and Sources show", async ({ page, context, node }) => {
  await node.signIn(context, "ann");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await page.goto("/settings");
  for (const name of TABS) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
    await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
    await expect(page.locator("[role=alert]:not(:empty)")).toHaveCount(0);
  }
  for (const [name, words] of [
    ["Summarizer", "Only a browser that opened the link which this node prints may see and change it."],
    ["Tokens for agents", "Tokens of the fleet are on Fleet."],
    ["Retention", "What projects keep is on Fleet."],
    ["About", "The fleet’s database and bucket have everything."],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByText(words)).toBeVisible();
    await expect(page.getByLabel("Longest age")).toHaveCount(0);
  }
  expect(await axeFindings(page)).toEqual([]);
  await page.goto("/sources");
  await expect(page.getByRole("button", { name: "Watch folder…" })).toBeVisible();
  await expect(page.getByLabel(/^Loading/)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Send to fleet…" })).toHaveCount(0);
  await expect(page.locator("[role=alert]:not(:empty)")).toHaveCount(0);
  expect(await axeFindings(page)).toEqual([]);
  // Completion asks as they type.
  await page.evaluate(
    (body) => fetch("/api/playground/probe", { method: "POST", body, headers: { "content-type": "application/json" } }),
    JSON.stringify({ program: ".", inputs: [] }),
  );
  expect(refused).toEqual([]);
});

test("the link that the node prints has all of it", async ({ page, context, node }) => {
  await node.server.signIn(context);
  await page.goto("/settings?tab=tokens");
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  await page.goto("/settings?tab=summarizer");
  await expect(page.getByText("You can choose a model instead.")).toBeVisible();
  await page.goto("/sources");
  await expect(page.getByRole("button", { name: "Send to fleet…" })).toBeVisible();
});

test("what a node refuses is not offered; a link to it says why, and can be taken back", async ({
  page,
  context,
  node,
}) => {
  await node.signIn(context, "rita");
  const filter = page.getByRole("button", { name: /^Deleted/ });
  const blocks = page.getByRole("button", { name: "5 hours" });
  await page.goto("/?q=mooring");
  await expect(page.getByRole("button", { name: "Has artifacts" })).toBeVisible();
  await expect(filter).toHaveCount(0);
  await page.goto("/?file=deleted");
  await expect(page.getByText("A fleet does not know which files their agents delete.")).toBeVisible();
  await expect(filter).toBeVisible();
  await page.goto("/usage");
  await expect(page.getByRole("button", { name: "Unused" })).toBeVisible();
  await expect(blocks).toHaveCount(0);
  await page.goto("/usage?period=blocks");
  await expect(page.getByText("A fleet has no five-hour blocks")).toBeVisible();
  await expect(blocks).toHaveAttribute("aria-pressed", "true");
});

for (const person of ["bob", "rita"])
  test(`${person}, of one project, is offered neither page, and shown who may`, async ({ page, context, node }) => {
    await node.signIn(context, person);
    await page.goto("/");
    await expect(page.getByRole("navigation", { name: "Pages" }).getByRole("link")).toHaveText([
      ...["Sessions", "Search", "Usage", "Findings", "Artifacts"],
      ...(person === "bob" ? ["Fleet"] : []),
    ]);
    for (const path of ["/settings", "/settings?tab=tokens", "/sources"]) {
      await page.goto(path);
      await expect(page.getByText("Only an admin of the fleet sees this page.")).toBeVisible();
    }
  });

test("who reads a project is offered nothing that a node refuses them", async ({ page, context, browser, node }) => {
  const writer = await browser.newContext({ baseURL: node.server.url });
  await node.signIn(writer, "bob");
  const own = await writer.newPage();
  await own.goto("/");
  const { session, pointer } = await own.evaluate(async () => {
    const post = async (path: string, body: unknown) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const headers = new Headers(typeof body === "string" ? [] : [["content-type", "application/json"]]);
      const response = await fetch(path, { method: "POST", body: text, headers });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as { id: string; decision: { pointer: string } };
    };
    const { id } = await post("/api/sessions", { id: "berths", title: "Berths", model: "claude-opus-4-5" });
    const rows = Array.from({ length: 900 }, (_, at) => ({ berth: at, free: at % 2 === 0 }));
    const { decision } = await post(`/api/sessions/${id}/outputs?tool=list&call=c1`, JSON.stringify(rows));
    const ts = new Date().toISOString();
    const usage = { inputUncached: 900, cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 0, origin: "reported" };
    const body = { type: "assistant", text: "Half of them are free." };
    const records = [
      { record: "call", key: "k1", ts, usage },
      { record: "event", uuid: "a1", ts, call: "k1", body },
    ];
    await post(`/api/sessions/${id}/events`, { records });
    return { session: id, pointer: decision.pointer };
  });
  await writer.close();

  await node.signIn(context, "rita");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await page.goto(`/sessions/${session}`);
  await expect(page.getByText("list", { exact: true }).first()).toBeVisible();
  await page.goto(`/sessions/${session}?tab=load`);
  await expect(page.getByRole("heading", { name: "What if" })).toBeVisible();
  await expect(page.locator("a[href^='/settings'], a[href^='/sources'], a[href^='/playground']")).toHaveCount(0);
  await page.goto(`/sessions/compare?a=${session}`);
  await expect(page.getByRole("heading", { name: "Compare" })).toBeVisible();
  const artifact = `/artifacts/${encodeURIComponent(pointer)}`;
  // It has a page when it is packed.
  const listed = async () => (await page.request.get("/api/artifacts")).text();
  await expect.poll(listed, { timeout: 30_000 }).toContain(pointer);
  await page.goto(`${artifact}?panel=grep`);
  await page.getByPlaceholder("error|warn, an extended regular expression").fill("berth");
  await expect(page.getByText(/1 line/).first()).toBeVisible();
  await page.goto(`${artifact}?view=table`);
  await expect(page.getByRole("columnheader", { name: "berth" })).toBeVisible();
  expect(refused).toEqual([]);
});

test("who signed in finds the way out on every page", async ({ page, context, node }) => {
  await node.signIn(context, "rita");
  await page.goto("/usage");
  await page.getByRole("link", { name: "Account: rita@example.com" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.goto("/usage");
  await expect(page.getByRole("heading", { name: "Plimsoll: not signed in" })).toBeVisible();
});

test("a session of another project is not compared, and its title is not shown", async ({ page, context, node }) => {
  await node.signIn(context, "rita");
  await page.goto("/sessions/compare?a=s_0123456789abcdef");
  await expect(page).toHaveTitle("Compare · Plimsoll");
});

test("the page of a deleted session says when it was deleted, and how it is restored", async ({
  page,
  context,
  node,
}) => {
  const { sql } = node.fleet;
  await sql`INSERT INTO deleted_families (project, family, deleted_by, reason, bytes, body, deleted_at)
    VALUES ('shop', 'f', 'ann@example.com', 'leaked', 9, '{}', '2026-05-04')`;
  await sql`INSERT INTO deleted_sessions (project, session, family) VALUES ('shop', 's_00000000000000aa', 'f')`;
  await node.signIn(context, "rita");
  const response = await page.goto("/sessions/s_00000000000000aa");
  expect(response!.status()).toBe(404);
  await expect(page.getByText("Session s_00000000000000aa was deleted on 2026-05-04.")).toBeVisible();
  await expect(page.getByText("plimsoll fleet restore s_00000000000000aa")).toBeVisible();
});
