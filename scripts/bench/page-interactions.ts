// What a person presses on the tabs of a long session, and how long each press takes until the next paint (Event Timing).
import type { Page } from "@playwright/test";
import { browserAt } from "./bench-pages.ts";
import type { Server } from "./bench-server.ts";

export type TabInteractions = {
  readonly tab: string;
  /** Milliseconds from a press to the next paint. The browser rounds to 8 and reports none under 16: those are 16. */
  readonly delaysMs: readonly number[];
  /** Sum of the shifts that no press caused, from the first paint on. */
  readonly layoutShift: number;
};

/** Keys, and what is clicked where it is there: the n-th of a selector. */
type Press = { readonly key: string; readonly times?: number } | { readonly click: string; readonly nth?: number };

const PRESSES: Readonly<Record<string, readonly Press[]>> = {
  transcript: [
    { key: "j", times: 8 },
    { key: "k", times: 4 },
    { key: "Shift+J", times: 3 },
    { key: "]", times: 4 },
    { key: "ArrowRight", times: 2 },
    { key: "ArrowLeft", times: 2 },
    { key: "e", times: 2 },
    { click: '[role="group"] button[aria-pressed]', nth: 0 },
    { click: '[role="group"] button[aria-pressed]', nth: 0 },
    { key: "/" },
    { key: "h" },
    { key: "a" },
    { key: "r" },
    { key: "Escape" },
  ],
  load: [
    { key: "]", times: 6 },
    { key: "[", times: 6 },
    { click: '[role="tabpanel"] tbody tr', nth: 2 },
    { click: '[role="tabpanel"] thead button', nth: 1 },
    { click: '[role="tabpanel"] button[aria-pressed="false"]', nth: 0 },
    { click: '[role="tabpanel"] button[aria-pressed="true"]', nth: 0 },
  ],
  tools: [
    { click: '[role="tabpanel"] thead button', nth: 1 },
    { click: '[role="tabpanel"] thead button', nth: 2 },
    { click: '[role="tabpanel"] button[aria-pressed="false"]', nth: 0 },
    { key: "]", times: 3 },
  ],
  memory: [
    { key: "]", times: 3 },
    { click: '[role="tabpanel"] button[aria-pressed="false"]', nth: 0 },
    { click: '[role="tabpanel"] button[aria-pressed="false"]', nth: 1 },
  ],
  context: [
    { key: "]", times: 3 },
    { key: "[", times: 3 },
    { click: '[role="tabpanel"] tbody tr', nth: 3 },
    { click: '[role="tabpanel"] label', nth: 1 },
    { click: '[role="tabpanel"] label', nth: 2 },
  ],
  artifacts: [
    { click: '[role="tabpanel"] thead button', nth: 0 },
    { click: '[role="tabpanel"] thead button', nth: 2 },
  ],
};

/** Each tab of a session: opened by its address, pressed on as above, and left for the next one by a click. */
export async function sessionInteractions(server: Server, id: string): Promise<TabInteractions[]> {
  const context = (await browserAt(server))!;
  const measured: TabInteractions[] = [];
  for (const [tab, presses] of Object.entries(PRESSES)) {
    const page = await context.newPage();
    await page.addInitScript(observe);
    await page.goto(`${server.url}/sessions/${id}?tab=${tab}`);
    await page.locator('[role="tabpanel"] :is(tr[data-row], article, canvas, h2, p)').first().waitFor();
    await page.waitForTimeout(1500);
    let made = 0;
    for (const press of presses) made += await pressed(page, press);
    const next = Object.keys(PRESSES)[(Object.keys(PRESSES).indexOf(tab) + 1) % Object.keys(PRESSES).length];
    made += await pressed(page, { click: `[data-tab="${next}"]` });
    // The last entries are reported after their paint.
    await page.waitForTimeout(400);
    const { delays, shift } = await page.evaluate(() => {
      const { delaysOf, shiftOf } = globalThis as unknown as Observed;
      return { delays: [...delaysOf.values()], shift: shiftOf };
    });
    const short = Array.from({ length: Math.max(0, made - delays.length) }, () => 16);
    measured.push({ tab, delaysMs: [...delays, ...short], layoutShift: shift });
    await page.close();
  }
  return measured;
}

/** How many presses were made: none where what is clicked is not on this tab. */
async function pressed(page: Page, press: Press): Promise<number> {
  if ("click" in press) {
    const target = page.locator(press.click).nth(press.nth ?? 0);
    if (!(await target.isVisible())) return 0;
    await target.click();
    await page.waitForTimeout(150);
    return 1;
  }
  for (let i = 0; i < (press.times ?? 1); i++) {
    await page.keyboard.press(press.key);
    await page.waitForTimeout(80);
  }
  return press.times ?? 1;
}

type Observed = { delaysOf: Map<number, number>; shiftOf: number };

/** Runs in the page, before anything of it. */
function observe(): void {
  const observed: Observed = Object.assign(globalThis, { delaysOf: new Map<number, number>(), shiftOf: 0 });
  type Timed = PerformanceEntry & { interactionId: number };
  type Shifted = PerformanceEntry & { value: number; hadRecentInput: boolean };
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries() as Timed[])
      if (interactionId > 0)
        observed.delaysOf.set(interactionId, Math.max(duration, observed.delaysOf.get(interactionId) ?? 0));
  }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries() as Shifted[])
      if (!hadRecentInput) observed.shiftOf += value;
  }).observe({ type: "layout-shift", buffered: true });
}
