// Nothing that is shown is obeyed: each payload in each field, in a Chromium for which every host is the canary.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { startServer, type TestServer } from "../test-server.ts";
import { startCanary, watchedPage, watchOf, type Canary } from "./canary.ts";
import { CODEX_TITLE, CONTENTS, MAIN_TITLE, NEEDLE, RAW_TITLE, writeHostileSessions } from "./generate.ts";
import { inspect, look, lookThrough } from "./look.ts";
import { PAYLOADS } from "./payloads.ts";

let dir = "";
let server: TestServer;
let canary: Canary;
let context: BrowserContext;
const sessions = new Map<string, string>();

type Listed = { sessions: { id: string; title: string }[]; total: number };

// 10 s a test where nothing else runs; the two long transcripts take 20.
const PATIENCE_MS = 180_000;
test.describe.configure({ timeout: PATIENCE_MS });

test.beforeAll(async () => {
  test.setTimeout(PATIENCE_MS);
  dir = mkdtempSync(join(tmpdir(), "plimsoll-hostile-"));
  mkdirSync(join(dir, "sources"));
  writeHostileSessions(join(dir, "sources"));
  [server, canary] = await Promise.all([startServer({ sources: [join(dir, "sources")] }), startCanary()]);
  context = await canary.browser.newContext({ baseURL: server.url, viewport: { width: 1600, height: 5000 } });
  await server.signIn(context);
  const list = async (q: string): Promise<Listed> =>
    (await (await server.ask("GET", `/api/sessions?limit=500&q=${encodeURIComponent(q)}`)).json()) as Listed;
  await expect.poll(async () => (await list("")).total, { timeout: 60_000 }).toBeGreaterThan(PAYLOADS.length * 2);
  await expect.poll(async () => (await importing())?.state ?? "done", { timeout: 60_000 }).toBe("done");
  for (const title of [MAIN_TITLE, RAW_TITLE, CODEX_TITLE]) {
    const found = (await list(title)).sessions.find((session) => session.title === title);
    expect(found, title).toBeDefined();
    sessions.set(title, found?.id ?? "");
  }
});

