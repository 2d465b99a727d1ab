// Looks at a page as a whole: every text and every attribute that a person meets, every element that could act.
import type { Page } from "@playwright/test";
import { settle, watchOf } from "./canary.ts";

/** Notes what is wrong on the page as it stands, and which payloads stand on it. */
export async function look(page: Page): Promise<void> {
  await settle(page);
  const watch = watchOf(page);
  const { seen, wrong } = await page.evaluate(inspect);
  for (const id of seen) watch.seen.add(id);
  for (const seq of await page.evaluate(shownEvents)) watch.events.add(seq);
  const { pathname, search } = new URL(page.url());
  for (const what of wrong) watch.wrong.push(`${pathname}${search}: ${what}`.slice(0, 600));
}

/** Runs in the page. */
export function inspect(): { seen: string[]; wrong: string[] } {
  // What must never reach a reader as itself: C0 but tab and line end, C1, bidi, zero-width, tags, lone surrogates.
  // A joiner inside an emoji is the one exception.
  const raw =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d/u;
  const wrong: string[] = [];
  const seen = new Set<string>();
  const check = (where: string, text: string): void => {
    for (const id of text.match(/px\d{3}/g) ?? []) seen.add(id);
    const found = raw.exec(text);
    if (found === null) return;
    const around = JSON.stringify(text.slice(Math.max(0, found.index - 30), found.index + 20));
    wrong.push(`U+${found[0].codePointAt(0)?.toString(16)} in ${where}: ${around}`);
  };
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest("script,style") !== null) continue;
    check(`the text of <${parent.tagName.toLowerCase()} class="${parent.className}">`, node.nodeValue ?? "");
  }
  check("the title", document.title);
  for (const element of document.querySelectorAll("*")) {
    for (const name of ["title", "aria-label", "aria-description", "alt", "placeholder", "value", "download"]) {
      const value = element.getAttribute(name);
      if (value !== null) check(`${name} of <${element.tagName.toLowerCase()}>`, value);
    }
    for (const { name } of element.attributes) if (/^on/i.test(name)) wrong.push(`attribute ${name}`);
  }
  const active =
    "iframe,frame,object,embed,portal,base,math,video,audio,form[action],svg image,svg use,svg script,template,[ping],[srcset],meta[http-equiv]";
  for (const element of document.querySelectorAll(active)) wrong.push(`element ${element.outerHTML.slice(0, 200)}`);
  const own = (address: string): boolean => new URL(address, location.href).origin === location.origin;
  for (const element of document.querySelectorAll<HTMLElement>("[src],link[href],a[href],area[href]")) {
    const address = element.getAttribute("src") ?? element.getAttribute("href") ?? "";
    if (own(address)) continue;
    const isShownLink =
      element instanceof HTMLAnchorElement &&
      /^https?:$/.test(element.protocol) &&
      element.relList.contains("noreferrer") &&
      element.relList.contains("noopener") &&
      element.closest('[role="dialog"]') !== null;
    if (!isShownLink) wrong.push(`address ${element.outerHTML.slice(0, 200)}`);
  }
  if ("__xss" in window) wrong.push("a script ran");
  if (Object.keys(Object.prototype).length > 0) wrong.push("Object.prototype was changed");
  return { seen: [...seen], wrong };
}

/** The events whose rows stand in the transcript with their body. Runs in the page. */
function shownEvents(): string[] {
  const rows = document.querySelectorAll<HTMLElement>('[role="feed"] article[data-seq]:not([aria-busy="true"])');
  return [...rows].map((row) => row.dataset["seq"] ?? "");
}

/** Walks the box that scrolls the furthest from end to end, and looks at every part. */
export async function lookThrough(page: Page, before: () => Promise<void> = async () => undefined): Promise<void> {
  for (let step = 0; step < 400; step += 1) {
    await settle(page);
    await before();
    await look(page);
    const isMore = await page.evaluate(() => {
      let box: Element | null = null;
      for (const element of document.querySelectorAll("main *")) {
        if (element.scrollHeight <= element.clientHeight + 8 || element.closest("pre,aside") !== null) continue;
        if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) continue;
        if (box === null || element.scrollHeight > box.scrollHeight) box = element;
      }
      if (box === null) return false;
      const { scrollTop } = box;
      box.scrollTop += box.clientHeight * 0.8;
      return box.scrollTop > scrollTop + 1;
    });
    if (!isMore) return;
  }
  watchOf(page).wrong.push("The end was not reached in 400 steps.");
}
