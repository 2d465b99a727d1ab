// What stands in a file beside a session's own, and changes while that one stays: read as if it had been there from the beginning.
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import { watchArchive } from "../sources/watch-sources.ts";
import { dumpOf, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { readSource } from "./read-again.ts";

const DIR = join(import.meta.dirname, "../../formats");
const fixture = (name: string): string => readFileSync(join(DIR, "fixtures", name), "utf8");
const beside = (name: string): string => readFileSync(join(DIR, "fixtures-beside", name), "utf8");

const VIBE = "session_20260901_100000_7b1e0000";
const META = beside("vibe/synthetic-meta.json");
const LAUNCH = { agentType: "Explore", description: "Find the boats (synthetic)", toolUseId: "t1" };
const REQUEST = { tokensIn: 900, tokensOut: 40, cacheReads: 100, cacheWrites: 0, cost: 0.02 };

type Case = {
  readonly format: string;
  readonly of: string;
  readonly name: string;
  readonly files: Record<string, string>;
};
const CASES: readonly Case[] = [
  {
    format: "vibe",
    of: "vibe-synthetic-session.jsonl",
    name: `${VIBE}/messages.jsonl`,
    files: { [`${VIBE}/meta.json`]: META },
  },
  {
    format: "droid",
    of: "droid-synthetic-session.jsonl",
    name: "d.jsonl",
    files: { "d.settings.json": beside("droid/droid-synthetic-session.settings.json") },
  },
  {
    format: "grok",
    of: "grok-synthetic-session.jsonl",
    name: "019f75d0-ebe1-7db0/chat_history.jsonl",
    files: {
      "019f75d0-ebe1-7db0/updates.jsonl": beside("grok/synthetic-updates.jsonl"),
      "019f75d0-ebe1-7db0/summary.json": JSON.stringify({
        generated_title: "Reefs (synthetic)",
        created_at: "2026-09-01",
      }),
    },
  },
  {
    format: "kiro",
    of: "kiro-synthetic-session.jsonl",
    name: "cli/kiro-synthetic-session.jsonl",
    files: { "cli/kiro-synthetic-session.json": beside("kiro/synthetic-kiro-synthetic-session.json") },
  },
  {
    format: "claude-code",
    of: "claude-code-synthetic-agent.jsonl",
    name: "agent-a1.jsonl",
    files: { "agent-a1.meta.json": JSON.stringify(LAUNCH) },
  },
  {
    format: "copilot",
    of: "copilot-synthetic-session.jsonl",
    name: "session-state/50000000-0000-4000-8000-000000000000/events.jsonl",
    files: {
      "session-state/50000000-0000-4000-8000-000000000000/workspace.yaml":
        "name: Corals (synthetic)\nuser_named: true\n",
    },
  },
  {
    format: "qwen",
    of: "qwen-synthetic-subagent.jsonl",
    name: "agent-a1.jsonl",
    files: { "agent-a1.meta.json": JSON.stringify({ ...LAUNCH, model: "qwen3-coder" }) },
  },
  {
    format: "autobyteus",
    of: "autobyteus-synthetic-generation-2.jsonl",
    name: "run/raw_traces_active.jsonl",
    files: { "run/run_metadata.json": JSON.stringify({ agentName: "Keeper", title: "Lamps (synthetic)" }) },
  },
  {
    format: "gptme",
    of: "gptme-synthetic-conversation.jsonl",
    name: "2026-09-01-boats/conversation.jsonl",
    files: { "2026-09-01-boats/config.toml": beside("gptme/synthetic-config.toml") },
  },
  {
    format: "cline",
    of: "cline-synthetic-task.json",
    name: "tasks/1788256800000/api_conversation_history.json",
    files: {
      "tasks/1788256800000/ui_messages.json": JSON.stringify([
        { ts: 1788256801000, type: "say", say: "api_req_started", text: JSON.stringify(REQUEST) },
      ]),
    },
  },
];

test("every format that has files of its own beside is here", () => {
  const own = FORMATS.filter(({ ownsSidecars }) => ownsSidecars === true).map(({ id }) => id);
  expect(CASES.map(({ format }) => format).toSorted()).toEqual(own.toSorted());
});

const WATCHED = { isWatched: true, final: false } as const;
const fresh = (dir: string, logs: string, path: string): Promise<ReturnType<typeof dumpOf>> =>
  withArchive(join(dir, "fresh"), async (archive) => {
    await importPaths(archive, [path], WATCHED);
    return dumpOf(archive, logs);
  });

const putAll = (logs: string, files: Case["files"]): void => {
  for (const [one, text] of Object.entries(files)) put(logs, one, text);
};

describe.each(CASES)("$format", ({ format, of, name, files }) => {
  test("it comes behind the session's file", () =>
    inFolder((dir) =>
      withArchive(join(dir, "archive"), async (archive) => {
        const logs = join(dir, "logs");
        const path = put(logs, name, fixture(of));
        expect((await importPaths(archive, [path], WATCHED)).files).toMatchObject([{ format, status: "imported" }]);
        const bare = dumpOf(archive, logs);
        putAll(logs, files);
        const notified: string[] = [];
        await importPaths(archive, [path], { ...WATCHED, onSessions: (ids) => notified.push(...ids) });
        expect(notified.length).toBeGreaterThan(0);
        const now = dumpOf(archive, logs);
        expect(now).not.toEqual(bare);
        expect(now).toEqual(await fresh(dir, logs, path));
        // Once.
        await importPaths(archive, [path], { ...WATCHED, onSessions: (ids) => notified.push(`again ${ids.join()}`) });
        expect(notified.filter((one) => one.startsWith("again"))).toEqual([]);
      }),
    ));
});

// Cline's is one document, which does not grow by lines.
test.each(CASES.filter(({ format }) => format !== "cline"))(
  "$format: both grow, and the session rests",
  ({ of, name, files }) =>
    inFolder((dir) =>
      withArchive(join(dir, "archive"), async (archive) => {
        const logs = join(dir, "logs");
        const lines = fixture(of).split(/(?<=\n)/);
        const half = Math.ceil(lines.length / 2);
        const path = put(logs, name, lines.slice(0, half).join(""));
        await importPaths(archive, [path], WATCHED);
        appendFileSync(path, lines.slice(half).join(""));
        putAll(logs, files);
        await importPaths(archive, [path], WATCHED);
        await importPaths(archive, [path], { isWatched: true, final: true });
        expect(dumpOf(archive, logs)).toEqual(await fresh(dir, logs, path));
      }),
    ),
);

test("a watched session is notified of when the file beside it comes, and when it is written anew", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const logs = join(dir, "logs");
      const path = put(logs, `${VIBE}/messages.jsonl`, fixture("vibe-synthetic-session.jsonl"));
      await importPaths(archive, [logs]);
      const stop = new AbortController();
      let notified: string[] = [];
      watchArchive(archive, {
        roots: () => [logs],
        onChanged: (paths) => notified.push(...paths),
        onSettled: () => undefined,
        onDiscover: (roots) => notified.push(...roots),
        signal: stop.signal,
      });
      try {
        await new Promise((resolve) => setTimeout(resolve, 200));
        for (const text of [META, META.replace("4200", "9200").concat("\n")]) {
          notified = [];
          put(logs, `${VIBE}/meta.json`, text);
          await expect.poll(() => notified, { timeout: 5000 }).toEqual([path]);
          await importPaths(archive, [path], WATCHED);
        }
      } finally {
        stop.abort();
      }
    }),
  ));

test("a session whose files are gone is read again with what they said", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const logs = join(dir, "logs");
      for (const { of, name, files } of CASES) {
        put(logs, `${of}/${name}`, fixture(of));
        for (const [one, text] of Object.entries(files)) put(logs, `${of}/${one}`, text);
      }
      await importPaths(archive, [logs], WATCHED);
      const before = dumpOf(archive, logs);
      rmSync(logs, { recursive: true });
      for (const pk of archive.sqlite
        .prepare("SELECT pk FROM sources WHERE format IS NOT NULL")
        .pluck()
        .all() as number[])
        await readSource(archive, { pk }, {});
      expect(dumpOf(archive, logs)).toEqual(before);
    }),
  ));
