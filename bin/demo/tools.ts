// The tools of the scripted agent. They really run, over this repository and the generated folder, and nowhere else.
// What a shell would do differently from machine to machine (wc, tail) is done here; node is started for real.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail } from "#lib/kernel/errors.ts";
import type { ResultDetail } from "#lib/kernel/event.ts";

/** The folder that the session names; it stands for the repository, with the generated `demo-data` in it. */
export const PROJECT = "plimsoll";
const GENERATED = "demo-data";

export type Ran = { readonly text: string; readonly isError?: boolean; readonly detail?: ResultDetail };
export type ToolUse = { readonly name: string; readonly input: Record<string, unknown>; run(): Ran };
export type Todo = { readonly content: string; readonly status: "completed" | "in_progress" | "pending" };

export type Tools = ReturnType<typeof createTools>;

export function createTools(repository: string, workshop: string) {
  /** `plimsoll/…` as its real path. */
  function pathOf(path: string): string {
    const inside = path === PROJECT ? "" : path.startsWith(`${PROJECT}/`) ? path.slice(PROJECT.length + 1) : path;
    const root = inside === GENERATED || inside.startsWith(`${GENERATED}/`) ? workshop : repository;
    const found = join(root, inside);
    const way = relative(root, found);
    if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
      fail("invalid", `The demo's agent may not look at ${path}: it lies outside the project.`);
    return found;
  }
  const text = (path: string): string => readFileSync(pathOf(path), "utf8");

  return {
    read(path: string, lines?: { offset: number; limit: number }): ToolUse {
      return {
        name: "Read",
        input: { file_path: path, ...lines },
        run: () => {
          if (!existsSync(pathOf(path))) return missing(path);
          const all = text(path);
          if (lines === undefined) return { text: all, detail: { filePath: path, totalLines: linesOf(all).length } };
          const some = linesOf(all).slice(lines.offset - 1, lines.offset - 1 + lines.limit);
          return { text: some.join("\n"), detail: { filePath: path, totalLines: linesOf(all).length } };
        },
      };
    },

    list(path: string): ToolUse {
      return { name: "LS", input: { path }, run: () => ({ text: listOf(pathOf(path)).join("\n") }) };
    },

    grep(pattern: string, path: string, most?: number): ToolUse {
      return {
        name: "Grep",
        input: { pattern, path, ...(most !== undefined && { head_limit: most }) },
        run: () => {
          if (!existsSync(pathOf(path))) return missing(path);
          const found = matches(new RegExp(pattern), pathOf(path), path);
          const shown = most === undefined ? found : found.slice(0, most);
          const rest = found.length - shown.length;
          return {
            text: found.length === 0 ? "No matches." : [...shown, ...(rest > 0 ? [`(${rest} more)`] : [])].join("\n"),
          };
        },
      };
    },

    /** One of: `wc -l FILE`, `tail -n N FILE`, `node FILE`. */
    shell(command: string, description: string): ToolUse {
      return { name: "Bash", input: { command, description }, run: () => runCommand(command, workshop, text) };
    },

    query(sql: string): ToolUse {
      return {
        name: "query",
        input: { database: `${GENERATED}/timings.db`, query: sql },
        run: () => {
          const db = new DatabaseSync(pathOf(`${GENERATED}/timings.db`), { readOnly: true });
          try {
            return { text: JSON.stringify(db.prepare(sql).all(), null, 1) };
          } finally {
            db.close();
          }
        },
      };
    },

    edit(path: string, before: string, after: string): ToolUse {
      return {
        name: "Edit",
        input: { file_path: path, old_string: before, new_string: after },
        run: () => {
          const old = text(path);
          if (!path.startsWith(`${PROJECT}/${GENERATED}/`) || old.split(before).length !== 2)
            return { text: `${path} does not hold that text exactly once.`, isError: true };
          writeFileSync(
            pathOf(path),
            old.replace(before, () => after),
          );
          return { text: `${path} was changed.`, detail: { filePath: path, patch: [hunk(old, before, after)] } };
        },
      };
    },

    todo(todos: readonly Todo[]): ToolUse {
      return { name: "TodoWrite", input: { todos }, run: () => ({ text: "The list is kept." }) };
    },
  };
}

// The repository moves on; the script goes on without a file that it once had.
const missing = (path: string): Ran => ({ text: `There is no file ${path}.`, isError: true });

const linesOf = (all: string): string[] => (all.endsWith("\n") ? all.slice(0, -1) : all).split("\n");

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function listOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith("."))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted(byName);
}

/** `path:line:text` of each line that matches, in the files of a folder and of the folders in it. */
function matches(pattern: RegExp, found: string, path: string): string[] {
  if (statSync(found).isDirectory())
    return listOf(found).flatMap((name) => {
      const plain = name.replace(/\/$/, "");
      const isRead = name.endsWith("/") ? plain !== "node_modules" : /\.(ts|tsx|mjs|log|json)$/.test(plain);
      return isRead ? matches(pattern, join(found, plain), `${path}/${plain}`) : [];
    });
  return linesOf(readFileSync(found, "utf8")).flatMap((line, i) =>
    pattern.test(line) ? [`${path}:${i + 1}:${line.slice(0, 300)}`] : [],
  );
}

function runCommand(command: string, workshop: string, text: (path: string) => string): Ran {
  const [program, ...words] = command.split(" ");
  const file = words.at(-1) ?? "";
  switch (program) {
    case "wc":
      return { text: `${linesOf(text(file)).length} ${file}`, detail: { exitCode: 0 } };
    case "tail":
      return { text: linesOf(text(file)).slice(-Number(words[1])).join("\n"), detail: { exitCode: 0 } };
    case "node": {
      // Nothing of this machine's environment goes in; Windows starts no program without its own folder.
      const system = process.env["SystemRoot"];
      const env = { TZ: "UTC", ...(system !== undefined && { SystemRoot: system }), NODE_ENV: "production" as const };
      const ran = spawnSync(process.execPath, [file], { cwd: workshop, env, encoding: "utf8", timeout: 10_000 });
      const said = `${ran.stdout}${ran.stderr}`.trimEnd();
      const isError = ran.status !== 0;
      return { text: isError ? `Exit code ${ran.status}\n${said}` : said, isError, detail: { exitCode: ran.status } };
    }
    default:
      return fail("unsupported", `The demo's shell knows wc, tail and node, not "${program}".`);
  }
}

/** A hunk with two lines around the change. */
function hunk(old: string, before: string, after: string): NonNullable<ResultDetail["patch"]>[number] {
  const was = linesOf(old);
  const is = linesOf(old.replace(before, () => after));
  const first = was.findIndex((line, i) => line !== is[i]);
  const start = Math.max(0, first - 2);
  const lines = [
    ...was.slice(start, first).map((line) => ` ${line}`),
    `-${was[first]}`,
    `+${is[first]}`,
    ...was.slice(first + 1, first + 3).map((line) => ` ${line}`),
  ];
  return { oldStart: start + 1, newStart: start + 1, lines };
}