test.afterAll(async () => {
  await canary?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function importing(): Promise<{ state: string } | null> {
  const answer = (await (await server.ask("GET", "/api/sources?limit=1")).json()) as {
    import: { state: string } | null;
  };
  return answer.import;
}

const missing = (page: Page): string[] => PAYLOADS.map(({ id }) => id).filter((id) => !watchOf(page).seen.has(id));

/** 402 payloads make 402 lines of one mistake: the first of each field is enough. */
function oneOfEachKind(wrong: readonly string[]): string[] {
  const byKind = new Map(wrong.toReversed().map((what) => [what.replace(/U\+\w+ in ([^:]*): .*/, "$1"), what]));
  return [...byKind.values()].toReversed().slice(0, 25);
}

/** Opens a page, does this on it, and says what went wrong. */
async function visit(
  path: string,
  walk: (page: Page) => Promise<void> = lookThrough,
  all = false,
  events: readonly number[] = [],
): Promise<void> {
  const page = await watchedPage(context);
  await page.goto(path);
  await walk(page);
  const unseen = (): string[] => [
    ...(all ? missing(page) : []),
    ...events.filter((seq) => !watchOf(page).events.has(String(seq))).map((seq) => `event ${seq}`),
  ];
  // A row that came late, on a busy machine, is looked for again.
  for (let again = 0; again < 4 && unseen().length > 0; again += 1) {
    await page.reload();
    await walk(page);
  }
  expect.soft(oneOfEachKind(watchOf(page).wrong), path).toEqual([]);
  expect.soft(unseen(), `not seen on ${path}`).toEqual([]);
  expect.soft(canary.heard, path).toEqual([]);
  await page.close();
}

test("the corpus is large", () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(300);
});

test("the watchers are awake: they hear a call, and see what is hidden or could act", async () => {
  const page = await canary.browser.newPage();
  await page.setContent('<p>pay\u202elap</p><iframe></iframe><img src="http://beacon.test/awake.png">');
  await expect.poll(() => canary.heard.join()).toContain("/awake.png");
  canary.heard.length = 0;
  const { wrong } = await page.evaluate(inspect);
  expect(wrong.map((what) => what.split(" ", 1)[0])).toEqual(["U+202e", "element", "address"]);
  await page.close();
});

test("the sessions table", async () => {
  await visit("/", lookThrough, true);
  await visit(`/?q=${NEEDLE}`, lookThrough, true);
});

/** Opens every fold and every cut text that stands on the page. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    const closed = document.querySelectorAll<HTMLElement>('[role="feed"] [aria-expanded="false"]');
    for (const one of closed) one.click();
  });
}

/** Rows come once the scripts run; a page that rests before has shown none of them. */
async function walkRows(page: Page, before?: () => Promise<void>): Promise<void> {
  await expect(page.getByRole("feed").getByRole("article").first()).toBeVisible();
  await lookThrough(page, before);
}

/** Every row that the session has, each of which must stand on the page. */
async function eventsOf(id: string): Promise<readonly number[]> {
  const { seq } = (await (await server.ask("GET", `/api/sessions/${id}/outline`)).json()) as { seq: number[] };
  expect(seq.length).toBeGreaterThan(0);
  return seq;
}

for (const title of [MAIN_TITLE, CODEX_TITLE]) {
  const id = (): string => sessions.get(title) ?? "";

  test(`${title}: the transcript, formatted and unfolded`, async () => {
    const walk = (page: Page): Promise<void> => walkRows(page, () => unfold(page));
    await visit(`/sessions/${id()}?hidden=true`, walk, true, await eventsOf(id()));
  });

  test(`${title}: load, tools and artifacts`, async () => {
    for (const tab of ["load", "tools", "artifacts"]) await visit(`/sessions/${id()}?tab=${tab}`);
  });
}

test("the records of a transcript, raw", async () => {
  const id = sessions.get(RAW_TITLE) ?? "";
  await visit(`/sessions/${id}?raw=true&hidden=true`, (page) => walkRows(page), true, await eventsOf(id));
});

/** On a busy machine the page rests before what it shows has come, and the first parts would be passed over. */
async function whenShown(page: Page): Promise<void> {
  await expect(page.locator("main")).toContainText(/px\d{3}/);
  await lookThrough(page);
}

/** The same where a list beside it shows some of it earlier. */
const within = (role: "region" | "grid", name?: string) => async (page: Page) => {
  await expect(page.getByRole(role, name === undefined ? {} : { name })).toContainText(/px\d{3}/);
  await lookThrough(page);
};

/** Every way in which something is shown, but for the bytes one by one. */
function viewsOf(name: string): readonly string[] {
  if (name === "asked.json") return ["text"];
  if (/\.jsonl?$/.test(name)) return ["tree", "text", "table", "lines"];
  if (name.endsWith(".csv")) return ["table", "lines"];
  return name.endsWith(".md") ? ["rendered", "lines"] : ["lines"];
}

type Artifact = { readonly pointer: string; readonly name: string | null; readonly contentType: string };

async function artifacts(): Promise<{ of: (name: string) => string; image: string }> {
  const answer = await server.ask("GET", "/api/artifacts?limit=500&sort=size");
  const { artifacts: all } = (await answer.json()) as { artifacts: Artifact[] };
  const pointerOf = (what: string, is: (one: Artifact) => boolean): string => {
    const found = all.find(is);
    expect(found, what).toBeDefined();
    return encodeURIComponent(found?.pointer ?? "");
  };
  return {
    of: (name) => pointerOf(name, (one) => one.name?.endsWith(name) ?? false),
    image: pointerOf("an image", ({ contentType }) => contentType.startsWith("image/")),
  };
}

test("the artifacts table, and each type of content in each of its viewers", async () => {
  test.setTimeout(2 * PATIENCE_MS);
  await visit("/artifacts");
  const { of, image } = await artifacts();
  for (const name of Object.keys(CONTENTS))
    for (const view of viewsOf(name)) await visit(`/artifacts/${of(name)}?view=${view}`, whenShown, true);
  await visit(`/artifacts/${of("plain.txt")}?view=hex`);
  // A key that turns what stands beside it, chosen; and one that is not there.
  const at = PAYLOADS.findIndex(({ text }) => text.includes("\u202e"));
  for (const key of [PAYLOADS[at]?.text ?? "", "\u202enowhere px000"]) {
    const path = encodeURIComponent(`.[${at}][${JSON.stringify(key)}]`);
    for (const view of ["tree", "text"])
      await visit(`/artifacts/${of("tree.json")}?view=${view}&path=${path}`, whenShown);
  }
  await visit(`/artifacts/${image}`);
});

test("jq and grep beside an artifact, and in the playground", async () => {
  const { of } = await artifacts();
  const json = of("asked.json");
  const result = within("region", "The result");
  const matches = within("region", "Lines that match");
  await visit(`/artifacts/${json}?panel=jq&program=.`, result);
  await visit(`/artifacts/${of("plain.txt")}?panel=grep&pattern=px`, matches, true);
  const items = `/playground?artifact=${json}&program=${encodeURIComponent(".[]")}`;
  for (const request of ["", "&view=raw", "&view=raw&options=r"]) await visit(`${items}${request}`, result, true);
  await visit(`${items}&view=table`, within("grid"), true);
  await visit(`/playground?artifact=${of("plain.txt")}&mode=grep&pattern=px&line=3`, matches, true);
});

test("two artifacts that are compared", async () => {
  const { of } = await artifacts();
  const compare = (left: string, right: string, more = "") =>
    visit(`/artifacts/compare?left=${of(left)}&right=${of(right)}${more}`, whenShown, true);
  await compare("plain.txt", "table.csv");
  await compare("tree.json", "log.jsonl", "&show=unified&json=sorted");
});

test("the sources, and what could not be read", async () => {
  await visit("/sources");
  await visit("/sources?tab=problems");
});

test("usage and findings of all sessions", async () => {
  const shown = (table: string) => async (page: Page) => {
    await expect(page.getByRole("table", { name: table }).locator("tbody tr[data-row]").first()).toBeVisible();
    await lookThrough(page);
  };
  for (const more of ["period=sessions", "by=model&rows=groups", "by=tool&rows=groups"])
    await visit(`/usage?range=all&${more}`, shown("Usage"));
  const { findings } = (await (await server.ask("GET", "/api/findings?state=all")).json()) as {
    findings: { id: string }[];
  };
  if (findings.length > 0)
    await visit(`/findings?${new URLSearchParams({ finding: findings[0]!.id })}`, shown("Findings"));
});

test("the palette's results", async () => {
  await visit("/", async (page) => {
    await page.keyboard.press("Control+k");
    for (const word of [NEEDLE, PAYLOADS[0]?.id ?? "", "px200", "px330"]) {
      await page.getByRole("dialog").getByRole("combobox").fill(word);
      await expect(page.getByRole("option").filter({ hasText: NEEDLE }).first()).toBeVisible();
      await look(page);
    }
  });
});
