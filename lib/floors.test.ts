// The floors of the house: who may import whom, which packages stand where, no cycles, no file that grows without end, and
// no two files of one name. The checker takes a tree of sources, so that it is itself shown to fail, on small made-up trees.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";

type Tree = ReadonlyMap<string, string>;

/** What each floor may import beside itself. A floor that is not here may not exist. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  app: ["components", "lib/http", "lib/tools", "lib/archive", "lib/wire", "lib/kernel"],
  bin: [
    "bootstrap",
    "lib/http",
    "lib/mcp",
    "lib/tools",
    "lib/fleet",
    "lib/archive",
    "lib/models",
    "lib/proxy",
    "lib/sources",
    "lib/webhooks",
    "lib/wire",
    "lib/kernel",
  ],
  // Not part of the product: they start it, measure it and take its picture.
  scripts: [
    "bin",
    "bootstrap",
    "lib/client",
    "lib/http",
    "lib/fleet",
    "lib/tools",
    "lib/archive",
    "lib/agent-dirs",
    "lib/wire",
    "lib/kernel",
  ],
  "lib/client": ["lib/agent-dirs", "lib/blobs", "lib/wire", "lib/kernel"],
  "lib/http": ["lib/fleet", "lib/mcp", "lib/proxy", "lib/tools", "lib/archive", "lib/wire", "lib/kernel"],
  "lib/mcp": ["lib/tools", "lib/archive", "lib/wire", "lib/kernel"],
  "lib/fleet": ["db", "lib/archive", "lib/blobs", "lib/wire", "lib/kernel"],
  "lib/tools": ["lib/archive", "lib/wire", "lib/kernel"],
  "lib/archive": [
    "db",
    "lib/sources",
    "lib/formats",
    "lib/blobs",
    "lib/agent-dirs",
    "lib/jobs",
    "lib/wire",
    "lib/kernel",
  ],
  db: ["lib/kernel"],
  "lib/wire": ["lib/kernel"],
  "lib/sources": ["lib/kernel"],
  "lib/formats": ["lib/kernel"],
  "lib/blobs": ["lib/kernel"],
  "lib/agent-dirs": ["lib/kernel"],
  "lib/jobs": ["lib/kernel"],
  "lib/models": ["lib/kernel"],
  "lib/webhooks": ["lib/kernel"],
  "lib/proxy": ["lib/wire", "lib/kernel"],
  components: ["lib/wire", "lib/kernel"],
  "lib/kernel": [],
  // scripts/*.mjs: run by whatever Node a machine has, before anything is installed.
  bootstrap: [],
};

/**
 * Rooms of a floor, lowest first: a room imports itself and those before it. What stands beside the rooms may import all
 * of them, and no room imports it.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "lib/archive": [
    "base",
    "import",
    "settings",
    "artifacts",
    "load",
    "search",
    "sessions",
    "playground",
    "memory",
    "sources",
    "handover",
    "keep",
    "upkeep",
    "bundle",
    "exports",
  ],
  // Pages stand above what they show; what several of them share stands first.
  components: [
    "ui",
    "shared",
    "table",
    "diff",
    "events",
    "lines",
    "grep",
    "json-tree",
    "shape",
    "playground",
    "artifact",
    "inspector",
    "transcript",
    "artifacts-list",
    "chart",
    "export",
    "load",
    "memory",
    "compact",
    "context",
    "tools",
    "session",
    "sources",
    "sessions",
    "search",
    "usage",
    "settings",
    "fleet",
    "api-docs",
    "shell",
  ],
};

/** Packages that stand in few folders, and where. The first pattern that fits a package decides. */
const PACKAGES: readonly (readonly [name: RegExp, folders: readonly string[]])[] = [
  [/^next$/, ["app/", "components/", "bin/serve.ts"]],
  [/^(react|react-dom|next)(\/|$)/, ["app/", "components/"]],
  [/^better-sqlite3$/, ["db/", "lib/archive/", "lib/sources/sqlite.ts"]],
  [/^drizzle-orm(\/|$)/, ["db/", "lib/archive/"]],
  [/^postgres$/, ["db/fleet/"]],
  [/^s3mini$/, ["lib/blobs/s3-objects.ts"]],
];

