// Pages in a real Chromium: what was sent, when something stood there, how evenly it scrolled.
import { chromium, type Browser, type BrowserContext } from "@playwright/test";
import { findBrowser } from "../browser.mjs";
import type { Server } from "./bench-server.ts";
import { median } from "./table.ts";

export type Opened = {
  readonly firstContentMs: number;
  /** The events on screen are there with their texts, and the chart is painted. */
  readonly readyMs: number;
  readonly frames: number;
  readonly frameP95Ms: number;
  readonly frameMaxMs: number;
  readonly heapBytes: number;
};

/** Frames of a scroll from the first event to the last. */
const SCROLL_FRAMES = 400;

let launched: { browser: Browser; context: BrowserContext; server: Server } | null = null;

/** A signed-in browser; null when none is on this machine. */
export async function browserAt(server: Server): Promise<BrowserContext | null> {
  if (launched?.server === server) return launched.context;
  await closeBrowser();
  const own = chromium.executablePath();
  const executablePath = findBrowser({ ...process.env }) ?? own;
  let browser: Browser;
  try {
    browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ["--js-flags=--expose-gc"] });
  } catch (error) {
    if (executablePath !== own) throw error;
    return null;
  }
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.request.get(server.link);
  launched = { browser, context, server };
  return context;
}

export async function closeBrowser(): Promise<void> {
  await launched?.browser.close();
  launched = null;
}

/** Bytes of scripts that came over the wire for the sessions page, compressed as they were sent. */
export async function scriptBytes(server: Server): Promise<number | null> {
  const context = await browserAt(server);
  if (context === null) return null;
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  const scripts = new Set<string>();
  let bytes = 0;
  network.on("Network.responseReceived", ({ requestId, type }) => {
    if (type === "Script") scripts.add(requestId);
  });
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(`${server.url}/`);
  await page.locator("tr[data-row]").first().waitFor();
  // What is fetched when the page has come to rest belongs to it too.
  await page.waitForTimeout(1500);
  await page.close();
  return bytes;
}

/** A session opened and scrolled to its end so many times: the medians. */
export async function openedSession(server: Server, id: string, times = 5): Promise<Opened> {
  const context = (await browserAt(server))!;
  // The first visit fills the browser's cache and compiles the server's page: people open the second session more often.
  const first = await context.newPage();
  await first.goto(`${server.url}/sessions/${id}`);
  await first.locator('[role="feed"][aria-busy="false"]').waitFor();
  await first.close();
  const all: Opened[] = [];
  for (let i = 0; i < times; i++) all.push(await openedOnce(context, `${server.url}/sessions/${id}`));
  const figures = Object.keys(all[0]!) as (keyof Opened)[];
  return Object.fromEntries(figures.map((name) => [name, median(all.map((one) => one[name]))])) as Opened;
}

async function openedOnce(context: BrowserContext, url: string): Promise<Opened> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = (): void => {
      const isThere =
        document.querySelector('[role="feed"][aria-busy="false"] article') !== null &&
        document.querySelector("canvas, [role=slider]") !== null;
      if (isThere) Object.assign(globalThis, { readyAt: performance.now() });
      else requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(url);
  await page.waitForFunction(() => "readyAt" in globalThis);
  const times = await page.evaluate(() => ({
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    ready: (globalThis as unknown as { readyAt: number }).readyAt,
  }));
  const frames = await page.evaluate(
    (count) =>
      new Promise<number[]>((resolve) => {
        const feed = document.querySelector('[role="feed"]')!;
        const took: number[] = [];
        let last = performance.now();
        const step = (now: number): void => {
          took.push(now - last);
          last = now;
          feed.scrollTop = ((feed.scrollHeight - feed.clientHeight) * took.length) / count;
          if (took.length < count) requestAnimationFrame(step);
          else resolve(took.slice(1));
        };
        requestAnimationFrame(step);
      }),
    SCROLL_FRAMES,
  );
  const memory = await context.newCDPSession(page);
  await memory.send("HeapProfiler.collectGarbage");
  const { usedSize } = await memory.send("Runtime.getHeapUsage");
  await page.close();
  const sorted = frames.toSorted((a, b) => a - b);
  return {
    firstContentMs: times.first,
    readyMs: times.ready,
    frames: frames.length,
    frameP95Ms: sorted[Math.floor(sorted.length * 0.95)]!,
    frameMaxMs: sorted.at(-1)!,
    heapBytes: usedSize,
  };
}
