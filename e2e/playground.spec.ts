// The playground: a program runs as it is typed, says what stopped it, and everything about it is in the address.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { systemHost } from "../bin/system-host.ts";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { projectDir, type TestServer } from "./test-server.ts";

const SOUNDINGS = Array.from({ length: 400 }, (_, at) => ({
  at,
  fathoms: at / 4,
  ground: ["sand", "shell", "mud"][at % 3],
}));

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const store = (name: string, contentType: string, text: string) =>
    storeArtifact(archive, { session, name, contentType }, new TextEncoder().encode(text));
  await store("soundings.jsonl", "application/x-ndjson", SOUNDINGS.map((one) => JSON.stringify(one)).join("\n"));
  await store("pilot.json", "application/json", '{"pilot":"Hale","deep":9007199254740993}');
  await store("watch.log", "text/plain", "the watch slept\nthe watch woke\n");
  await store("gone.json", "application/json", '{"gone":true}');
  await closeArchive(archive);
});

const editor = (page: Page) => page.getByRole("textbox", { name: /^jq program/ });
const result = (page: Page) => page.getByRole("region", { name: "The result" });
const runNote = (page: Page) => page.getByRole("status", { name: "The run" });
const history = (page: Page) => page.getByRole("region", { name: "History" });

async function pointerOf(server: TestServer, name: string): Promise<string> {
  const answer = await server.ask("GET", `/api/artifacts?q=${encodeURIComponent(name)}`);
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string; name: string | null }[] };
  const found = artifacts.find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  return found.pointer;
}

type Params = Readonly<Record<string, string>>;

async function open(page: Page, server: TestServer, name: string | null, request: Params = {}): Promise<void> {
  const artifact: Params = name === null ? {} : { artifact: await pointerOf(server, name) };
  await page.goto(`/playground?${new URLSearchParams({ ...artifact, ...request }).toString()}`);
  await expect(editor(page)).toBeVisible();
}

/** In place of what stands there, as a paste: typed by a machine, each letter is completed and closed by itself. */
async function write(page: Page, program: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, program);
}

const param = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

test("a program runs as it is typed", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl");
  // Without a program all of it is shown.
  await expect(runNote(page)).toContainText("400 values");
  await editor(page).focus();
  await page.keyboard.type("select(.at < 3).ground");
  await expect(runNote(page)).toContainText("3 values");
  await expect(runNote(page)).toContainText(/\d+ ms of 2,000/);
  await expect(result(page)).toContainText('"sand"');
  await expect(result(page)).toContainText('"mud"');
  await expect(page.getByText(/for a model ~\d+/)).toBeVisible();
  // The number as it is stored, not as JavaScript reads it.
  await open(page, server, "pilot.json", { program: ".deep" });
  await expect(result(page)).toContainText("9007199254740993");
});

test("an error is marked at its place, and the result before it stays until the program is whole", async ({
  page,
  server,
}) => {
  await open(page, server, "soundings.jsonl", { program: "select(.at == 2)" });
  await expect(runNote(page)).toContainText("1 value");
  await write(page, "select(.at == 2)\n| nosuch");
  const top = async () => (await result(page).boundingBox())?.y;
  const before = await top();
  const said = page.getByRole("group", { name: "Message from jq" });
  await expect(said).toContainText("line 2");
  await expect(runNote(page)).toContainText("Syntax error at line 2");
  // Monospaced and unwrapped, so that the caret stands below what it points at; and nothing above it was pushed.
  expect(await said.evaluate((pre) => getComputedStyle(pre).fontFamily + getComputedStyle(pre).whiteSpace)).toMatch(
    /JetBrains Mono.*pre$/,
  );
  const lines = ((await said.textContent()) ?? "").split("\n");
  const caret = lines.findIndex((line) => /^\s*\^+\s*$/.test(line));
  expect(caret).toBeGreaterThan(0);
  expect(lines[caret - 1]?.slice(lines[caret]?.indexOf("^"))).toMatch(/^nosuch/);
  expect(await top()).toBe(before);
  await expect(page.locator(".monaco-editor .squiggly-error")).toBeVisible();
  await expect(page.getByText("Showing previous result")).toBeVisible();
  await expect(result(page)).toContainText('"mud"');
  await write(page, ".ground | error");
  await expect(page.getByRole("alert").filter({ hasText: "Runtime error" })).toContainText("sand");
  await expect(page.locator(".monaco-editor .squiggly-error")).toHaveCount(0);
  await write(page, "select(.at == 2).fathoms");
  await expect(runNote(page)).toContainText("1 value");
  await expect(page.getByRole("alert").filter({ hasText: "Runtime error" })).toHaveCount(0);
});

