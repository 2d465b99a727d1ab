// Keys as soon as a page listens to them: what is pressed before, while its text stands there already, is lost.
import { expect, type Page } from "@playwright/test";

/** Returns when the shortcut holds; `mod+k`, `G`, `g-s`. */
export async function shortcutHolds(page: Page, keys: string): Promise<void> {
  await expect(page.locator(`html[data-shortcuts~="${keys}"]`)).toBeAttached();
}

/** Presses a shortcut, or one after the other the keys of a sequence. */
export async function pressShortcut(page: Page, keys: string): Promise<void> {
  await shortcutHolds(page, keys);
  for (const key of keys.split("-")) await page.keyboard.press(key);
}
