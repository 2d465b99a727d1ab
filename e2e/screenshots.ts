// `npm run screenshots`: every page, light and dark, on the demo's sessions. The archive and HOME are of its own, so that no
// agent's files of this machine are shown.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page, type Request } from "@playwright/test";
import { runScenarios, SCENARIOS } from "../scripts/agents.ts";
import { ORDERS_SCRIPT } from "../scripts/orders-script.ts";
import { runExample } from "../scripts/run-example.ts";
import { firstCall } from "./first-call.ts";
import { shootFleet } from "./fleet-screenshots.ts";
import { writeHeldSample } from "./held-sample.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { projectDir, startServer, type TestServer } from "./test-server.ts";

/** `npm run screenshots NAME…` makes these alone. */
const only = process.argv.slice(2);
const out = join(projectDir, "docs", "screenshots");
/** Without a request for so long, a page has all its data. */
const QUIET_MS = 800;

const UNPAID = `# who has not paid, by berth
[ .bookings[] | select(.paid | not) ]
| group_by(.berth)
| map({ berth: .[0].berth, ships: length, deepest: (map(.draught_m) | max) })
| sort_by(-.deepest)`;

type Answer = { sessions: { id: string; title: string; peak: { tokens: number | null } }[] };
type Artifacts = { artifacts: { pointer: string; contentType: string }[] };

const dir = mkdtempSync(join(tmpdir(), "plimsoll-screenshots-"));
const held = await writeHeldSample(join(dir, "archive"));
// The default folders, below a HOME that holds nothing.
const empty = await startServer({ sources: null });
const server = await startServer({ sources: null, archive: join(dir, "archive") });
const agents = await startServer({ sources: null });
const own = await startServer();
const browser = await chromium.launch({
  chromiumSandbox: false,
  ...(process.env["CHROMIUM_PATH"] ? { executablePath: process.env["CHROMIUM_PATH"] } : {}),
});
try {
  mkdirSync(out, { recursive: true });
  await shoot("empty", "/", empty);
  await shootAgent();
  await server.ask("POST", "/api/demo", {});
  const { sessions } = (await (await server.ask("GET", "/api/sessions")).json()) as Answer;
  const blown = sessions.toSorted((a, b) => (b.peak.tokens ?? 0) - (a.peak.tokens ?? 0))[0]!;
  const { artifacts } = (await (await server.ask("GET", `/api/artifacts?session=${blown.id}`)).json()) as Artifacts;
  // Tokens are counted in the background; a page with estimates in it would differ from run to run.
  await counted(server, blown.id);
  await shoot("sessions", "/");
  await shoot("usage", "/usage?range=all");
  await shoot("findings", "/findings");
  await shoot("search", "/search?q=harbour", server, (page) => page.locator("main mark").first().waitFor());
  await shoot("transcript", `/sessions/${blown.id}`);
  await shoot("load", `/sessions/${blown.id}?tab=load`);
  await shoot("tools", `/sessions/${blown.id}?tab=tools`);
  await server.ask("POST", `/api/sessions/${blown.id}/compactions`, { tail: 1, dryRun: false });
  await shoot("memory", `/sessions/${blown.id}?tab=memory`, server, saysJustNow);
  await shoot("context", `/sessions/${blown.id}?tab=context&as=anthropic`);
  await shoot("compact", `/sessions/${blown.id}/compact?tail=1`, server, saysJustNow);
  await shoot("session-artifacts", `/sessions/${blown.id}?tab=artifacts`);
  await shoot("artifacts", "/artifacts");
  const text = artifacts.find(
    (artifact) => artifact.contentType.startsWith("text/") || artifact.contentType.includes("json"),
  );
  if (text !== undefined)
    await shoot("artifact", `/artifacts/${encodeURIComponent(text.pointer)}?panel=grep&pattern=harbour`);
  const bookings = encodeURIComponent(held.offloaded);
  await shoot("artifact-held", `/artifacts/${bookings}?path=${encodeURIComponent(".bookings[3]")}`);
  await shoot("artifact-table", `/artifacts/${encodeURIComponent(held.stored)}`);
  const unpaid = encodeURIComponent(UNPAID);
  await shoot("playground", `/playground?artifact=${bookings}&program=${unpaid}&view=table`, server, showsProgram);
  await shoot("transcript-held", `/sessions/${held.session}`);
  await shoot("settings-policy", "/settings");
  await shoot("settings-retention", "/settings?tab=retention", server, async (page) => {
    await page.getByLabel("Longest age").fill("30");
    await page.getByText("once this is saved").waitFor();
  });
  await shoot("settings-models", "/settings?tab=models");
  await shoot("settings-tokens", "/settings?tab=tokens");
  await shoot("settings-about", "/settings?tab=about", server, (page) =>
    // The folder has another name at every run; a person's is this one.
    page
      .getByRole("region", { name: "About" })
      .locator("span.mono")
      .evaluate((shown) => (shown.textContent = "~/.local/share/plimsoll"))
      .then(() => undefined),
  );
  await shootCarryOn();
  await shootGrowing();
  if (only.length === 0 || only.includes("fleet-people")) console.log(await shootFleet(browser, out));
  await shoot("sources", "/sources", server, async (page) => {
    await saysJustNow(page);
    await renamed(page, join(dir, "archive"), "~/.local/share/plimsoll");
  });
} finally {
  await browser.close();
  await empty.stop();
  await agents.stop();
  await own.stop();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}

