import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoadView } from "../shared/load-view.ts";
import { CATEGORIES } from "#lib/wire/common-schema.ts";
import { nextStop } from "./play-stops.ts";
import { treemapSvg } from "./treemap-svg.ts";
import type { Tile } from "./tiles.ts";

const viewOf = (turns: readonly number[]) => ({ calls: turns.map((turn) => ({ turn })) }) as unknown as LoadView;

test("a calm walk stops at the end of each turn, any other at each call; both end at the last", () => {
  const view = viewOf([1, 1, 1, 2, 3, 3]);
  expect([0, 2, 3, 4, 5].map((at) => nextStop(view, at, true))).toEqual([2, 3, 5, 5, null]);
  expect([0, 4, 5].map((at) => nextStop(view, at, false))).toEqual([1, 5, null]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 1 }), fc.boolean(), (turns, isCalm) => {
      let at = 0;
      for (let next: number | null = 0; next !== null; next = nextStop(viewOf(turns), at, isCalm)) {
        expect(next === 0 || next > at).toBe(true);
        at = next;
      }
      expect(at).toBe(turns.length - 1);
    }),
  );
});

const colors = {
  bg: "#fff",
  ink: "#000",
  load: "#c00",
  category: Object.fromEntries(CATEGORIES.map((name) => [name, "#00f"])) as Record<(typeof CATEGORIES)[number], string>,
};

test("a saved moment is a picture alone: hostile names stay text, and nothing is fetched", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const hostile = `<script>alert(1)</script><image href="http://x.example/"/>&${name}`;
      const tile: Tile = {
        key: "1",
        category: "result",
        item: null,
        tokens: 10,
        origin: "counted",
        age: 0,
        label: hostile,
        words: hostile,
        rect: { x: 0, y: 0, width: 4000, height: 40 },
      };
      const moment = { title: hostile, call: 3, tokens: 10, line: 20, width: 9000, tiles: [tile], free: 0, lineAt: 5 };
      const svg = treemapSvg(moment, colors);
      const tags = [...svg.matchAll(/<\/?(\w+)/gu)].map(([, tag]) => tag);
      expect(new Set(tags)).toEqual(new Set(["svg", "rect", "text", "path", "g", "title"]));
      expect(svg).not.toMatch(/<[^>]*(?:href|on\w+)=/u);
      expect(svg).toContain("50 % of the load line");
    }),
  );
});
