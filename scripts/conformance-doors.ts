// Where a user reaches what a row of docs/conformance.md promises: a command, a route, a page or a name of the library.
// From that door the imports must lead to the modules which the row's test takes from its own folder. That is necessary, not
// enough: whatever opens the archive leads to much of it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { COMMANDS } from "#bin/commands/index.ts";
import { ENDPOINTS } from "#lib/http/routes.ts";
import type { Requirement } from "./conformance-row.ts";
import { ENTRIES } from "./package-entries.mjs";

/** The cell of a row that a user cannot reach yet; `to be built: why` where the imports alone do not show it. */
export const TO_BE_BUILT = "to be built";
export const hasDoor = ({ door }: Pick<Requirement, "door">): boolean => !door.startsWith(TO_BE_BUILT);

const ROOT = join(import.meta.dirname, "..");
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || /\/testing(-[a-z-]+)?\.ts$/.test(path);

type Import = { readonly target: string; readonly names: readonly string[] };

const sources = new Map<string, string>();

/** The text of a file of the project; null where there is none. */
export function sourceOf(path: string): string | null {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const file = join(ROOT, path);
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  sources.set(path, text);
  return text;
}

const FROM = /^\s*(import|export)\s+(type\s)?([^"'`;]*?)\bfrom\s*["']([.#][^"']+)["']/gm;
const OTHER =
  /\bimport\(\s*["']([.#][^"']+)["']|\bnew URL\(\s*["'](\.[^"']+\.ts)["']|^\s*import\s*["']([.#][^"']+)["']/gm;

/** Imports that run: static, dynamic, re-exports, and the files of worker threads. Types do not count. */
export function importsOf(path: string): Import[] {
  const code = (sourceOf(path) ?? "").replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const target = (name: string): string =>
    name.startsWith("#") ? name.slice(1) : posix.normalize(posix.join(posix.dirname(path), name));
  const found: Import[] = [];
  for (const [, , type, clause, name] of code.matchAll(FROM)) {
    const parts = clause!.replaceAll(/[{}]/g, ",").split(",");
    const names = parts.map((part) => part.trim()).filter((part) => part !== "" && !part.startsWith("type "));
    if (type === undefined && names.length > 0)
      found.push({ target: target(name!), names: names.map((part) => part.split(/\s+as\s+/).at(-1)!) });
  }
  for (const match of code.matchAll(OTHER))
    found.push({ target: target((match[1] ?? match[2] ?? match[3])!), names: [] });
  return found;
}

const reached = new Map<string, ReadonlySet<string>>();

/** All modules that a module leads to, itself too. Tests do not count. */
export function reachOf(entry: string): ReadonlySet<string> {
  const known = reached.get(entry);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path) || isTest(path) || sourceOf(path) === null) continue;
    seen.add(path);
    pending.push(...importsOf(path).map(({ target }) => target));
  }
  reached.set(entry, seen);
  return seen;
}

/** The modules that a door begins at, or a sentence on why there is no such door. */
export function entryOf(door: string): { readonly entries: readonly string[] } | { readonly missing: string } {
  const [kind, ...rest] = door.split(" ");
  const name = rest.join(" ");
  const missing = (why: string) => ({ missing: `${door}: ${why}` });
  if (kind === "plimsoll") {
    const groups = readdirSync(join(ROOT, "bin/commands")).filter((path) => path.endsWith("-group.ts"));
    const registries = groups.map((path) => sourceOf(`bin/commands/${path}`)!).join("\n");
    const registry = registries.split(`name: "${name}",`)[1] ?? "";
    const file = COMMANDS.some((one) => one.name === name) ? /import\("\.\/([^"]+)"\)/.exec(registry)?.[1] : undefined;
    return file === undefined ? missing("no such command") : { entries: [`bin/commands/${file}`] };
  }
  if (kind === "page") {
    const entry = posix.join("app", name.replaceAll(/:(\w+)/g, "[$1]"), "page.tsx");
    return sourceOf(entry) === null ? missing("no such page") : { entries: [entry] };
  }
  if (kind === "library:") return libraryEntry(name) ?? missing("not exported, or not in docs/examples");
  return ENDPOINTS.some(({ method, path }) => method === kind && path === name)
    ? { entries: endpointEntries(kind!, name) }
    : missing("no such endpoint");
}

/** What the entry of an endpoint names of what its file imports. */
function endpointEntries(method: string, path: string): readonly string[] {
  const build = `${method === "DELETE" ? "del" : method.toLowerCase()}("${path}"`;
  const [, name] = /^\/api\/commands\/(.+)$/.exec(path) ?? [];
  const begin = name === undefined ? build : `command("${name}"`;
  for (const file of readdirSync(join(ROOT, "lib/http/endpoints")).map((one) => `lib/http/endpoints/${one}`)) {
    const text = sourceOf(file)!.replaceAll(/command\(\s+/g, "command(");
    const at = text.indexOf(begin);
    if (at < 0) continue;
    const rest = text.slice(at + begin.length);
    const entry = rest.slice(0, rest.search(/\n  (\/\*\*|\/\/|get|post|put|del|command)\b|\n\];/));
    const named = importsOf(file).filter(({ names }) => names.some((one) => new RegExp(`\\b${one}\\b`).test(entry)));
    return named.map(({ target }) => target);
  }
  return [];
}

