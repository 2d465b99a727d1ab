// JSON of 50 MB in the viewer that shows it as a tree, in a real Chromium: the first screen of a document that the server
// has not read before, any value unfolded, the next position of a word, and what the page holds.
import type { Page } from "@playwright/test";
import { browserAt } from "./bench-pages.ts";
import { startServer, type Server } from "./bench-server.ts";
import { mb, median, ms, skipped, verdict, type Row } from "./table.ts";
import { join } from "node:path";
import { mkdirSync } from "node:fs";

const JSON_BYTES = 50e6;
const COPIES = 3;
const TARGET = "≤ 500 ms / ≤ 100 ms / ≤ 300 ms; ≤ 150 MB";
const WHAT = `JSON of ${mb(JSON_BYTES)} as a tree, in Chromium: first screen / unfold / find next; heap`;
const TREE = '[role="tree"]';
const FOOT = '[aria-label="The chosen value"]';
const CHOSEN = `${TREE} [aria-selected="true"]`;
/** A word that stands in one record of so many. */
const RARE = 25_000;

export async function viewerJsonRows(work: string): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  const server = await startServer(work, join(work, "archive"));
  try {
    const context = await browserAt(server);
    if (context === null) return [skipped(WHAT, TARGET, "no Chromium here: name one with CHROMIUM_PATH")];
    const { id } = JSON.parse((await server.ask("POST", "/api/sessions", { title: "A full hold" })).text) as {
      id: string;
    };
    // A small one first, which fills the browser's cache and compiles the server's page.
    const warm = await context.newPage();
    await firstScreen(warm, await stored(server, id, -1));
    await warm.close();
    const first: number[] = [];
    const unfolds: number[] = [];
    const finds: number[] = [];
    let heapBytes = 0;
    for (let copy = 0; copy < COPIES; copy++) {
      const address = await stored(server, id, copy);
      const page = await context.newPage();
      first.push(await firstScreen(page, address));
      await page.locator(FOOT).getByText("Numbers, keys and their order").waitFor({ timeout: 60_000 });
      await page.locator(TREE).focus();
      for (const key of ["Home", "PageDown", "PageDown", "End"]) {
        await page.keyboard.press(key);
        if (key === "Home") await page.keyboard.press("ArrowDown");
        await page.locator(CHOSEN).filter({ hasText: "{" }).waitFor();
        unfolds.push(await until(page, "ArrowRight", `${CHOSEN} + [aria-level="3"]`));
      }
      // The list of 100,000 numbers at the end.
      await page.keyboard.press("ArrowRight");
      await page.locator(CHOSEN).filter({ hasText: "tail" }).waitFor();
      unfolds.push(await until(page, "ArrowRight", `${CHOSEN} + [aria-level="4"]`));
      await page.keyboard.press("Home");
      await page.keyboard.press("/");
      await page.keyboard.insertText("barnacle");
      await page.getByLabel("Found", { exact: true }).getByText(/^1 of/).waitFor();
      for (let i = 0; i < 5; i++) {
        const was = (await page.locator(`${FOOT} code`).textContent()) ?? "";
        finds.push(await until(page, "Enter", `${FOOT} code`, was));
      }
      const memory = await context.newCDPSession(page);
      await memory.send("HeapProfiler.collectGarbage");
      heapBytes = Math.max(heapBytes, (await memory.send("Runtime.getHeapUsage")).usedSize);
      await page.close();
    }
    const worst = Math.max(...unfolds);
    return [
      {
        what: WHAT,
        measured: `${ms(median(first))} / ${ms(median(unfolds))}, at worst ${ms(worst)} / ${ms(median(finds))}; heap ${mb(heapBytes)}`,
        against: "",
        ratio: "",
        target: TARGET,
        verdict: verdict(
          median(first) <= 500,
          median(unfolds) <= 100,
          median(finds) <= 300,
          heapBytes <= 150 * 1024 * 1024,
        ),
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Records, and at the end one with a long list; each copy is another document. The address of its page. */
async function stored(server: Server, session: string, copy: number): Promise<string> {
  const records: string[] = [];
  for (let bytes = 0, i = 0; bytes < (copy < 0 ? 1e5 : JSON_BYTES); i++) {
    const rare = i % RARE === RARE - 1 ? "barnacle" : "beef";
    const record = `{"cask":${i},"what":"salted ${rare}, ${copy}","where":"aft, below the magazine","marks":[${i % 7},${i / 4},"x${i}"],"by":{"who":"purser","on":"2026-01-0${(i % 9) + 1}"}}`;
    bytes += record.length + 1;
    records.push(record);
  }
  records.push(`{"tail":[${Array.from({ length: 100_000 }, (_, i) => i).join(",")}]}`);
  const answer = await fetch(
    `${server.url}/api/sessions/${session}/artifacts?name=hold-${copy}.json&type=application/json`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
      body: `[${records.join(",")}]`,
    },
  );
  if (!answer.ok) throw new Error(`The JSON was not stored: ${answer.status} ${await answer.text()}`);
  const { pointer } = (await answer.json()) as { pointer: string };
  return `${server.url}/artifacts/${encodeURIComponent(pointer)}`;
}

/** Milliseconds from the asking to a screen of rows. */
async function firstScreen(page: Page, address: string): Promise<number> {
  await page.addInitScript((selector) => {
    const look = (): void => {
      const rows = [...document.querySelectorAll(`${selector} [role="treeitem"]`)];
      if (
        rows.length >= 30 &&
        rows.slice(0, 30).every((row) => row.textContent?.includes("cask") || row.ariaLevel === "1")
      )
        Object.assign(globalThis, { shownAt: performance.now() });
      else requestAnimationFrame(look);
    };
    look();
  }, TREE);
  await page.goto(address);
  await page.waitForFunction(() => "shownAt" in globalThis);
  return page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
}

/** Milliseconds from a key to the frame in which an element is there, or its text is another. */
async function until(page: Page, key: string, selector: string, was: string | null = null): Promise<number> {
  await page.evaluate(
    ([wanted, before]) => {
      Object.assign(globalThis, { tookMs: null });
      addEventListener(
        "keydown",
        () => {
          const startedAt = performance.now();
          const look = (): void => {
            const found = document.querySelector(wanted!);
            if (found && (before === null || found.textContent !== before))
              Object.assign(globalThis, { tookMs: performance.now() - startedAt });
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { capture: true, once: true },
      );
    },
    [selector, was] as const,
  );
  await page.keyboard.press(key);
  await page.waitForFunction(() => (globalThis as unknown as { tookMs: number | null }).tookMs !== null);
  return page.evaluate(() => (globalThis as unknown as { tookMs: number }).tookMs);
}
