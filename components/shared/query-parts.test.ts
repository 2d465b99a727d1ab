import { expect, test } from "vitest";
import { completed, completionsAt } from "./query-choices.ts";
import { hasFilter, partsOfQuery, toggleFilter } from "./query-parts.ts";
import { askedQuery } from "../ui/typed.ts";

const facets = {
  agents: [{ value: "claude-code", label: "Claude Code", count: 3 }],
  projects: [{ value: "/work/my shop", label: "/work/my shop", count: 2 }],
  models: [],
  tools: [
    { value: "Bash", label: "Bash", count: 4 },
    { value: "Read", label: "Read", count: 1 },
  ],
  types: [],
};

const at = (q: string) => completionsAt(q, q.length, facets).options.map(({ insert }) => insert);

test("a query has parts, with quoted ones whole", () => {
  expect(partsOfQuery('a "b c" -tool:Bash project:"x y"').map(({ text }) => text)).toEqual([
    "a",
    '"b c"',
    "-tool:Bash",
    'project:"x y"',
  ]);
});

test("a filter is added once, and taken out again", () => {
  const q = toggleFilter("leak", "project", "/work/my shop");
  expect(q).toBe('leak project:"/work/my shop"');
  expect(hasFilter(q, "project", "/work/my shop")).toBe(true);
  expect(toggleFilter(q, "project", "/work/my shop")).toBe("leak");
});

test("fields are offered by their beginning, then the values of one", () => {
  expect(at("leak to")).toEqual(["tool:", "tokens:"]);
  expect(at("tool:")).toEqual(["tool:Bash ", "tool:Read "]);
  expect(at("-tool:re")).toEqual(["-tool:Read "]);
  expect(at("project:")).toEqual(['project:"/work/my shop" ']);
  expect(at("type:comp")).toEqual(["type:compaction "]);
  expect(at("is:error")).toEqual([]);
  expect(at('"to')).toEqual([]);
  expect(at("leak ")).toEqual([]);
});

test("a completion takes the place of what was typed, and leaves the rest", () => {
  const q = "leak to pier";
  const found = completionsAt(q, 7, facets);
  expect(completed(q, found, "tool:")).toEqual({ q: "leak tool: pier", caret: 10 });
});

test("while a value of is: is typed, the query is asked without it; one that is none is refused", () => {
  expect(["leak is:e", "is:starr", "-is:er"].map(askedQuery)).toEqual(["leak", "", ""]);
  expect(["is:error", "leak is:x", "is:e leak"].map(askedQuery)).toEqual(["is:error", "leak is:x", "is:e leak"]);
});