const LIBRARY = Object.values(ENTRIES);

/** The module of a name that the library exports and an example uses. */
function libraryEntry(name: string): { readonly entries: readonly string[] } | null {
  const from = LIBRARY.flatMap(importsOf).find(({ names }) => names.includes(name));
  const examples = readdirSync(join(ROOT, "docs", "examples")).map((file) => `docs/examples/${file}`);
  const word = new RegExp(`\\b${name}\\b`);
  const isShown = examples.some((page) => word.test(sourceOf(page) ?? ""));
  return from === undefined || !isShown ? null : { entries: [from.target] };
}

/** What a row's test takes from its own folder: the module it is named for, and those that the test itself names. */
function modulesOf({ file, title }: Pick<Requirement, "file" | "title">): { subject: string | null; used: string[] } {
  // What stands in bin and lib/http, and the entries of the library, is the doors themselves; the scripts are no part of the product.
  const isProduct = (path: string): boolean =>
    !isTest(path) && !/^(scripts\/|bin\/|lib\/http\/)/.test(path) && !LIBRARY.includes(path);
  const own = importsOf(file).filter(({ target }) => dirname(target) === dirname(file) && isProduct(target));
  const namesake = file.replace(/\.test\.ts$/, ".ts");
  const subject = isProduct(namesake) && sourceOf(namesake) !== null ? namesake : null;
  const text = sourceOf(file) ?? "";
  const at = text.indexOf(title);
  const end = text.slice(at).search(/\n\s*(test|describe)\b/);
  const block = at < 0 ? "" : text.slice(at, end < 0 ? text.length : at + end);
  const named = own.filter(({ names }) => names.some((name) => new RegExp(`\\b${name}\\b`).test(block)));
  const used = (named.length > 0 || subject !== null ? named : own).map(({ target }) => target);
  return { subject, used };
}

/** Modules of lib that no door reaches, by their path. A schema of lib/wire may be there for its types alone. */
export function modulesWithoutDoor(): string[] {
  const any = reachedByAny();
  return readdirSync(join(ROOT, "lib"), { recursive: true, encoding: "utf8" })
    .map((file) => `lib/${file}`)
    .filter(
      (file) =>
        file.endsWith(".ts") && !file.startsWith("lib/wire/") && !isTest(file) && !any.has(file) && hasCode(file),
    )
    .toSorted();
}

/** A module of types alone is gone when it runs: nothing can lead to it. */
const hasCode = (path: string): boolean =>
  /^(export\s+)?(async\s+)?(const|let|function|class)\b|^export (default|\*|\{)/m.test(sourceOf(path)!);

/** Everything that some door reaches: the command line, the server with its endpoints, each page, and the library. */
export function reachedByAny(): ReadonlySet<string> {
  const app = readdirSync(join(ROOT, "app"), { recursive: true, encoding: "utf8" });
  const entries = app.filter((file) => /(^|\/)(page|route|layout)\.tsx?$/.test(file)).map((file) => `app/${file}`);
  const all = ["bin/plimsoll.ts", "bin/serve.ts", ...LIBRARY, ...entries];
  return new Set(all.flatMap((entry) => [...reachOf(entry)]));
}

/**
 * Why the door of a row does not do, or null. It must reach what the row is about: the module that its test is named for,
 * or one that the test uses. Everything else that the test uses must stand behind some door.
 */
export function doorTrouble(row: Requirement, any: ReadonlySet<string> = reachedByAny()): string | null {
  const { subject, used } = modulesOf(row);
  const say = (what: string): string => `${row.id}: ${what} (${row.file} > ${row.title})`;
  const nowhere = [...new Set([...used, ...(subject === null ? [] : [subject])])].filter((module) => !any.has(module));
  if (nowhere.length > 0) return hasDoor(row) ? say(`no door reaches ${nowhere.join(", ")}`) : null;
  if (row.door === TO_BE_BUILT) return say("its door is there: name it");
  if (!hasDoor(row)) return null;
  const found = entryOf(row.door);
  if ("missing" in found) return say(found.missing);
  const reach = new Set(found.entries.flatMap((entry) => [...reachOf(entry)]));
  if (subject !== null && reach.has(subject)) return null;
  const isFacade = subject !== null && !importsOf(row.file).some(({ target }) => target === subject);
  if (subject !== null && (isFacade || used.length === 0 || used.includes(subject)))
    return say(`${row.door} does not reach ${subject}`);
  return used.length === 0 || used.some((module) => reach.has(module))
    ? null
    : say(`${row.door} reaches none of ${used.join(", ")}`);
}

/** The lines `| module | … |` below the heading "Doors to be built". */
export function readDoorsToBuild(markdown: string): string[] {
  const section = markdown.split(/^## Doors to be built$/m)[1] ?? "";
  return [...section.matchAll(/^\| `(lib\/[^`]+)` \|/gm)].map((match) => match[1]!);
}
