// A listener that every other host is mapped to, and a Chromium that knows no other: whoever calls home is counted.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { chromium, type Browser, type BrowserContext, type Page } from "@playwright/test";

export type Canary = {
  readonly browser: Browser;
  /** What connected, by the first line that it said. */
  readonly heard: string[];
  close(): Promise<void>;
};

// Chromium's own calls (sign-in, autofill, updates) are no page's: the first rule that fits a name holds.
const OWN_CALLS = ["*.google.com", "*.googleapis.com", "*.gstatic.com", "*.gvt1.com"].map(
  (host) => `MAP ${host} ~NOTFOUND`,
);

export async function startCanary(): Promise<Canary> {
  const heard: string[] = [];
  const listener = createServer((socket) => {
    const at = heard.push("(said nothing)") - 1;
    socket.on("error", () => undefined);
    socket.once("data", (chunk) => {
      heard[at] = chunk
        .toString("latin1")
        .replaceAll(/[^ -~]+/g, " ")
        .slice(0, 200);
      socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    });
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  const { port } = listener.address() as AddressInfo;
  const browser = await chromium.launch({
    ...(process.env["CHROMIUM_PATH"] ? { executablePath: process.env["CHROMIUM_PATH"] } : {}),
    args: [`--host-resolver-rules=${[...OWN_CALLS, `MAP * 127.0.0.1:${port}`, "EXCLUDE 127.0.0.1"].join(", ")}`],
    chromiumSandbox: false,
  });
  return {
    browser,
    heard,
    async close() {
      await browser.close();
      await new Promise((done) => listener.close(done));
    },
  };
}

/** What a page did that it must not do, and which payloads and events it has shown. */
export type Watch = {
  readonly wrong: string[];
  readonly seen: Set<string>;
  readonly events: Set<string>;
  inFlight: number;
  /** Its scripts run: it listens for changes. */
  isAwake: boolean;
};

const watches = new WeakMap<Page, Watch>();
export const watchOf = (page: Page): Watch => watches.get(page) ?? failNoWatch();

function failNoWatch(): never {
  throw new Error("This page is not watched: open it with watchedPage.");
}

/** A page whose dialogs, errors, policy reports, windows and requests are written down. */
export async function watchedPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const watch: Watch = { wrong: [], seen: new Set(), events: new Set(), inFlight: 0, isAwake: false };
  watches.set(page, watch);
  const wrong = (what: string) => watch.wrong.push(`${new URL(page.url()).pathname}: ${what}`.slice(0, 600));
  await page.exposeFunction("reportPolicy", (what: string) => void wrong(`policy report: ${what}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report = (window as unknown as { reportPolicy: (what: string) => void }).reportPolicy;
      report(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  page.on("dialog", (dialog) => {
    wrong(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => wrong(`page error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && wrong(`console: ${message.text()}`));
  page.on("popup", (popup) => wrong(`window: ${popup.url()}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.hostname !== "127.0.0.1" && !["data:", "blob:"].includes(url.protocol)) wrong(`request: ${request.url()}`);
    if (isStream(request.url())) watch.isAwake = true;
    else watch.inFlight += 1;
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) watch.isAwake = false;
  });
  const over = (request: { url(): string }) => {
    if (!isStream(request.url())) watch.inFlight -= 1;
  };
  page.on("requestfinished", over);
  page.on("requestfailed", over);
  return page;
}

const isStream = (url: string): boolean => url.endsWith("/api/changes");

/**
 * Resolves when the scripts run, nothing is being fetched, two frames have been drawn and each row has its body: rows ask for it
 * once the list rests. On a busy machine a page rests for a second or two before its scripts run.
 */
export async function settle(page: Page): Promise<void> {
  const watch = watchOf(page);
  const until = Date.now() + 15_000;
  let isBusy = false;
  do {
    isBusy = await page.evaluate(async () => {
      await new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
      return document.querySelector('[role="feed"] article[aria-busy="true"]') !== null;
    });
  } while ((isBusy || !watch.isAwake || watch.inFlight > 0) && Date.now() < until);
}