test("a program without end is stopped at its deadline, runs longer when asked, and the next one works", async ({
  page,
  server,
}) => {
  await open(page, server, "pilot.json", { program: "def f: f; f" });
  const stopped = page.getByRole("alert").filter({ hasText: "It ran over 2,000 ms and was stopped" });
  await expect(stopped).toBeVisible({ timeout: 10_000 });
  await stopped.getByRole("button", { name: "Run longer: up to 60 s" }).click();
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await page.waitForTimeout(2500);
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "You stopped it" })).toBeVisible();
  await write(page, ".pilot");
  await expect(result(page)).toContainText('"Hale"');
  await write(page, "[range(1e9)]");
  await expect(page.getByRole("alert").filter({ hasText: /memory|was stopped/ })).toBeVisible({ timeout: 15_000 });
  await write(page, ".pilot | length");
  await expect(result(page)).toContainText("4");
});

test("completion and hovers tell what jq makes at the cursor", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { options: "s" });
  const list = page.locator(".suggest-widget");
  const requested: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/playground/probe")) requested.push(String(request.postDataJSON().program));
  });
  // Typed as a person does: the editor closes the brackets.
  const type = (text: string) => page.keyboard.type(text, { delay: 30 });
  await write(page, "group_by(.ground) | map({kind: .[0].ground, many: length}) | .[] | ");
  await type(".ma");
  await expect(list).toContainText(".many");
  await expect(list).toContainText("number, in all 3");
  // A word is one question, however many letters it has.
  expect(requested.filter((program) => program.endsWith("| .[] |  _probe"))).toHaveLength(1);
  await write(page, "map(select(.at < 2)) | .[] as $one | {first: $one");
  await type(".fa");
  await expect(list).toContainText(".fathoms");
  await expect(list).toContainText("number, in all 2");
  await page.keyboard.press("Escape");
  await write(page, ".[0].ground");
  await expect(runNote(page)).toContainText("1 value");
  await page.locator(".monaco-editor .view-lines").getByText("ground", { exact: false }).first().hover();
  await expect(page.locator(".monaco-hover").first()).toContainText("# string, 1 value");
  await expect(page.locator(".monaco-hover").first()).toContainText('# such as "sand"');
});

test("JSON, table and raw are three ways to see one result", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { program: "select(.at < 5)" });
  await expect(runNote(page)).toContainText("5 values");
  await page.getByRole("button", { name: "Table", exact: true }).click();
  await expect(page).toHaveURL(/view=table/);
  await expect(page.getByRole("columnheader", { name: /fathoms/ })).toBeVisible();
  await write(page, "select(.at < 5) | {depth: .fathoms}");
  await expect(page.getByRole("columnheader", { name: /depth/ })).toBeVisible();
  await page.getByRole("button", { name: "Raw", exact: true }).click();
  await expect(result(page)).toContainText('"depth": 1');
  await page.getByRole("button", { name: "-r raw" }).click();
  await write(page, "select(.at < 2).ground");
  await expect.poll(() => result(page).innerText()).not.toContain('"');
  await expect(result(page)).toContainText("shell");
});

