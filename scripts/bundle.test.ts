// The bundle answers as the sources do, and is left alone as soon as one byte of them is another.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundledEntry, ensureBundle, entryOf, QUICK_COMMANDS } from "./bundle.mjs";

const ROOT = join(import.meta.dirname, "..");
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-bundle-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function run(program: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const ran = spawnSync(process.execPath, [program, ...words], { env: { ...process.env, HOME: dir, ...env } });
  return { status: ran.status, out: ran.stdout.toString("utf8"), err: ran.stderr.toString("utf8") };
}

describe("of a small program", () => {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const program = "bin/plimsoll.ts";
  beforeEach(() => {
    write("package.json", '{ "type": "module", "imports": { "#*": "./*" } }');
    write("package-lock.json", "{}");
    write("lib/jobs/double.ts", "export const double = (n: number): number => 2 * n;\n");
    write(
      "lib/jobs/double-worker.ts",
      'import { parentPort } from "node:worker_threads";\nimport { double } from "./double.ts";\nparentPort!.postMessage(double(21));\n',
    );
    write(
      "lib/jobs/index.ts",
      'import { Worker } from "node:worker_threads";\nexport const work = (): Worker => new Worker(new URL("./double-worker.ts", import.meta.url));\nexport const here: string = import.meta.url;\n',
    );
    write(
      program,
      'import { here, work } from "#lib/jobs/index.ts";\nwork().once("message", (n) => console.log(n, here));\n',
    );
    write("bin/serve.ts", 'console.log("served");\n');
  });

  test("it runs with its worker, and names the places of its sources", async () => {
    expect(bundledEntry(program, dir)).toBeNull();
    expect(entryOf(program, dir)).toBe(join(dir, program));
    const source = run(entryOf(program, dir));
    expect(source).toMatchObject({ status: 0, out: expect.stringMatching(/^42 file:.*lib\/jobs\/index\.ts\n$/) });
    await ensureBundle(dir);
    const bundled = entryOf(program, dir);
    expect(bundled).toContain(join(".cache", "bundle"));
    // Nothing but the bundle is left to run.
    rmSync(join(dir, "lib"), { recursive: true });
    expect(run(bundled)).toEqual(source);
  });

  test.each([
    [
      "a changed source",
      () => write("lib/jobs/double.ts", "export const double = (n: number): number => 3 * n;\n"),
      "63",
    ],
    ["a changed list of packages", () => write("package-lock.json", "{ }"), "42"],
  ])("%s: it is not used, and is made anew", async (_, change, answer) => {
    await ensureBundle(dir);
    const stale = entryOf(program, dir);
    change();
    expect(bundledEntry(program, dir)).toBeNull();
    expect(run(entryOf(program, dir)).out).toContain(`${answer} `);
    await ensureBundle(dir);
    expect(bundledEntry(program, dir)).not.toBe(stale);
    expect(run(entryOf(program, dir)).out).toContain(`${answer} `);
  });

  test("a command that is a program of its own is compared with its own sources alone", async () => {
    const quick = QUICK_COMMANDS.statusline;
    write(quick, 'import { double } from "#lib/jobs/double.ts";\nconsole.log(double(4));\n');
    await ensureBundle(dir);
    write("bin/serve.ts", 'console.log("served anew");\n');
    expect(bundledEntry(program, dir)).toBeNull();
    expect(run(bundledEntry(quick, dir)!).out).toBe("8\n");
    write("lib/jobs/double.ts", "export const double = (n: number): number => 3 * n;\n");
    expect(bundledEntry(quick, dir)).toBeNull();
  });

  test("a manifest of before there were quick programs is read", async () => {
    await ensureBundle(dir);
    const manifest = join(dir, ".cache", "bundle", "manifest.json");
    const { quick: _, ...older } = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, unknown>;
    writeFileSync(manifest, JSON.stringify(older));
    expect(bundledEntry(program, dir)).not.toBeNull();
  });

  test("a source that is gone, or a bundle without its files: it is not used", async () => {
    await ensureBundle(dir);
    const kept = join(dir, "kept");
    cpSync(join(dir, "lib"), kept, { recursive: true });
    rmSync(join(dir, "lib/jobs/double.ts"));
    expect(bundledEntry(program, dir)).toBeNull();
    cpSync(kept, join(dir, "lib"), { recursive: true });
    const entry = bundledEntry(program, dir);
    expect(entry).not.toBeNull();
    rmSync(entry!);
    expect(bundledEntry(program, dir)).toBeNull();
  });

  test("a source that does not parse says so, and leaves no bundle", async () => {
    write("bin/serve.ts", "const = ;\n");
    await expect(ensureBundle(dir)).rejects.toThrow(/serve\.ts[\s\S]*could not be bundled/);
    expect(bundledEntry(program, dir)).toBeNull();
    expect(readdirSync(join(dir, ".cache", "bundle"))).toEqual([]);
  });
});

// Its sources take 20 s of processor time; beside other tests more than a minute.
test("the command line from the bundle answers byte for byte as from its sources", { timeout: 180_000 }, async () => {
  await ensureBundle();
  expect(bundledEntry("bin/plimsoll.ts")).not.toBeNull();
  const env = { PLIMSOLL_ARCHIVE: join(dir, "archive") };
  const bundled = (...words: string[]) => run(join(ROOT, "bin/plimsoll.mjs"), words, env);
  expect(bundled("sessions").err).toMatch(/^No archive in /);
  expect(bundled("import", join(ROOT, "lib/formats/fixtures")).status).toBe(0);
  // What is stored goes through the thread that scans, and what is asked of it through those of jq and grep.
  expect(bundled("session", "create", "run").status).toBe(0);
  writeFileSync(join(dir, "answer.json"), '{ "tides": [1, 2, 3] }');
  expect(bundled("store", "run", join(dir, "answer.json")).status).toBe(0);
  expect(bundled("jq", "plimsoll:run/answer.json", ".tides | add")).toEqual({ status: 0, out: "6\n", err: "" });
  expect(bundled("grep", "plimsoll:run/answer.json", "tid.s").status).toBe(0);
  const { artifacts } = JSON.parse(bundled("artifacts", "5e551011", "--json").out) as { artifacts: { id: string }[] };
  const id = artifacts[0]!.id;
  for (const words of [
    ["--help"],
    ["frob"],
    ["sessions", "--json"],
    ["sessions", "--q", "tide"],
    ["show", "5e551011", "--json"],
    ["events", "5e551011", "--json"],
    ["load", "5e551011"],
    ["context", "5e551011", "--as", "anthropic"],
    ["artifacts", "--json"],
    ["cat", id],
    ["grep", id, "e"],
    ["jq", id, "."],
    ["check"],
    ["cat", "art_0000000000000000"],
  ])
    expect({ words, ...bundled(...words) }).toEqual({ words, ...run(join(ROOT, "bin/plimsoll.ts"), words, env) });
});
