// A log of 100 MB in the viewer of lines, in a real Chromium: the first screen, the jump to its end, how evenly it scrolls.
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { random } from "./generate-sessions.ts";
import { browserAt } from "./bench-pages.ts";
import { startServer, type Server } from "./bench-server.ts";
import { mb, median, ms, skipped, verdict, type Row } from "./table.ts";

const LOG_BYTES = 100e6;
const LINES = 700_000;
const OPENINGS = 5;
const SCROLL_FRAMES = 300;
const TARGET = "≤ 300 ms; ≤ 150 ms; p95 frame ≤ 33 ms";
const WHAT = `a log of ${mb(LOG_BYTES)}, ${LINES.toLocaleString("en")} lines, in Chromium`;
const TEXT = '[aria-label="Text of the artifact"]';

export async function viewerLogRows(work: string): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  const file = join(work, "watch.log");
  const last = writeColouredLog(file);
  const server = await startServer(work, join(work, "archive"));
  try {
    const context = await browserAt(server);
    if (context === null) return [skipped(WHAT, TARGET, "no Chromium here: name one with CHROMIUM_PATH")];
    const address = `${server.url}/artifacts/${encodeURIComponent(await stored(server, file))}`;
    const first: number[] = [];
    const toEnd: number[] = [];
    // The first visit fills the browser's cache and compiles the server's page.
    for (let i = 0; i <= OPENINGS; i++) {
      const page = await context.newPage();
      const shownMs = await firstScreen(page, address);
      const jumpedMs = await jumpToEnd(page, last);
      if (i > 0) {
        first.push(shownMs);
        toEnd.push(jumpedMs);
      }
      await page.close();
    }
    const page = await context.newPage();
    await firstScreen(page, address);
    const reading = p95(await scroll(page, 120));
    const dragging = p95(await scroll(page, (LINES * 18) / SCROLL_FRAMES));
    await page.close();
    return [
      {
        what: WHAT,
        measured: `first screen ${ms(median(first))}, jump to the end ${ms(median(toEnd))}; frames p95 ${ms(reading)} at 120 px a frame, ${ms(dragging)} from end to end in ${SCROLL_FRAMES}`,
        against: "",
        ratio: "",
        target: TARGET,
        verdict: verdict(median(first) <= 300, median(toEnd) <= 150, reading <= 33.4, dragging <= 33.4),
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Lines of some 140 bytes, each level in a colour as terminals get it; its last words. */
function writeColouredLog(path: string): string {
  const next = random(11);
  const fd = openSync(path, "w");
  let last = "";
  for (let done = 0, i = 1; i <= LINES;) {
    let text = "";
    for (; text.length < 4e6 && i <= LINES; i++) {
      const level = next() < 0.01 ? "\u001b[31mERROR\u001b[0m" : next() < 0.1 ? "\u001b[33mWARN\u001b[0m" : "INFO";
      last = `watch ${i} of ${LINES}`;
      const line = `2026-06-01T12:00:00.${String(i % 1000).padStart(3, "0")}Z ${level} quay-${Math.floor(next() * 64)} path=/v1/berths/${Math.floor(next() * 1e6)} ${last} `;
      const length = Math.floor((LOG_BYTES * i) / LINES) - done - text.length - 1;
      text += `${line.padEnd(length, ".")}\n`;
    }
    done += writeSync(fd, text);
  }
  closeSync(fd);
  return last;
}

async function stored(server: Server, file: string): Promise<string> {
  const { id } = JSON.parse((await server.ask("POST", "/api/sessions", { title: "A long watch" })).text) as {
    id: string;
  };
  const answer = await fetch(`${server.url}/api/sessions/${id}/artifacts?name=watch.log&type=text/plain`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
    body: readFileSync(file),
  });
  if (!answer.ok) throw new Error(`The log was not stored: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { pointer: string }).pointer;
}

/** Milliseconds from the asking to a screen of lines. */
async function firstScreen(page: Page, address: string): Promise<number> {
  await page.addInitScript((selector) => {
    const look = (): void => {
      const shown = document.querySelectorAll(`${selector} code`);
      if (shown.length >= 30 && [...shown].slice(0, 30).every((line) => line.textContent !== ""))
        Object.assign(globalThis, { shownAt: performance.now() });
      else requestAnimationFrame(look);
    };
    look();
  }, TEXT);
  await page.goto(address);
  await page.waitForFunction(() => "shownAt" in globalThis);
  // Until the page listens to keys.
  await page.waitForLoadState("networkidle");
  return page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
}

/** Milliseconds from the key to the last line on screen. */
async function jumpToEnd(page: Page, last: string): Promise<number> {
  await page.locator(TEXT).focus();
  await page.evaluate(
    ([selector, words]) => {
      addEventListener(
        "keydown",
        () => {
          const startedAt = performance.now();
          const look = (): void => {
            const box = document.querySelector(selector!)!;
            const found = [...box.querySelectorAll("code")].find((line) => line.textContent?.includes(words!));
            if (found && found.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1)
              Object.assign(globalThis, { jumpedMs: performance.now() - startedAt });
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { capture: true, once: true },
      );
    },
    [TEXT, last],
  );
  await page.keyboard.press("End");
  await page.waitForFunction(() => "jumpedMs" in globalThis);
  return page.evaluate(() => (globalThis as unknown as { jumpedMs: number }).jumpedMs);
}

/** Frames of a scroll from the top, so many pixels a frame. */
function scroll(page: Page, px: number): Promise<number[]> {
  return page.evaluate(
    ([selector, step, count]) =>
      new Promise<number[]>((resolve) => {
        const box = document.querySelector(selector as string)!;
        const took: number[] = [];
        let before = performance.now();
        box.scrollTop = 0;
        const frame = (now: number): void => {
          took.push(now - before);
          before = now;
          box.scrollTop += step as number;
          if (took.length < (count as number)) requestAnimationFrame(frame);
          else resolve(took.slice(1));
        };
        requestAnimationFrame(frame);
      }),
    [TEXT, px, SCROLL_FRAMES] as const,
  );
}

const p95 = (frames: readonly number[]): number => frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)]!;