test("what is downloaded and copied is what jq wrote, all of it", async ({ page, server, context }) => {
  const program = 'select(.at == 7) | .ground + " 潮"';
  await open(page, server, "soundings.jsonl", { program });
  await expect(runNote(page)).toContainText("1 value");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the result" }).click(),
  ]);
  expect(readFileSync(await download.path(), "utf8")).toBe('"shell 潮"\n');
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the result" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('"shell 潮"\n');

  await write(page, '. as $one | range(200) | {$one, text: ("tide " * 20)}');
  const cut = page.getByText(/The first 1\.0 MB of .* are shown/);
  // Two seconds are enough on a machine that is not busy.
  const longer = page.getByRole("button", { name: /^Run longer/ });
  await expect(cut.or(longer).first()).toBeVisible();
  if (await longer.isVisible()) await longer.click();
  await expect(cut).toBeVisible({ timeout: 30_000 });
  const [all] = await Promise.all([
    page.waitForEvent("download", { timeout: 60_000 }),
    page.getByRole("button", { name: "Download all" }).click(),
  ]);
  const file = readFileSync(await all.path(), "utf8");
  const wanted = SOUNDINGS.flatMap((one) =>
    Array.from({ length: 200 }, () => `${JSON.stringify({ one, text: "tide ".repeat(20) }, null, 2)}\n`),
  ).join("");
  expect(file.length).toBe(wanted.length);
  expect(file === wanted).toBe(true);
});

test("a result is saved whole as an artifact, and can be asked in turn", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { program: 'select(.ground == "mud")' });
  await expect(runNote(page)).toContainText("133 values");
  await page.getByRole("button", { name: "Save the result as an artifact" }).click();
  const layer = page.getByRole("dialog", { name: "Save the result as an artifact" });
  await layer.getByLabel("Name").fill("mud.jsonl");
  await layer.getByRole("button", { name: "Save it" }).click();
  await expect(layer).toContainText("were kept as");
  await layer.getByRole("link", { name: "Ask it here" }).click();
  await expect(page.getByRole("button", { name: "Do not read mud.jsonl" })).toBeVisible();
  await expect(runNote(page)).toContainText("133 values");
});

test("where a value comes from is looked up, by hand and by keyboard", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { program: "select(.at == 37)", options: "c" });
  await expect(runNote(page)).toContainText("1 value");
  await result(page).getByRole("button", { name: "Line 1: source of this value" }).focus();
  await page.keyboard.press("Enter");
  const source = page.getByRole("region", { name: "Source" });
  // "shell" is its longest value, and stands in a third of the lines; the rest of the object in one of them.
  await expect(source).toContainText("value found in 133 of 400 lines; line 38 holds all of the 2 others beside it");
  await expect(source.getByRole("link", { name: "Open in the artifact" })).toHaveAttribute(
    "href",
    /view=lines&line=38$/,
  );
  await write(page, 'select(.at == 37) | .fathoms, "made here"');
  await expect(runNote(page)).toContainText("2 values");
  await expect(source).toHaveCount(0);
  await result(page).getByRole("button", { name: "Line 1: source of this value" }).click();
  await expect(source).toContainText("in line 38 of 400");
  await result(page).getByRole("button", { name: "Line 2: source of this value" }).click();
  await expect(source).toContainText("value not found in the input");
});