/** The agent of docs/frameworks/ai-sdk.md: three lines of it are ours. */
async function shootAgent(): Promise<void> {
  const names = ["agent-sessions", "agent-load"];
  if (only.length > 0 && !names.some((name) => only.includes(name))) return;
  await runExample("ai-sdk-example", { url: agents.url, tokens: { write: agents.token } }, ORDERS_SCRIPT);
  const { sessions } = (await (await agents.ask("GET", "/api/sessions")).json()) as Answer;
  const { id } = sessions[0]!;
  await counted(agents, id);
  await shoot("agent-sessions", "/", agents, saysJustNow);
  await shoot("agent-load", `/sessions/${id}?tab=load`, agents, saysJustNow);
}

/** Claude Code, offline against a scripted model, amid its work and behind it: one page, which is not loaded again. */
async function shootGrowing(): Promise<void> {
  const names = ["growing-first", "growing-later"];
  if (only.length > 0 && !names.some((name) => only.includes(name))) return;
  const scenario = SCENARIOS.filter(({ name }) => name === "growing");
  const { notRun } = await runScenarios(scenario, undefined, async ({ url, link, ask }) => {
    type Growing = { id: string; calls: number; cwd: string };
    const calls = async (): Promise<Growing | undefined> =>
      (JSON.parse((await ask("GET", "/api/sessions")).text) as { sessions: Growing[] }).sessions[0];
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(link);
    const begun = await until(async () => ((await calls())?.calls ?? 0) >= 2 && (await calls()));
    await page.goto(`${url}/sessions/${begun.id}`);
    const project = begun.cwd;
    const take = async (name: string): Promise<void> => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await renamed(page, project, "~/project");
        await page.screenshot({ path: join(out, `${name}-${colorScheme}.png`) });
        console.log(`docs/screenshots/${name}-${colorScheme}.png`);
      }
    };
    await page.getByRole("button", { name: "Dismiss all" }).click();
    await take("growing-first");
    let before = -1;
    await until(async () => {
      const now = (await calls())!.calls;
      const rests = now === before && now > begun.calls;
      before = now;
      return rests;
    }, 4000);
    await take("growing-later");
    await context.close();
  });
  for (const line of notRun) console.log(line);
}

/** What `look` finds, looked for again and again for a minute. */
async function until<T>(look: () => Promise<T | false | undefined>, everyMs = 100): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resume) => setTimeout(resume, everyMs))) {
    const found = await look();
    if (found !== false && found !== undefined) return found;
  }
  throw new Error("What is to be shown did not come within a minute.");
}

