import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import { inArchive } from "../testing-archive.ts";
import { listSources } from "./list-sources.ts";
import { describeRoots, rootsOf } from "./source-roots.ts";

test("a default folder has the name of its agent, as a person knows it", () =>
  inArchive(async (archive, home) => {
    const roots = await describeRoots(archive, rootsOf(archive, null, { HOME: home }, "linux"), false);
    expect(roots.find(({ format }) => format === "claude-code")).toMatchObject({
      formatLabel: "Claude Code",
      exists: false,
    });
    const [named] = await describeRoots(archive, [{ path: home, format: null, from: "named" }], false);
    expect(named!.formatLabel).toBeNull();
  }));

const fixture = join(import.meta.dirname, "../../formats/fixtures/codex-synthetic-session.jsonl");

test("a star in a default folder stands for the rest of a name: profiles that are there are found", () =>
  inArchive(async (archive, home) => {
    for (const name of [".openclaw-dev/agents", ".openclaw-work", "openclaw-no"])
      mkdirSync(join(home, name), { recursive: true });
    const paths = rootsOf(archive, null, { HOME: home }, "linux").flatMap(({ path, format }) =>
      format === "openclaw" ? [path.slice(home.length)] : [],
    );
    expect(paths).toEqual(["/.openclaw/agents", "/.openclaw-dev/agents", "/.openclaw-work/agents"]);
  }));

test("databases of the projects that Crush lists are found where they are, and no others", () =>
  inArchive(async (archive, home) => {
    const rootsWith = (env: Readonly<Record<string, string>>): string[] =>
      rootsOf(archive, null, { HOME: home, ...env }, "linux").flatMap(({ path, format }) =>
        format === "crush" ? [path.slice(home.length)] : [],
      );
    expect(rootsWith({})).toEqual([]);
    for (const name of ["reef/.crush", "quay/data", "share/crush", "own"])
      mkdirSync(join(home, name), { recursive: true });
    for (const name of ["reef/.crush/crush.db", "quay/data/crush.db"]) writeFileSync(join(home, name), "");
    const projects = [
      { path: join(home, "reef"), data_dir: join(home, "reef/.crush"), last_accessed: "2026-03-02T10:00:00Z" },
      { path: join(home, "quay"), data_dir: "data" },
      { path: join(home, "gone"), data_dir: join(home, "gone/.crush") },
      { path: "reef", data_dir: ".crush" },
      7,
    ];
    writeFileSync(join(home, "share/crush/projects.json"), JSON.stringify({ projects }));
    writeFileSync(join(home, "own/projects.json"), "{");
    expect(rootsWith({ XDG_DATA_HOME: join(home, "share") })).toEqual(["/reef/.crush/crush.db", "/quay/data/crush.db"]);
    expect(rootsWith({ CRUSH_GLOBAL_DATA: join(home, "share/crush") })).toHaveLength(2);
    expect(rootsWith({ CRUSH_GLOBAL_DATA: join(home, "own") })).toEqual([]);
  }));

test("a star for a whole name finds the folders that are there", () =>
  inArchive(async (archive, home) => {
    const user = join(home, ".config/Code/User/workspaceStorage");
    for (const name of ["one/chatSessions", "two/state"]) mkdirSync(join(user, name), { recursive: true });
    const paths = rootsOf(archive, null, { HOME: home }, "linux").flatMap(({ path, format }) =>
      format === "copilot-chat" && path.startsWith(user) ? [path.slice(user.length)] : [],
    );
    expect(paths).toEqual(["/one/chatSessions"]);
  }));

test("many folders of a star are one row", () =>
  inArchive(async (archive, home) => {
    const user = join(home, ".config/Code/User/workspaceStorage");
    const chats = async (count: number) => {
      for (let n = 0; n < count; n++) mkdirSync(join(user, String(n), "chatSessions"), { recursive: true });
      const rows = await describeRoots(archive, rootsOf(archive, null, { HOME: home }, "linux"), true);
      return rows
        .filter(({ path }) => path.startsWith(user))
        .map(({ path, watching }) => [path.slice(user.length), watching]);
    };
    expect(await chats(3)).toEqual([0, 1, 2].map((n) => [`/${n}/chatSessions`, true]));
    expect(await chats(5)).toEqual([["/*/chatSessions", true]]);
    const files = [0, 1, 2, 3, 4].map((n) => join(user, String(n), "chatSessions", "c.json"));
    for (const file of files) copyFileSync(fixture, file);
    await importPaths(archive, files);
    const roots = rootsOf(archive, null, { HOME: home }, "linux");
    const { inRoots } = await listSources(archive, { limit: 1, offset: 0 }, roots);
    expect(inRoots).toEqual({ roots: 1, files: 5 });
  }));

test("a root has the files below it and itself, not those of a folder whose name goes on", () =>
  inArchive(async (archive, home) => {
    const paths = ["logs/one.jsonl", "logs/ä/two.jsonl", "logs/~.jsonl", "logs-more/three.jsonl", "logs0.jsonl"].map(
      (name) => join(home, name),
    );
    for (const path of paths) {
      mkdirSync(join(path, ".."), { recursive: true });
      copyFileSync(fixture, path);
    }
    await importPaths(archive, paths);
    const bytes = statSync(fixture).size;
    const roots = [join(home, "logs"), `${join(home, "logs")}/`, paths[0]!, home, join(home, "none")];
    const rows = await describeRoots(
      archive,
      roots.map((path) => ({ path, format: null, from: "named" })),
      false,
    );
    expect(rows.map((row) => [row.files, row.bytes / bytes])).toEqual([
      [3, 3],
      [3, 3],
      [1, 1],
      [5, 5],
      [0, 0],
    ]);
    const held = async (...paths: string[]) =>
      (
        await listSources(
          archive,
          { limit: 1, offset: 0 },
          paths.map((path) => ({ path })),
        )
      ).inRoots;
    // A root within another adds nothing.
    expect(await held(roots[0]!, paths[0]!, join(home, "none"))).toEqual({ roots: 1, files: 3 });
    expect(await held(join(home, "logs-more"), paths[4]!)).toEqual({ roots: 2, files: 2 });
    expect(await held()).toEqual({ roots: 0, files: 0 });
  }));

test("a root counts its files as the list does, those without a format too; bytes are those that were read", () =>
  inArchive(async (archive, home) => {
    const logs = join(home, "logs");
    mkdirSync(logs);
    copyFileSync(fixture, join(logs, "one.jsonl"));
    writeFileSync(join(logs, "noise.jsonl"), '{"nothing":"known"}\n');
    await importPaths(archive, [join(logs, "one.jsonl"), join(logs, "noise.jsonl")]);
    const root = { path: logs, format: null, from: "named" } as const;
    const [row] = await describeRoots(archive, [root], false);
    const { total, inRoots } = await listSources(archive, { limit: 1, offset: 0 }, [root]);
    expect([row!.files, row!.bytes]).toEqual([2, statSync(fixture).size]);
    expect([total, inRoots]).toEqual([2, { roots: 1, files: 2 }]);
  }));