test("what was asked stands in the history and is asked again; an agent's run leads to its event", async ({
  page,
  server,
}) => {
  await open(page, server, "soundings.jsonl");
  await write(page, "select(.at == 11).fathoms");
  await expect(result(page)).toContainText("2.75");
  await page.keyboard.press("ControlOrMeta+Enter");
  await history(page).getByRole("button", { name: "Mine" }).click();
  const row = history(page).getByRole("listitem").filter({ hasText: "select(.at == 11).fathoms" });
  await expect(row).toContainText("1 value");
  await write(page, ".at");
  await expect(runNote(page)).toContainText("400 values");
  // What stands beside it now was not read then.
  await page.getByRole("button", { name: "Paste text" }).click();
  const layer = page.getByRole("dialog", { name: "Pasted text" });
  await layer.getByRole("textbox").fill('{"at": 11, "fathoms": 99}');
  await layer.getByRole("button", { name: "Read it" }).click();
  await expect(runNote(page)).toContainText("401 values");
  await row.getByRole("button").click();
  await expect(result(page)).toContainText("2.75");
  await expect(runNote(page)).toContainText(/1 value\s*from 400 values/);
  await expect.poll(() => param(page, "text")).toBeNull();
  await expect.poll(() => param(page, "program")).toBe("select(.at == 11).fathoms");

  await history(page).getByRole("button", { name: "The agent’s" }).click();
  const agents = history(page)
    .getByRole("listitem")
    .filter({ hasText: ".bookings | length" })
    .filter({ hasText: "event" });
  await expect(agents).toContainText("agent");
  await agents.getByRole("button").click();
  await expect(result(page)).toContainText("900");
  const link = agents.getByRole("link", { name: /^event / });
  await expect(link).toHaveAttribute("href", /^\/sessions\/.+\?event=\d+$/);
  await link.click();
  await expect(page).toHaveURL(/\/sessions\/.*event=\d+/);
});

test("a program that rests is kept by itself", async ({ page, server }) => {
  await open(page, server, "pilot.json");
  await write(page, ".pilot | ascii_downcase");
  await expect(history(page).getByRole("listitem").filter({ hasText: "ascii_downcase" })).toBeVisible({
    timeout: 15_000,
  });
});

test("the address gives everything back: program, options, variables, inputs, view", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl");
  await write(page, "[.[] | select(.ground == $what)] | length, $deep.least");
  await page.getByRole("button", { name: "-s slurp" }).click();
  for (const [name, value, isJson] of [
    ["what", "mud", false],
    ["deep", '{"least": 3}', true],
  ] as const) {
    await page.getByRole("button", { name: "variable" }).click();
    const row = page.getByRole("list", { name: "Variables" }).getByRole("listitem").last();
    await row.getByRole("textbox", { name: "Name of the variable" }).fill(name);
    await row.getByRole("textbox", { name: /^Value of/ }).fill(value);
    if (isJson) await row.getByRole("checkbox", { name: "JSON" }).check();
  }
  await page.getByRole("button", { name: "Raw", exact: true }).click();
  await expect(runNote(page)).toContainText("2 values");
  await expect.poll(() => param(page, "argjson")).toContain("deep");
  const address = page.url();
  await page.goto("/");
  await page.goto(address);
  await expect(runNote(page)).toContainText("2 values");
  await expect(result(page)).toContainText("133");
  await expect(page.getByRole("button", { name: "-s slurp" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Raw", exact: true })).toHaveAttribute("aria-pressed", "true");
});

test("a long program is kept by the server and stands in the address by its id", async ({ page, server }) => {
  await open(page, server, "pilot.json");
  await write(page, `# ${"the tide comes in ".repeat(200)}\n.pilot + " the second"`);
  await expect(result(page)).toContainText("Hale the second");
  await expect.poll(() => param(page, "saved")).not.toBeNull();
  expect(param(page, "program")).toBeNull();
  await page.reload();
  await expect(result(page)).toContainText("Hale the second");
  await write(page, ".pilot");
  await expect.poll(() => param(page, "program")).toBe(".pilot");
  expect(param(page, "saved")).toBeNull();
  await write(page, `# ${"x".repeat(70_000)}\n.`);
  await expect(page.getByRole("alert").filter({ hasText: "limit 65,536" })).toBeVisible();
});

test("a long program that is kept after its page was left changes no other address", async ({ page, server }) => {
  await open(page, server, "pilot.json");
  const isAsked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/playground/programs", async (route) => {
    if (route.request().method() === "GET") return route.fallback();
    const answer = await route.fetch();
    isAsked.resolve();
    await held.promise;
    await route.fulfill({ response: answer });
  });
  await write(page, `# ${"the tide goes out ".repeat(200)}\n.pilot`);
  await isAsked.promise;
  await page.getByRole("link", { name: "Sessions" }).first().click();
  await expect(page).toHaveURL((url) => url.pathname === "/");
  const answered = page.waitForResponse("**/api/playground/programs");
  held.resolve();
  await answered;
  await page.waitForTimeout(1000);
  expect(param(page, "saved")).toBeNull();
});

