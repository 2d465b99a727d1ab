import { expect, test } from "vitest";
import { createCharger } from "./charged-usage.ts";
import { squarePng } from "./square-png.ts";

const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });
const text = (letters: number, more: object = {}) => ({ type: "text", text: "x".repeat(letters), ...more });
/** Of the JSON around a text block, at four characters a token. */
const tokens = (letters: number): number => Math.ceil((27 + letters) / 4);

test("what stands before the last cache mark is written, what stands behind it is neither written nor read", () => {
  const charge = createCharger();
  const body = { system: [text(400, mark())], messages: [{ role: "user", content: [text(80)] }] };
  expect(charge("messages", body)).toEqual({
    uncached: tokens(80),
    cacheRead: 0,
    cacheWrite5m: tokens(400),
    cacheWrite1h: 0,
  });
});

test("the beginning that an earlier request had is read, wherever its marks stood", () => {
  const charge = createCharger();
  const user = (content: object[]) => ({ role: "user", content });
  charge("messages", { system: [text(400)], messages: [user([text(80, mark())])] });
  const second = { system: [text(400)], messages: [user([text(80)]), user([text(120, mark("1h"))])] };
  expect(charge("messages", second)).toEqual({
    uncached: 0,
    cacheRead: tokens(400) + tokens(80),
    cacheWrite5m: 0,
    cacheWrite1h: tokens(120),
  });
});

test("one changed block, and nothing behind it is read", () => {
  const charge = createCharger();
  const body = (system: number) => ({
    system: [text(system)],
    messages: [{ role: "user", content: [text(80, mark())] }],
  });
  charge("messages", body(400));
  expect(charge("messages", body(401))).toMatchObject({ cacheRead: 0, cacheWrite5m: tokens(401) + tokens(80) });
});

test("an image weighs its dots, not its bytes", () => {
  const data = squarePng(300).toString("base64");
  const image = (more: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data: more } });
  const tokensOf = (block: object): number =>
    createCharger()("messages", { messages: [{ role: "user", content: [block] }] }).uncached;
  // 90,000 dots, beside the JSON around them.
  expect(tokensOf(image(data)) - tokensOf(image(""))).toBe(120);
});

test("items that have other ids are the same beginning", () => {
  const charge = createCharger();
  const item = (id: string) => ({ type: "message", id, role: "user", content: "hello" });
  const first = charge("responses", { instructions: "Be brief.", input: [item("a")] });
  const second = charge("responses", { instructions: "Be brief.", input: [item("b"), item("c")] });
  expect(second.cacheRead).toBe(first.uncached);
  expect(second.uncached).toBeGreaterThan(0);
});
