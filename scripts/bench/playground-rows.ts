// jq as one types, over 1 MB of JSON, in a real Chromium: from each key to its result on the screen, and whether typing
// is ever held up.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { random } from "./generate-sessions.ts";
import { browserAt } from "./bench-pages.ts";
import { startServer, type Server } from "./bench-server.ts";
import { median, ms, skipped, verdict, type Row } from "./table.ts";

const WHAT = "key press to result, 1 MB JSON, in Chromium";
const TARGET = "p95 ≤ 150 ms; no task over 50 ms";
const PRESSES = 24;
/** A quick hand: twelve keys a second. */
const QUICK_MS = 80;

export async function playgroundRows(work: string): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  const file = join(work, "berths.json");
  const rows = writeBerths(file);
  const server = await startServer(work, join(work, "archive"));
  try {
    const context = await browserAt(server);
    if (context === null) return [skipped(WHAT, TARGET, "no Chromium here: name one with CHROMIUM_PATH")];
    const artifact = await stored(server, file);
    const page = await context.newPage();
    const address = (program: string): string =>
      `${server.url}/playground?${new URLSearchParams({ artifact, program }).toString()}`;
    await openEditor(page, address("(.berths | length) + 1"));
    const took: number[] = [];
    await watchTasks(page);
    let digits = "1";
    for (let i = 1; i <= PRESSES; i++) {
      // Twelve digits are read exactly; then from the start.
      if (digits.length === 12) {
        for (let back = 0; back < 11; back++) await page.keyboard.press("Backspace");
        digits = "1";
      }
      const digit = String((i % 9) + 1);
      digits += digit;
      took.push(await pressAndSee(page, digit, String(rows + Number(digits))));
    }
    const longest = await longestTask(page);
    // All of it, laid out anew at every key.
    await openEditor(page, address(". #"));
    await watchTasks(page);
    for (let i = 0; i < PRESSES; i++) await page.keyboard.press("t", { delay: QUICK_MS });
    await page.waitForTimeout(1500);
    const longestOfAll = await longestTask(page);
    await page.close();
    const p95 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.95)]!;
    return [
      {
        what: WHAT,
        measured: `median ${ms(median(took))}, p95 ${ms(p95)} of ${took.length} keys; longest task ${task(longest)}, with a result of 1 MB ${task(longestOfAll)}`,
        against: "",
        ratio: "",
        target: TARGET,
        verdict: verdict(p95 <= 150, longest <= 50, longestOfAll <= 50),
      },
    ];
  } finally {
    await server.stop();
  }
}

/** About 1 MB; the number of its rows. */
function writeBerths(path: string): number {
  const next = random(5);
  const berths = Array.from({ length: 9000 }, (_, at) => ({
    id: at,
    berth: `quay-${Math.floor(next() * 64)}`,
    ship: `MV ${Math.floor(next() * 1e6)}`,
    draught: Math.floor(next() * 900) / 100,
    paid: next() < 0.5,
    note: "x".repeat(Math.floor(next() * 40)),
  }));
  writeFileSync(path, JSON.stringify({ berths }));
  return berths.length;
}

async function stored(server: Server, file: string): Promise<string> {
  const { id } = JSON.parse((await server.ask("POST", "/api/sessions", { title: "Who pays" })).text) as { id: string };
  const answer = await fetch(`${server.url}/api/sessions/${id}/artifacts?name=berths.json&type=application/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
    body: readFileSync(file),
  });
  if (!answer.ok) throw new Error(`The berths were not stored: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { pointer: string }).pointer;
}

async function openEditor(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const editor = page.getByRole("textbox", { name: /^jq program/ });
  await editor.waitFor();
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+End");
  // What the page fetches when it has come to rest is not typing.
  await page.waitForTimeout(4000);
}

type Watched = { longest: number; seen: Promise<number> };

async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watched = globalThis as unknown as Watched;
    watched.longest = 0;
    const look = (list: PerformanceObserverEntryList): void => {
      for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
    };
    new PerformanceObserver(look).observe({ type: "longtask" });
  });
}

const task = (longest: number): string => (longest === 0 ? "under 50 ms" : ms(longest));

/** 0 when none was over 50 ms: the browser tells of no shorter one. */
const longestTask = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as Watched).longest);

/** From the key in the page to the frame that shows what was wanted. */
async function pressAndSee(page: Page, key: string, wanted: string): Promise<number> {
  await page.evaluate((text) => {
    const watched = globalThis as unknown as Watched;
    watched.seen = new Promise((done) => {
      window.addEventListener(
        "keydown",
        ({ timeStamp }) => {
          const look = (now: number): void => {
            const shown = document.querySelector('[data-old="false"] code')?.textContent;
            if (shown === text) done(now - timeStamp);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { capture: true, once: true },
      );
    });
  }, wanted);
  await page.keyboard.press(key);
  return page.evaluate(() => (globalThis as unknown as Watched).seen);
}