/** Floors that may use these packages alone, and nothing of Node. */
const PURE: Readonly<Record<string, readonly string[] | "any">> = {
  "lib/kernel": ["zod"],
  "lib/wire": ["zod"],
  "lib/formats": ["zod"],
  components: "any",
};

const SOURCE_LINES = 300;
const TEST_LINES = 600;
/** A stylesheet has only what utilities cannot say: libraries' pseudo-elements, markup that others write, keyframes. */
const STYLE_LINES = 79;
/** Tables of data, and limits that were raised: each with its reason. */
const LONGER: Readonly<Record<string, { readonly lines: number; readonly because: string }>> = {};

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || /\/testing(-[a-z-]+)?\.ts$/.test(path);

const isBootstrap = (path: string): boolean => /^scripts\/.*\.mjs$/.test(path);

const floorOf = (path: string): string =>
  isBootstrap(path)
    ? "bootstrap"
    : path.startsWith("lib/")
      ? path.split("/").slice(0, 2).join("/")
      : path.slice(0, path.indexOf("/"));

type Import = { readonly name: string; readonly line: number };

/** Every import of a source: static, of types, re-exported, dynamic. Comments do not count. */
function importsOf(source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/^\s*\/\/.*$/gm, blank);
  const found: Import[] = [];
  const pattern =
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
  for (const match of code.matchAll(pattern)) {
    const name = match[1] ?? match[2] ?? match[3]!;
    found.push({ name, line: code.slice(0, match.index + match[0].length).split("\n").length });
  }
  return found;
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The file that a name leads to inside the tree, or null for a package. */
function targetOf(path: string, name: string): string | null {
  if (name.startsWith("#")) return name.slice(1);
  return name.startsWith(".") ? posix.join(posix.dirname(path), name) : null;
}

function problemsOf(tree: Tree, longer: Readonly<Record<string, { lines: number }>> = LONGER): string[] {
  const problems: string[] = [];
  for (const [path, source] of tree) {
    const floor = floorOf(path);
    const may = FLOORS[floor];
    if (may === undefined) {
      problems.push(`${path}: "${floor}" is no floor of the house`);
      continue;
    }
    for (const { name, line } of importsOf(source)) {
      const say = (what: string): number => problems.push(`${path}:${line}: ${what}`);
      const target = targetOf(path, name);
      if (target === null) {
        const trouble = packageTrouble(path, floor, name);
        if (trouble !== null) say(trouble);
        continue;
      }
      const to = floorOf(target);
      if (to === floor) {
        if (name.startsWith("#")) say(`${name} is on its own floor: import it by a relative path`);
        const trouble = roomTrouble(floor, path, target);
        if (trouble !== null) say(trouble);
      } else if (!may.includes(to)) say(`${floor} may not import ${to} (${name})`);
      else if (!name.startsWith("#") && to !== "bootstrap") say(`${name} is on another floor: import it as #${target}`);
      if (/\.[cm]?[jt]sx?$/.test(target) && !tree.has(target) && !target.startsWith("public/"))
        say(`${name} leads nowhere`);
    }
    const lines = source.split("\n").length - (source.endsWith("\n") ? 1 : 0);
    const limit =
      longer[path]?.lines ?? (path.endsWith(".css") ? STYLE_LINES : isTest(path) ? TEST_LINES : SOURCE_LINES);
    if (lines > limit) problems.push(`${path}: ${lines} lines, over the limit of ${limit}`);
  }
  for (const cycle of cyclesOf(tree)) problems.push(`a cycle: ${cycle.join(" → ")}`);
  return problems;
}

/** Why a file may not import another of its floor, or null. Tests stand where they like. */
function roomTrouble(floor: string, path: string, target: string): string | null {
  const rooms = ROOMS[floor];
  if (rooms === undefined || isTest(path)) return null;
  const [from, to] = [path, target].map((file) => file.slice(floor.length + 1).split("/"));
  const heights = [from!, to!].map(([room, rest]) => (rest === undefined ? rooms.length : rooms.indexOf(room!)));
  if (heights[0] === -1) return `"${from![0]}" is no room of ${floor}`;
  return heights[1]! <= heights[0]!
    ? null
    : `the room ${from![0]} may not import ${to!.join("/")}, which stands above it`;
}

