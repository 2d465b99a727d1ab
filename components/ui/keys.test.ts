import { expect, test } from "vitest";
import { keyName, matchKeys, type Shortcut } from "./keys.ts";

const shortcut = (keys: string, label = keys): Shortcut => ({ keys, label, group: "test", run: () => {} });
const PLAIN = { altKey: false, shiftKey: false };
const press = (key: string, mod = false, mac = true) =>
  keyName({ key, metaKey: mod && mac, ctrlKey: mod && !mac, ...PLAIN }, mac);

test("a key, its capital and a key with a modifier are three", () => {
  expect([press("j"), press("J"), press("K", true), press("Shift")]).toEqual(["j", "J", "mod+k", null]);
});

test("mod is Command on a Mac and Ctrl elsewhere; the other one is left to the system", () => {
  expect(press("k", true, false)).toBe("mod+k");
  expect(keyName({ key: "k", metaKey: false, ctrlKey: true, ...PLAIN }, true)).toBeNull();
  expect(keyName({ key: "k", metaKey: true, ctrlKey: false, ...PLAIN }, false)).toBeNull();
});

test("an arrow with Shift is another key, and with Alt the browser's", () => {
  const arrow = (more: object) =>
    keyName({ key: "ArrowLeft", metaKey: false, ctrlKey: false, ...PLAIN, ...more }, false);
  expect([arrow({}), arrow({ shiftKey: true }), arrow({ altKey: true })]).toEqual([
    "ArrowLeft",
    "shift+ArrowLeft",
    null,
  ]);
});

test("a sequence waits for its second key", () => {
  const list = [shortcut("g s"), shortcut("g a"), shortcut("s")];
  expect(matchKeys(["g"], list)).toBe("part");
  expect(matchKeys(["g", "a"], list)).toMatchObject({ keys: "g a" });
  expect(matchKeys(["g", "s"], list)).toMatchObject({ keys: "g s" });
  expect(matchKeys(["x"], list)).toBeNull();
});

test("a false start does not swallow what follows", () => {
  const list = [shortcut("g s"), shortcut("j")];
  expect(matchKeys(["g", "j"], list)).toMatchObject({ keys: "j" });
  expect(matchKeys(["g", "g"], list)).toBe("part");
});

test("the list that came last wins", () => {
  expect(matchKeys(["j"], [shortcut("j", "page"), shortcut("j", "layer")])).toMatchObject({ label: "layer" });
});