test("several inputs are read one after the other, pasted text among them", async ({ page, server }) => {
  await open(page, server, "pilot.json", { program: "keys[0]", options: "c" });
  await expect(result(page)).toContainText('"deep"');
  const row = page.getByRole("region", { name: "Artifact" }).getByRole("listitem").filter({ hasText: "gone.json" });
  await row.hover();
  await row.getByRole("button", { name: "Read gone.json as well" }).click();
  await expect(runNote(page)).toContainText("2 values");
  await page.getByRole("button", { name: "Paste text" }).click();
  const layer = page.getByRole("dialog", { name: "Pasted text" });
  await layer.getByRole("textbox").fill('{"pasted": 1} {"twice": 2}');
  await layer.getByRole("button", { name: "Read it" }).click();
  await expect(runNote(page)).toContainText("4 values");
  await expect(result(page)).toContainText('"twice"');
  await page.reload();
  await expect(runNote(page)).toContainText("4 values");
  await page.getByRole("button", { name: "Do not read gone.json" }).click();
  await expect(runNote(page)).toContainText("3 values");
});

test("programs get names, are put to other artifacts, and go", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { program: ".ground", options: "r" });
  await page.getByRole("button", { name: "Save program" }).click();
  const layer = page.getByRole("dialog", { name: "Save the program" });
  await layer.getByLabel("Name").fill("What the ground is");
  await layer.getByRole("button", { name: "Save it" }).click();
  await expect(layer).toHaveCount(0);
  const saved = page.getByRole("region", { name: "Saved" });
  await write(page, ".");
  await page.getByRole("button", { name: "-r raw" }).click();
  await saved.getByRole("button", { name: /^What the ground is/ }).click();
  await expect.poll(() => param(page, "program")).toBe(".ground");
  await expect(page.getByRole("button", { name: "-r raw" })).toHaveAttribute("aria-pressed", "true");
  await saved.getByRole("button", { name: "Delete the program What the ground is" }).click();
  await expect(saved.getByRole("button", { name: /^What the ground is/ })).toHaveCount(0);
});

test("the same question is copied for a shell, and the shell gives the same answer", async ({
  page,
  server,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, server, "soundings.jsonl", {
    program: 'select(.ground == "mud" and .at < 9) | "it\'s \\(.at)"',
    options: "r",
  });
  await expect(runNote(page)).toContainText("3 values");
  const copied = async (item: string): Promise<string> => {
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.getByRole("button", { name: "Copy as" }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const command = await copied("plimsoll jq");
  const bin = join(projectDir, "bin", "plimsoll.ts");
  const answer = execFileSync("bash", [
    "-c",
    `plimsoll() { "${process.execPath}" "${bin}" "$@" --archive "${server.archive}"; }\n${command}`,
  ]);
  expect(answer.toString()).toBe("it's 2\nit's 5\nit's 8\n");
  expect(await copied("jq command")).toMatch(/^plimsoll cat art:\S+ \| jq -r 'select/);
  expect(await copied("curl")).toContain("/api/playground/jq");
  expect(JSON.parse(await copied("MCP call"))).toMatchObject({ method: "tools/call", params: { name: "artifact_jq" } });
});

test("the cheat sheet brings examples that run as they stand, or their program alone", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl");
  await page.getByRole("button", { name: "Cheat sheet" }).click();
  const layer = page.getByRole("dialog", { name: "Cheat sheet" });
  const examples = layer.getByRole("listitem");
  await expect.poll(() => examples.count()).toBeGreaterThanOrEqual(30);
  await layer.getByRole("searchbox").fill("length");
  await expect.poll(() => examples.count()).toBeLessThan(30);
  await examples.first().getByRole("button").first().click();
  await expect(layer).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Pasted text/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Do not read soundings.jsonl" })).toHaveCount(0);
  await expect(runNote(page)).toContainText(/\d+ values?/);
  await expect.poll(() => param(page, "program")).toContain("length");
});

test("by keyboard alone: to the page, to an artifact, a program, its result, and out of the editor", async ({
  page,
}) => {
  await page.goto("/artifacts");
  await expect(page.getByRole("table", { name: "Artifacts" })).toBeVisible();
  await pressShortcut(page, "g-p");
  await expect(page).toHaveURL(/\/playground/);
  await expect(editor(page)).toBeVisible();
  await pressShortcut(page, "/");
  await page.keyboard.type("pilot");
  await expect(page.getByRole("region", { name: "Artifact" }).getByRole("listitem")).toHaveCount(1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Do not read pilot.json" })).toBeVisible();
  await pressShortcut(page, "e");
  await expect(editor(page)).toBeFocused();
  await page.keyboard.type(".pilot|length");
  await page.keyboard.press("Escape");
  if (await editor(page).evaluate((one) => one === document.activeElement)) await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "JSON", exact: true })).toBeFocused();
  await expect(result(page)).toContainText("4");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/view=raw/);
  // Tab does not stay in the editor either.
  await pressShortcut(page, "e");
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
});