function packageTrouble(path: string, floor: string, name: string): string | null {
  if (isTest(path)) return null;
  const pure = PURE[floor];
  if (name.startsWith("node:")) return pure === undefined ? null : `${floor} may not use ${name}`;
  if (pure !== undefined && pure !== "any" && !pure.includes(name)) return `${floor} may not use the package ${name}`;
  const folders = PACKAGES.find(([pattern]) => pattern.test(name))?.[1];
  if (
    folders === undefined ||
    folders.some((folder) => path === folder || (folder.endsWith("/") && path.startsWith(folder)))
  )
    return null;
  return `${name} may stand only in ${folders.join(", ")}`;
}

/** Rings of files that import each other, types counted: one ring for each group. */
function cyclesOf(tree: Tree): string[][] {
  const next = new Map(
    [...tree].map(([path, source]) => [
      path,
      importsOf(source)
        .map(({ name }) => targetOf(path, name))
        .filter((target) => target !== null && tree.has(target)) as string[],
    ]),
  );
  const state = new Map<string, "open" | "done">();
  const cycles: string[][] = [];
  const trail: string[] = [];
  const visit = (path: string): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      cycles.push([...trail.slice(trail.indexOf(path)), path]);
      return;
    }
    state.set(path, "open");
    trail.push(path);
    for (const target of next.get(path)!) visit(target);
    trail.pop();
    state.set(path, "done");
  };
  for (const path of tree.keys()) visit(path);
  return cycles;
}

/** Names that Next or a registry gives: any number of files has them. */
const GIVEN_NAMES = /^(index\.ts|(page|layout|loading|error|not-found|global-error)\.tsx|route\.ts)$/;

/** What is wrong with the names of files: a name that two have and the list does not, and what the list no longer needs. */
function nameProblemsOf(paths: Iterable<string>): string[] {
  return [...Map.groupBy(paths, (path) => posix.basename(path))]
    .filter(([name, same]) => same.length > 1 && !GIVEN_NAMES.test(name))
    .map(([name, same]) => `${name} names ${same.length} files, give the new one another: ${same.join(", ")}`);
}

/** Names that say too little, in code and of files. A field of an answer that others read may be called `places`. */
const VAGUE: readonly { readonly name: RegExp; readonly file: RegExp; readonly write: string }[] = [
  {
    // `placed`, `placement` and `placeholder` are other words.
    name: /^place$|^places?[A-Z]|^Places?($|[A-Z])|[a-z]Places?($|[A-Z])|^PLACES?($|_)|_PLACES?($|_)/,
    file: /(^|[-/])places?[-.][^/]*$/,
    write: "position, path, location or offset",
  },
];

