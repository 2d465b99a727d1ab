// A settings file of an agent with a part of ours: what it was comes back to the byte, and what others wrote since stays.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
  lstatSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { applyChange, diffOf, planInstall, planRemoval, stateOf, type SettingsPart } from "./change-settings.ts";

const HOOK = { matcher: "*", hooks: [{ type: "command", command: "node hook.mjs" }] };
const partIn = (file: string, more: Partial<SettingsPart> = {}): SettingsPart => ({
  file,
  name: "hook",
  edits: [
    { kind: "append", path: ["hooks", "PostToolUse"], value: HOOK },
    { kind: "append", path: ["hooks", "PostToolUseFailure"], value: HOOK },
  ],
  ...more,
});
const line = (file: string): SettingsPart => ({
  file,
  name: "statusline",
  edits: [{ kind: "set", path: ["statusLine"], value: { type: "command", command: "plimsoll statusline" } }],
});

const inHome = (run: (dir: string, file: string) => void): Promise<void> =>
  inFolder(async (base) => {
    mkdirSync(join(base, "agent"));
    run(join(base, "archive"), join(base, "agent", "settings.json"));
  });

const install = (dir: string, part: SettingsPart): string | null => applyChange(dir, planInstall(dir, part));
const remove = (dir: string, part: SettingsPart): string | null => applyChange(dir, planRemoval(dir, part));

test.each([
  ["empty", ""],
  ["an empty object", "{}"],
  ["tabs and CRLF", '{\r\n\t"model": "opus"\r\n}\r\n'],
  ["comments", '// mine\n{\n  "model": "opus", // best\n  /* none */ "hooks": { "Stop": [] },\n}\n'],
  ["a byte order mark, one line", '\uFEFF{"hooks":{"PostToolUse":[{"matcher":"Bash","hooks":[]}]}}'],
  ["keys twice", '{ "a": 1, "a": 2 }'],
])("a file of %s is what it was, to the byte", (_, text) =>
  inHome((dir, file) => {
    writeFileSync(file, text);
    const backup = install(dir, partIn(file));
    expect(readFileSync(backup!, "utf8")).toBe(text);
    expect(stateOf(dir, partIn(file))).toBe("installed");
    install(dir, line(file));
    remove(dir, partIn(file));
    expect(stateOf(dir, partIn(file))).toBe("absent");
    expect(stateOf(dir, line(file))).toBe("installed");
    remove(dir, line(file));
    expect(readFileSync(file, "utf8")).toBe(text);
  }),
);

test("a file that was not there is gone, and so are the folders that were made for it", () =>
  inHome((dir, file) => {
    const deep = join(file, "..", "hooks", "more", "plimsoll.json");
    const part = partIn(deep, { edits: [{ kind: "whole", text: "{}\n" }] });
    expect(install(dir, part)).toBeNull();
    expect(statSync(deep).mode & 0o777).toBe(0o600);
    remove(dir, part);
    expect(existsSync(join(file, "..", "hooks"))).toBe(false);
    expect(existsSync(join(file, ".."))).toBe(true);
  }));

test("what others wrote meanwhile stays", () =>
  inHome((dir, file) => {
    writeFileSync(file, '{ "model": "opus" }\n');
    install(dir, partIn(file));
    const changed = readFileSync(file, "utf8").replace('"opus"', '"haiku" /* for now */');
    writeFileSync(file, changed);
    remove(dir, partIn(file));
    expect(readFileSync(file, "utf8")).toContain('"haiku" /* for now */');
    expect(readFileSync(file, "utf8")).not.toContain("hook");
  }));

test("installed anew with another command, the earlier one goes", () =>
  inHome((dir, file) => {
    const later = { ...HOOK, hooks: [{ type: "command", command: "node later.mjs" }] };
    install(dir, partIn(file));
    const part = partIn(file, { edits: [{ kind: "append", path: ["hooks", "PostToolUse"], value: later }] });
    expect(stateOf(dir, part)).toBe("other");
    install(dir, part);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ hooks: { PostToolUse: [later] } });
    expect(planInstall(dir, part).after).toBe(readFileSync(file, "utf8"));
    remove(dir, part);
    expect(existsSync(file)).toBe(false);
  }));

