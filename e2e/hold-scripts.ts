import type { Page } from "@playwright/test";

/** Keeps the scripts of pages away: they are drawn, and not alive. Returns what lets them come. */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/_next\/.*\.js/u, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