test("jq stands beside an artifact, and goes on in the playground", async ({ page, server }) => {
  await page.goto(`/artifacts/${encodeURIComponent(await pointerOf(server, "soundings.jsonl"))}`);
  await page.getByRole("button", { name: "jq", exact: true }).click();
  const panel = page.getByRole("region", { name: "jq", exact: true });
  await expect(panel.getByRole("textbox", { name: /^jq program/ })).toBeVisible();
  await write(page, "select(.at == 12), select(.at == 13) | .ground, 1");
  await expect(panel.getByRole("region", { name: "The result" })).toContainText('"shell"');
  await panel.getByRole("button", { name: "Raw", exact: true }).click();
  await expect(page).toHaveURL(/result=raw/);
  await panel.getByRole("link", { name: "Open in the playground" }).click();
  await expect(page).toHaveURL(/\/playground\?/);
  await expect(runNote(page)).toContainText("4 values");
});

test("what cannot be asked says so and how to go on", async ({ page, server }) => {
  await open(page, server, "watch.log");
  await expect(page.getByRole("alert").filter({ hasText: "watch.log is text/plain, 2 lines" })).toBeVisible();
  await page.getByRole("button", { name: "Ask with grep" }).click();
  await expect(page).toHaveURL(/mode=grep/);
  await page.goto("/playground?artifact=art:00000000-0000-4000-8000-000000000000");
  await expect(page.getByRole("alert").filter({ hasText: "cannot be read" })).toContainText("not_found");
  await page.getByRole("button", { name: "Do not read it" }).click();
  await expect(page.getByText("No input chosen")).toBeVisible();
  await page.goto("/playground?artifact=%00%ff&view=odd&options=zzz&arg=noequals&mode=odd&saved=nosuch&also=,,,");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Playground");
  await expect(page.getByRole("alert").filter({ hasText: "nosuch could not be loaded" })).toBeVisible();
  const gone = await pointerOf(server, "gone.json");
  await server.ask("DELETE", `/api/artifacts/${encodeURIComponent(gone)}`);
  await page.goto(`/playground?artifact=${encodeURIComponent(gone)}`);
  await expect(page.getByRole("alert").filter({ hasText: "cannot be read" })).toContainText("deleted");
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  await open(page, server, "soundings.jsonl", { program: "select(.at < 30)", arg: "a=b" });
  await expect(runNote(page)).toContainText("30 values");
  expect(await axeFindings(page)).toEqual([]);
  await write(page, ".nosuch(");
  await expect(page.getByRole("alert").first()).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "History" }).click();
  expect(await axeFindings(page)).toEqual([]);
});