test.each([
  ["broken JSON", '{ "hooks": ', /not JSON: .* in line 1/],
  ["a list", "[]", /holds no JSON object/],
  ["hooks that are none", '{ "hooks": { "PostToolUse": 7 } }', /is not a list or object/],
  ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
])("%s is refused, and stays", (_, bytes, message) =>
  inHome((dir, file) => {
    writeFileSync(file, bytes);
    expect(() => install(dir, partIn(file))).toThrow(message);
    expect(readFileSync(file)).toEqual(Buffer.from(bytes));
  }),
);

test("comments are refused where the agent ignores a file that has them", () =>
  inHome((dir, file) => {
    writeFileSync(file, "{} // mine\n");
    expect(() => planInstall(dir, partIn(file, { isStrict: true }))).toThrow(/comments or trailing commas/);
    expect(planInstall(dir, partIn(file)).after).toContain("// mine");
  }));

test("a file that is read-only, or changed since it was shown, is not written", () =>
  inHome((dir, file) => {
    writeFileSync(file, "{}");
    const change = planInstall(dir, partIn(file));
    chmodSync(file, 0o400);
    expect(() => applyChange(dir, change)).toThrow(/is read-only/);
    chmodSync(file, 0o640);
    writeFileSync(file, '{ "a": 1 }');
    expect(() => applyChange(dir, change)).toThrow(/was changed meanwhile/);
    expect(readFileSync(file, "utf8")).toBe('{ "a": 1 }');
    install(dir, partIn(file));
    expect(statSync(file).mode & 0o777).toBe(0o640);
  }));

test("a link stays a link, and a foreign file in the place of ours is refused", () =>
  inHome((dir, file) => {
    const real = join(file, "..", "dotfiles.json");
    writeFileSync(real, "{}");
    symlinkSync(real, file);
    install(dir, partIn(file));
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("hook.mjs");
    const whole = partIn(real, { edits: [{ kind: "whole", text: "ours" }] });
    expect(() => planInstall(dir, whole)).toThrow(/not by Plimsoll/);
  }));

test("the change is shown as a diff", () =>
  inHome((dir, file) => {
    writeFileSync(file, '{\n  "model": "opus"\n}\n');
    const diff = diffOf(planInstall(dir, line(file)));
    expect(diff).toContain('+  "statusLine": {');
    expect(diff).toContain(`--- ${file}`);
    expect(diffOf({ ...planInstall(dir, line(file)), before: null })).toContain("--- /dev/null");
  }));

/** What of a change a kill leaves: all that was written before the last file. */
const ORIGINAL = '{\n\t"model": "opus"\n}';

test("where what the file was cannot be kept, the file stays as it is", () =>
  inHome((dir, file) => {
    writeFileSync(file, ORIGINAL);
    mkdirSync(join(dir, "hooks"), { recursive: true });
    // In place of the folder.
    writeFileSync(join(dir, "hooks", "settings"), "");
    expect(() => install(dir, partIn(file))).toThrow();
    expect(readFileSync(file, "utf8")).toBe(ORIGINAL);
  }));

test("a kill between the two files leaves a part that is installed again, and taken out to the byte", () =>
  inHome((dir, file) => {
    writeFileSync(file, ORIGINAL);
    install(dir, partIn(file));
    // As it was before the last of the two files was written.
    writeFileSync(file, ORIGINAL);
    expect(stateOf(dir, partIn(file))).toBe("other");
    expect(planRemoval(dir, partIn(file)).after).toBe(ORIGINAL);
    install(dir, partIn(file));
    expect(stateOf(dir, partIn(file))).toBe("installed");
    remove(dir, partIn(file));
    expect(readFileSync(file, "utf8")).toBe(ORIGINAL);
  }));

test("where the file cannot be written, no record says that it was", () =>
  inHome((dir, file) => {
    writeFileSync(file, ORIGINAL);
    const change = planInstall(dir, partIn(file));
    // A name so long that no draft stands beside it.
    const long = join(dir, "..", "agent", "s".repeat(250));
    writeFileSync(long, ORIGINAL);
    expect(() =>
      applyChange(dir, { ...change, part: partIn(long), record: { ...change.record!, file: long } }),
    ).toThrow();
    expect(stateOf(dir, partIn(long))).toBe("absent");
  }));
