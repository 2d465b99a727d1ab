// `plimsoll hook` as a person runs it, and an output that goes the whole way: hook, spool, command line.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const SETTINGS = '{\n  "model": "opus"\n}\n';

type Ran = { readonly status: number | null; readonly out: string; readonly err: string };

const inHome = (run: (home: string, plimsoll: (...words: string[]) => Ran) => void): Promise<void> =>
  inFolder(async (home) => {
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude", "settings.json"), SETTINGS);
    run(home, (...words) => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: home, NODE_ENV: "test" as const };
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { env, encoding: "utf8" });
      return { status, out: stdout, err: stderr };
    });
  });

test("nothing is written unless it was confirmed, and removing leaves no trace", { timeout: 60_000 }, () =>
  inHome((home, plimsoll) => {
    const settings = (): string => readFileSync(join(home, ".claude", "settings.json"), "utf8");
    expect(plimsoll("hook", "install", "claude", "--dry-run")).toMatchObject({ status: 0 });
    const unsure = plimsoll("hook", "install");
    expect(unsure).toMatchObject({ status: 1, out: expect.stringContaining("Add --yes") });
    expect(unsure.out).toContain('+    "PostToolUse": [');
    expect(settings()).toBe(SETTINGS);
    const { agents } = JSON.parse(plimsoll("hook", "install", "--yes", "--json").out) as {
      agents: { agent: string; backup: string; state: string }[];
    };
    expect(agents).toMatchObject([{ agent: "claude", state: "installed", changed: true }]);
    expect(readFileSync(agents[0]!.backup, "utf8")).toBe(SETTINGS);
    expect(plimsoll("hook", "install", "claude", "--yes").out).toContain("Nothing to change");
    expect(plimsoll("hook", "status").out).toMatch(/claude +installed/);
    expect(plimsoll("hook", "remove", "claude", "--yes").status).toBe(0);
    expect(settings()).toBe(SETTINGS);
    expect(plimsoll("hook", "remove", "claude")).toMatchObject({ status: 0 });
    expect(plimsoll("hook", "grow")).toMatchObject({ status: 2 });
    expect(plimsoll("hook", "install", "notepad", "--yes").err).toContain('No hook for "notepad". Known: claude');
  }),
);

test("the status line is installed and removed by itself, and never over a person's own", { timeout: 60_000 }, () =>
  inHome((home, plimsoll) => {
    const file = join(home, ".claude", "settings.json");
    const settings = (): string => readFileSync(file, "utf8");
    const shown = plimsoll("hook", "install", "--statusline", "--dry-run");
    expect(shown).toMatchObject({ status: 0, out: expect.stringContaining('+  "statusLine": {') });
    expect(settings()).toBe(SETTINGS);
    expect(plimsoll("hook", "install", "--statusline", "--yes").out).toContain("Backup: ");
    const { statusLine } = JSON.parse(settings()) as { statusLine: { type: string; command: string } };
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, NODE_ENV: "test" as const };
    const line = spawnSync("sh", ["-c", statusLine.command], { input: "{}", encoding: "utf8", env });
    expect([statusLine.type, line.stdout]).toEqual(["command", "Plimsoll: no session yet\n"]);
    plimsoll("hook", "install", "claude", "--yes");
    expect(plimsoll("hook", "status").out).toMatch(/claude +installed +installed/);
    expect(plimsoll("hook", "remove", "claude", "--yes").status).toBe(0);
    expect(plimsoll("hook", "status").out).toMatch(/claude +– +installed/);
    expect(plimsoll("hook", "remove", "--statusline", "--yes").status).toBe(0);
    expect(settings()).toBe(SETTINGS);
    writeFileSync(file, '{ "statusLine": { "type": "command", "command": "mine" } }');
    const refused = plimsoll("hook", "install", "--statusline", "--yes");
    expect(refused.status).toBe(1);
    expect(refused.err).toContain("has its own statusLine");
    expect(settings()).toContain('"mine"');
    expect(plimsoll("hook", "install", "codex", "--statusline", "--yes").err).toContain("Known: claude");
  }),
);

test(
  "the installed command stores an output, and the command line reads it back without a server",
  { timeout: 60_000 },
  () =>
    inHome((home, plimsoll) => {
      plimsoll("hook", "install", "claude", "--yes");
      const { hooks } = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8")) as {
        hooks: { PostToolUse: { hooks: { command: string }[] }[] };
      };
      const stdout = Array.from({ length: 9000 }, (_, i) => `line ${i} of it`).join("\n");
      const said = {
        session_id: "s",
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_input: { command: "make" },
        tool_response: { stdout },
      };
      const ran = spawnSync("sh", ["-c", hooks.PostToolUse[0]!.hooks[0]!.command], {
        input: JSON.stringify(said),
        encoding: "utf8",
      });
      const id = /art_[0-9a-f]{16}/.exec(ran.stdout)![0];
      const { waiting } = JSON.parse(plimsoll("hook", "status", "--json").out) as { waiting: number };
      expect(waiting).toBe(1);
      expect(plimsoll("grep", id, "line 8998 of").out).toContain("line 8998 of it");
      expect(plimsoll("cat", id).out).toBe(stdout);
      expect(JSON.parse(plimsoll("hook", "status", "--json").out)).toMatchObject({ waiting: 0, refused: 0 });
      expect(existsSync(join(home, ".local/share/plimsoll/archive.db"))).toBe(true);
    }),
);