/** Identifiers, where only code can have them: words in strings, comments and between tags do not count. */
function namesIn(source: string): Set<string> {
  const code = source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
  const compound = code.matchAll(/([A-Za-z_]*(?:[a-z][A-Z]|_)\w*)/g);
  const declared = code.matchAll(/\b(?:const|let|function|type|class|interface)\s+[[{]?\s*([A-Za-z_]\w*)/g);
  const used = code.matchAll(/(?:[.,:;=(){}[\]!?&|<>+*/#]\s*|- )([A-Za-z_]\w*)(?=\s*[.,:;=(){}[\]!?&|<>+*/-])/g);
  return new Set([...compound, ...declared, ...used].map(([, name]) => name!));
}

function vagueNamesOf(tree: Tree): string[] {
  return [...tree].flatMap(([path, source]) =>
    VAGUE.flatMap(({ name, file, write }) => [
      ...(file.test(path) ? [`${path}: write ${write}`] : []),
      ...[...namesIn(source)].filter((one) => name.test(one)).map((one) => `${path}: ${one}: write ${write}`),
    ]),
  );
}

const ROOT = join(import.meta.dirname, "..");

function pathsBelow(tops: readonly string[]): string[] {
  return tops.flatMap((top) =>
    readdirSync(join(ROOT, top), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|js|css)$/.test(entry.name))
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(ROOT.length + 1)
          .replaceAll("\\", "/"),
      ),
  );
}

function readTree(...more: readonly string[]): Tree {
  const paths = pathsBelow(["app", "bin", "components", "db", "lib", "scripts", ...more]);
  const tree = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
  tree.delete("lib/floors.test.ts");
  return tree;
}

test("the house stands on its floors", () => {
  const tree = readTree();
  expect(tree.size).toBeGreaterThan(150);
  expect(problemsOf(tree)).toEqual([]);
});

test("no two files have one name", () => {
  const paths = pathsBelow(["app", "bin", "components", "db", "docs", "e2e", "lib", "scripts"]);
  expect(nameProblemsOf(paths)).toEqual([]);
});

test("every floor and every room is there", () => {
  const folders = new Set([...readTree().keys()].map(posix.dirname));
  const isThere = (folder: string): boolean =>
    [...folders].some((one) => one === folder || one.startsWith(`${folder}/`));
  const named = Object.keys(FLOORS).filter((floor) => floor !== "bootstrap");
  const rooms = Object.entries(ROOMS).flatMap(([floor, names]) => names.map((room) => `${floor}/${room}`));
  expect([...named, ...rooms].filter((folder) => !isThere(folder))).toEqual([]);
});

test("names say what they name", () => {
  expect(vagueNamesOf(readTree("e2e"))).toEqual([]);
});

test("the table of floors has no way round: a floor never reaches itself", () => {
  const reach = (floor: string, seen: readonly string[]): string[] =>
    (FLOORS[floor] ?? []).flatMap((next) => {
      expect(Object.keys(FLOORS)).toContain(next);
      expect([...seen, floor]).not.toContain(next);
      return [next, ...reach(next, [...seen, floor])];
    });
  for (const floor of Object.keys(FLOORS)) expect(reach(floor, [])).not.toContain(floor);
  expect(reach("lib/kernel", [])).toEqual([]);
});

describe("the checker", () => {
  const check = (files: Record<string, string>, longer = {}): string[] =>
    problemsOf(new Map(Object.entries(files)), longer);
  const kernel = { "lib/kernel/event.ts": "export type Event = 1;\n" };

  test("lets a lawful tree pass", () => {
    expect(
      check({
        ...kernel,
        "lib/archive/load/rows.ts":
          'import Database from "better-sqlite3";\nimport type { Event } from "#lib/kernel/event.ts";\nimport { keys } from "../base/keys.ts";\n',
        "lib/archive/base/keys.ts": 'import { hash } from "node:crypto";\nexport const keys = hash;\n',
        "bin/serve.ts": 'const app = await import("next");\n',
        "components/shell/nav.tsx": 'import { useState } from "react";\n// import { x } from "node:fs";\n',
      }),
    ).toEqual([]);
  });

  test.each([
    [
      "a step up",
      { ...kernel, "lib/kernel/a.ts": 'import { b } from "#lib/archive/b.ts";', "lib/archive/b.ts": "" },
      /lib\/kernel may not import lib\/archive/,
    ],
    [
      "a neighbour",
      { "lib/blobs/a.ts": 'import type { B } from "#lib/sources/b.ts";', "lib/sources/b.ts": "" },
      /lib\/blobs may not import lib\/sources/,
    ],
    [
      "a page that opens the database",
      { "app/page.tsx": 'import { connect } from "#db/connection.ts";', "db/connection.ts": "" },
      /app may not import db/,
    ],
    [
      "a step down by a relative path",
      { ...kernel, "lib/archive/a.ts": 'import type { Event } from "../kernel/event.ts";' },
      /another floor: import it as #lib\/kernel\/event.ts/,
    ],
    ["a step sideways with #", { "db/a.ts": 'export * from "#db/b.ts";', "db/b.ts": "" }, /own floor/],
    [
      "an import over several lines",
      { "lib/wire/a.ts": 'import {\n  one,\n  two,\n} from "#lib/archive/b.ts";', "lib/archive/b.ts": "" },
      /a.ts:4: lib\/wire may not import/,
    ],
    [
      "a dynamic import",
      { "lib/wire/a.ts": 'const b = await import("#lib/archive/b.ts");', "lib/archive/b.ts": "" },
      /lib\/wire may not import/,
    ],
    [
      "Node in the kernel",
      { "lib/kernel/a.ts": 'import { readFileSync } from "node:fs";' },
      /lib\/kernel may not use node:fs/,
    ],
    [
      "Node in a component",
      { "components/a.tsx": 'import { join } from "node:path";' },
      /components may not use node:path/,
    ],
    [
      "a package in a format",
      { "lib/formats/a.ts": 'import fc from "fast-check";' },
      /lib\/formats may not use the package fast-check/,
    ],
    ["React outside the pages", { "lib/http/a.ts": 'import { use } from "react";' }, /react may stand only in app/],
    ["Next outside the server", { "bin/default-paths.ts": 'import next from "next";' }, /next may stand only in/],
    [
      "SQL outside the archive",
      { "lib/tools/a.ts": 'import { sql } from "drizzle-orm";' },
      /drizzle-orm may stand only in db/,
    ],
    [
      "a room that imports one above it",
      { "lib/archive/load/a.ts": 'import type { B } from "../memory/b.ts";', "lib/archive/memory/b.ts": "" },
      /the room load may not import memory\/b.ts/,
    ],
    [
      "a room that imports what stands beside the rooms",
      { "lib/archive/base/a.ts": 'import { open } from "../archive.ts";', "lib/archive/archive.ts": "" },
      /the room base may not import archive.ts/,
    ],
    [
      "a room that nobody planned",
      { "lib/archive/attic/a.ts": 'import "../base/b.ts";', "lib/archive/base/b.ts": "" },
      /"attic" is no room of lib\/archive/,
    ],
    ["a floor that nobody planned", { "lib/utils/a.ts": "" }, /"lib\/utils" is no floor/],
    ["a name that leads nowhere", { "db/a.ts": 'import { b } from "./b.ts";' }, /leads nowhere/],
  ])("finds %s", (_, files, problem) => {
    expect(check(files as unknown as Record<string, string>).join("\n")).toMatch(problem);
  });

  test("finds a ring of three, of types only", () => {
    const ring = {
      "db/a.ts": 'import type { B } from "./b.ts";',
      "db/b.ts": 'export type { C } from "./c.ts";',
      "db/c.ts": 'import { type A } from "./a.ts";',
    };
    expect(check(ring)).toEqual(["a cycle: db/a.ts → db/b.ts → db/c.ts → db/a.ts"]);
    expect(check({ ...ring, "db/c.ts": "" })).toEqual([]);
  });

  test("counts lines, twice as many in a test, and knows a raised limit", () => {
    const long = (lines: number): string => "a;\n".repeat(lines);
    expect(check({ "db/a.ts": long(300), "db/a.test.ts": long(600) })).toEqual([]);
    expect(check({ "db/a.ts": long(301), "db/a.test.ts": long(601) })).toEqual([
      "db/a.ts: 301 lines, over the limit of 300",
      "db/a.test.ts: 601 lines, over the limit of 600",
    ]);
    expect(check({ "app/a.css": long(79), "components/ui/b.css": long(80) })).toEqual([
      "components/ui/b.css: 80 lines, over the limit of 79",
    ]);
    expect(check({ "db/a.ts": long(900) }, { "db/a.ts": { lines: 900, because: "a table" } })).toEqual([]);
  });

  test("finds a new file of a name that is taken, and a list that is longer than it must be", () => {
    const paths = [
      "lib/a/plan.ts",
      "lib/b/plan.ts",
      "bin/words.ts",
      "app/x/page.tsx",
      "app/y/page.tsx",
      "lib/index.ts",
    ];
    expect(nameProblemsOf(paths)).toEqual([expect.stringMatching(/^plan\.ts names 2 files/)]);
    expect(nameProblemsOf([...paths, "db/plan.ts"])).toEqual([expect.stringMatching(/names 3 files/)]);
  });

  test("finds a vague name, and no word of a sentence", () => {
    const vague = (path: string, source = ""): number => vagueNamesOf(new Map([[path, source]])).length;
    expect(vague("db/place.ts") + vague("db/item-places.test.ts")).toBe(2);
    for (const code of [
      "const place = 1;",
      "f(a, place);",
      "a.#place.b",
      "type LoadPlace = 1;",
      "placeOf(a);",
      "A.PLACES[0]",
    ])
      expect([code, vague("db/a.ts", code)]).toEqual([code, 1]);
    for (const code of [
      "// A place.",
      '"in its place"',
      "<p>in place of <b/></p>",
      "placed(a)",
      "{ placeholder: 1 }",
      "a.places",
    ])
      expect([code, vague("db/a.ts", code)]).toEqual([code, 0]);
  });
});
