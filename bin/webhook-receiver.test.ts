// docs/webhooks.md as a reader follows it: the example receiver, a running server, the command line, and a restart.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { entryOf } from "../scripts/bundle.mjs";
import { compacted, growingSession, openReceiver, until } from "./testing-webhooks.ts";

const program = entryOf("bin/plimsoll.ts");
const server = entryOf("bin/serve.ts");
const example = fileURLToPath(new URL("../docs/examples/webhook-receiver.mjs", import.meta.url));

/** What a process prints, line by line. */
function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  return lines;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill();
  });

test("the receiver of the docs takes what a running server sends, also what waited for it", { timeout: 180_000 }, () =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    mkdirSync(logs);
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const plimsoll = (...words: string[]) =>
      spawnSync(process.execPath, [program, ...words], { env, encoding: "utf8" });
    const children: ChildProcess[] = [];
    const start = async (
      args: string[],
      more: Record<string, string>,
      ready: RegExp,
    ): Promise<[ChildProcess, string[]]> => {
      const child = spawn(process.execPath, args, { env: { ...env, ...more }, stdio: ["ignore", "pipe", "inherit"] });
      children.push(child);
      const lines = linesOf(child);
      await until(
        () => lines.some((line) => ready.test(line)),
        () => `${args.join(" ")} did not start`,
      );
      return [child, lines];
    };
    const serve = () =>
      start([server, "--port", "0", "--no-open", "--no-pages", "--sources", logs], {}, /Open {2}http/);
    try {
      // A port that is free, and that nobody listens on for now.
      const free = await openReceiver();
      await free.close();
      const url = `http://127.0.0.1:${free.port}/`;
      const [first] = await serve();
      const added = plimsoll("webhook", "add", "docs", url, "--on", "compacted");
      expect([added.status, added.stderr]).toEqual([
        0,
        `docs is on: compacted to ${url}. The secret above is shown once.\n`,
      ]);
      const secret = added.stdout.trim();
      const failed = plimsoll("webhook", "test", "docs");
      expect([failed.status, failed.stderr]).toEqual([1, "Not delivered. Not reached (ECONNREFUSED).\n"]);
      growingSession(join(logs, "a.jsonl"))(compacted);
      await until(() => plimsoll("webhook", "log", "docs").stdout.includes("session.compacted"));
      await ended(first);
      const [, lines] = await start([example], { WEBHOOK_SECRET: secret, PORT: String(free.port) }, /listening/);
      await serve();
      // Where it took the machine 5 s to end the first server, a second attempt failed, and the third comes 30 s after it.
      await until(
        () => lines.length > 1,
        () => "nothing came",
        60,
      );
      expect(lines[1]).toBe("session.compacted: Chart the reef, load unknown");
      expect(plimsoll("webhook", "test", "docs").stdout).toBe("Delivered: 204.\n");
      await until(() => lines.length === 3);
      const forged = await fetch(url, { method: "POST", body: "{}", headers: { "webhook-id": "msg_1" } });
      expect(forged.status).toBe(401);
      expect(plimsoll("webhook", "list").stdout).toMatch(/^docs +on +compacted +yes +0 +delivered/m);
      expect(plimsoll("webhook", "remove", "docs").stdout).toBe("Removed docs.\n");
      expect(plimsoll("webhook", "log", "docs").stderr).toContain('There is no webhook "docs".');
    } finally {
      for (const child of children) await (child.exitCode === null ? ended(child) : undefined);
    }
  }),
);

test("words that are wrong are refused with what to write", () =>
  inFolder(async (dir) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: dir,
      PLIMSOLL_ARCHIVE: join(dir, "archive"),
      NODE_ENV: "test" as const,
    };
    const said = (...words: string[]) =>
      spawnSync(process.execPath, [program, "webhook", ...words], { env, encoding: "utf8" }).stderr.split("\n")[0];
    expect(said("dance")).toBe('plimsoll webhook takes add, list, change, remove, test or log, not "dance".');
    expect(said("add", "x")).toBe("plimsoll webhook add needs a name and an address.");
    expect(said("add", "x", "http://127.0.0.1/", "--on", "full")).toBe(
      '--on takes near, refused, compacted, finished, budget, not "full".',
    );
    expect(said("add", "x", "http://example.com/")).toContain("Use https.");
    expect(said("add", "x", "http://127.0.0.1/", "--secret", "abc")).toContain("secret: is not whsec_");
    expect(said("change", "x", "--enabled", "no")).toContain('There is no webhook "x".');
  }));
