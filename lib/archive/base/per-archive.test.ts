import { expect, test } from "vitest";
import { inArchive } from "../testing-archive.ts";
import { cached, perArchive } from "./per-archive.ts";

test("state is made once for each archive", () =>
  inArchive((one) =>
    inArchive(async (other) => {
      const counter = perArchive(() => ({ count: 0 }));
      counter(one).count++;
      expect([counter(one).count, counter(other).count]).toEqual([1, 0]);
    }),
  ));

test("a value is made again when its version is another, and the last used keys are kept", () =>
  inArchive(async (archive) => {
    const made: string[] = [];
    const ask = (key: string, version: number) =>
      cached(archive, "a view", version, () => (made.push(`${key}${version}`), `${key}${version}`), { key, limit: 2 });
    expect([ask("a", 1), ask("a", 1), ask("a", 2)]).toEqual(["a1", "a1", "a2"]);
    expect(made).toEqual(["a1", "a2"]);
    ask("b", 1);
    ask("a", 2);
    ask("c", 1);
    // b was used least lately.
    expect([ask("a", 2), ask("b", 1)]).toEqual(["a2", "b1"]);
    expect(made).toEqual(["a1", "a2", "b1", "c1", "b1"]);
    expect(cached(archive, "another", 1, () => 7)).toBe(7);
  }));