/** The whole way of a full session. It is synthetic, and its continuation's first call is written as the agent would. */
async function shootCarryOn(): Promise<void> {
  const names = ["carry-on-full", "carry-on-plan", "carry-on-command", "carry-on-live"];
  if (only.length > 0 && !names.some((name) => only.includes(name))) return;
  const projects = join(own.dir, "sources", "projects");
  writeSample(projects, {
    id: sampleId(80),
    prompt: "Find out why the tide gauge reads too low",
    calls: Array.from({ length: 24 }, (_, n) => ({
      tool: n % 3 === 2 ? "Bash" : "Read",
      input:
        n % 3 === 2 ? { command: `grep -n low gauge-${n}.log` } : { file_path: `/home/sailor/harbour/gauge-${n}.log` },
      output: filler(n % 4 === 0 ? 52_000 : 34_000, `gauge${n}`),
      prompt: 14_000 + n * 6_300,
      ...(n % 6 === 5 && { then: "Go on with the next gauge" }),
    })),
  });
  const id = await sessionTitled(/tide gauge/);
  await counted(own, id);
  await shoot("carry-on-full", `/sessions/${id}?tab=load`, own);
  const plan = `/sessions/${id}/compact?show=carry-on`;
  await shoot("carry-on-plan", plan, own, namesNoFolder);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  await own.signIn(context);
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await page.goto(own.url + plan);
    await page.getByRole("button", { name: "Write the new session file" }).click();
    await page.getByTestId("resume-command").waitFor();
    await page.getByRole("link", { name: "Open the continuation" }).waitFor();
    await settled(page);
    await namesNoFolder(page);
    await saysJustNow(page);
    await page.screenshot({ path: join(out, `carry-on-command-${colorScheme}.png`) });
    if (colorScheme === "light") await page.getByRole("button", { name: "Take back" }).click();
    if (colorScheme === "light") await page.getByText("Taken back.").waitFor();
    await page.close();
  }
  await context.close();
  const { rows } = (await (await own.ask("GET", "/api/carry-ons")).json()) as { rows: Written[] };
  const row = rows.find(({ takenBackAt }) => takenBackAt === null)!;
  const native = row.path.replace(/^.*\/|\.jsonl$/gu, "");
  appendFileSync(row.path, firstCall(row.path, native, Math.round(row.tokens.predicted * 1.012)));
  for (let tries = 0; tries < 100; tries++) {
    const listed = (await (await own.ask("GET", "/api/carry-ons")).json()) as { rows: Written[] };
    if (listed.rows.some(({ tokens }) => tokens.real !== null)) break;
    await new Promise((resume) => setTimeout(resume, 200));
  }
  await shoot("carry-on-live", `/sessions/${row.session.id}`, own, saysJustNow);
}

/** A folder that has another name at every run is shown as a person's. */
async function renamed(page: Page, folder: string, name: string): Promise<void> {
  await page.locator("main").evaluate(
    (main, [folder, name]) => {
      const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
        node.nodeValue = (node.nodeValue ?? "").replaceAll(folder, name);
    },
    [folder, name] as const,
  );
}

async function namesNoFolder(page: Page): Promise<void> {
  await page.getByText(own.dir).first().waitFor();
  await renamed(page, join(own.dir, "sources"), "~/.claude");
}

type Written = {
  path: string;
  takenBackAt: string | null;
  session: { id: string };
  tokens: { predicted: number; real: number | null };
};

async function sessionTitled(title: RegExp): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const { sessions } = (await (await own.ask("GET", "/api/sessions")).json()) as Answer;
    const found = sessions.find((one) => title.test(one.title));
    if (found !== undefined) return found.id;
    await new Promise((resume) => setTimeout(resume, 200));
  }
  throw new Error("The sample was not imported within 20 s.");
}

async function counted(from: TestServer, id: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const load = (await (await from.ask("GET", `/api/sessions/${id}/load`)).json()) as { counting: boolean };
    if (!load.counting) return;
    await new Promise((resume) => setTimeout(resume, 200));
  }
  throw new Error("The demo's tokens were not counted within 20 s.");
}

type Before = (page: Page) => Promise<void>;

async function shoot(name: string, path: string, from: TestServer = server, before?: Before): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme,
      reducedMotion: "reduce",
    });
    await from.signIn(context);
    const page = await context.newPage();
    await page.goto(from.url + path);
    await settled(page);
    await before?.(page);
    await page.screenshot({ path: join(out, `${name}-${colorScheme}.png`) });
    await context.close();
    console.log(`docs/screenshots/${name}-${colorScheme}.png`);
  }
}

/** The editor has its program, and the program has answered. */
async function showsProgram(page: Page): Promise<void> {
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await page.getByRole("grid").first().waitFor();
  await page.waitForTimeout(600);
  await saysJustNow(page);
}

/** What was made during the run would have another time in each. */
function saysJustNow(page: Page): Promise<void> {
  return page.locator("main time").evaluateAll((times) => {
    for (const time of times)
      if (Date.now() - Date.parse(time.getAttribute("datetime") ?? "") < 3_600_000) time.textContent = "just now";
  });
}

/** A change stream stays open for as long as its page. */
function isStream(request: Request): boolean {
  return request.url().includes("/api/changes");
}

/** The page has all its data: no bars of a loading list, fonts there, and a while without requests, however busy the machine. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.evaluate(() => document.fonts.ready);
  const running = new Set<Request>();
  let changedAt = performance.now();
  page.on("request", (request) => {
    if (isStream(request)) return;
    running.add(request);
    changedAt = performance.now();
  });
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => {
      if (running.delete(request)) changedAt = performance.now();
    });
  const until = performance.now() + 60_000;
  while (running.size > 0 || performance.now() - changedAt < QUIET_MS) {
    if (performance.now() > until) throw new Error(`The page still waits for ${[...running].map((one) => one.url())}.`);
    await page.waitForTimeout(100);
  }
  await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null, undefined, { timeout: 60_000 });
  await page.waitForTimeout(QUIET_MS);
}
