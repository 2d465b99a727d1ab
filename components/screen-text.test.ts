// Every text of the pages is short: at most 18 words and 110 characters, whatever is put into it.
import { expect, test } from "vitest";
import { isLong, textsBelow } from "#lib/kernel/testing-texts.ts";

/** What stays longer, and why. By a part of the text. */
const LONG: readonly (readonly [part: string, why: string])[] = [
  ["curl -sS", "a command to copy"],
  ["leave the disk", "what a deletion takes with it, in one place before it is done"],
  ["the turns that are cut are sent to", "what leaves this machine, and where to"],
];

/** Names of classes, selectors and addresses. */
const isCode = (text: string): boolean =>
  /<\/?\w+[ >]|(?:^| )[\w-]+:[\w-]|\[&|\bvar\(|-\[|\btext-\d\d\b|\bpx-\d/u.test(text);

test("no text of a page is over 18 words or 110 characters, but those that are named here", () => {
  const long = ["components", "app"]
    .flatMap(textsBelow)
    .filter(({ text }) => !isCode(text) && isLong(text))
    .map(({ file, text }) => `${file}: ${text}`);
  const named = LONG.map(([part]) => part);
  expect(long.filter((text) => !named.some((part) => text.includes(part)))).toEqual([]);
  expect(named.filter((part) => !long.some((text) => text.includes(part)))).toEqual([]);
});
