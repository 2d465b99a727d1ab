// The cost of collected sessions against a bill that this file works out alone: usage as the files have it, each message of
// the model once over all files, at prices typed off the providers' pages.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { readModels } from "#lib/archive/settings/model-settings.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { systemHost } from "./system-host.ts";

const DATA = join(import.meta.dirname, "../../shared/data");
const hasData = existsSync(join(DATA, "GOLDEN.json"));
if (!hasData) console.warn("cost.test.ts: ../shared/data is absent; the collected sessions are NOT billed.");

/**
 * Dollars a million tokens in and out. A read is a tenth of the input price, a write for five minutes 1.25 times it, for an
 * hour twice. Prompts over 200,000 tokens cost 2 × in and 1.5 × out where `long` says so, until that day.
 */
const PRICES: Readonly<Record<string, { readonly in: number; readonly out: number; readonly long?: number }>> = {
  "claude-fable-5": { in: 10, out: 50 },
  "claude-opus-4-6": { in: 5, out: 25, long: Date.UTC(2026, 2, 13) },
  "claude-opus-5": { in: 5, out: 25 },
  "claude-opus-4": { in: 5, out: 25 },
  "claude-opus-4-1": { in: 15, out: 75 },
  "claude-opus-4-2": { in: 15, out: 75 },
  "claude-sonnet-4": { in: 3, out: 15, long: Infinity },
  "claude-haiku-4-5": { in: 1, out: 5 },
  "claude-3-5-haiku": { in: 0.8, out: 4 },
};

type Line = {
  type?: string;
  timestamp?: string;
  requestId?: string;
  message?: { id?: string; model?: string; usage?: Record<string, unknown> };
};
type Billed = { model: string; at: number; in: number; read: number; five: number; hour: number; out: number };

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** What each message was billed: its lines repeat the same counts, the output grows. */
function billOf(files: readonly string[]): Map<string, Billed> {
  const bill = new Map<string, Billed>();
  for (const file of files)
    for (const text of readFileSync(file, "utf8").split("\n")) {
      const line = parsed(text);
      const usage = line?.message?.usage;
      if (line?.type !== "assistant" || usage === undefined || line.message?.model === "<synthetic>") continue;
      if (line.message?.id === undefined || line.requestId === undefined) continue;
      const key = `${line.message.id}:${line.requestId}`;
      const split = (usage["cache_creation"] ?? {}) as Record<string, unknown>;
      const hour = number(split["ephemeral_1h_input_tokens"]);
      const before = bill.get(key);
      bill.set(key, {
        model: line.message.model!,
        at: before?.at ?? Date.parse(line.timestamp!),
        in: number(usage["input_tokens"]),
        read: number(usage["cache_read_input_tokens"]),
        five: number(usage["cache_creation_input_tokens"]) - hour,
        hour,
        out: Math.max(before?.out ?? 0, number(usage["output_tokens"])),
      });
    }
  return bill;
}

function parsed(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}

function dollars(call: Billed): number {
  const name = Object.keys(PRICES)
    .filter((start) => call.model.startsWith(start))
    .toSorted((a, b) => b.length - a.length)[0];
  if (name === undefined) throw new Error(`No price was typed for ${call.model}.`);
  const price = PRICES[name]!;
  const isLong = call.in + call.read + call.five + call.hour > 200_000 && call.at < (price.long ?? 0);
  const input = price.in * (isLong ? 2 : 1);
  const output = price.out * (isLong ? 1.5 : 1);
  return (
    (call.in * input + call.read * input * 0.1 + call.five * input * 1.25 + call.hour * input * 2 + call.out * output) /
    1e6
  );
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(dir, name));

describe.skipIf(!hasData)("the collected sessions", () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-cost-"));
  const claude = hasData ? filesIn(join(DATA, "claude-code")) : [];
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive({ dir, host: systemHost() });
    await importPaths(archive, [...claude, ...filesIn(join(DATA, "codex"))]);
  });
  afterAll(async () => {
    await closeArchive(archive);
    rmSync(dir, { recursive: true, force: true });
  });

  test("every call of Claude Code costs what its usage does at list price, once", () => {
    const bill = billOf(claude);
    const rows = archive.sqlite
      .prepare(
        `SELECT c.key, c.usd FROM model_calls c JOIN sessions s ON s.pk = c.session_pk
         WHERE c.inherited = 0 AND s.format = 'claude-code'`,
      )
      .all() as { key: string; usd: number }[];
    const ours = new Map(rows.map(({ key, usd }) => [key, usd]));
    const own = rows.filter(({ key }) => bill.has(key));
    expect(own.length, "no call is owned twice").toBe(new Set(own.map(({ key }) => key)).size);
    const wrong = [...bill].filter(([key, call]) => Math.abs((ours.get(key) ?? NaN) - dollars(call)) > 1e-9);
    expect(wrong).toEqual([]);
    const sum = own.reduce((all, { usd }) => all + usd, 0);
    console.log(`Claude Code: ${bill.size} calls, $${sum.toFixed(2)}`);
    expect(sum).toBeCloseTo(
      [...bill.values()].reduce((all, call) => all + dollars(call), 0),
      6,
    );
    expect(sum).toBeGreaterThan(340);
  });

  // GPT-5.5: $5 in, $0.50 cached, $30 out; GPT-5.4: $2.50, $0.25, $15. The last total of a file is all its usage.
  test.each([
    ["019ed50c-2fb3-7002-a384-360bea6e7f04", 5, 0.5, 30],
    ["019ed836-b1da-78f1-8a0c-e598363d10f4", 2.5, 0.25, 15],
    ["019ed99c-d00d-7613-b2e7-d2f512f78afd", 5, 0.5, 30],
  ])("Codex session %s costs what its totals do at list price", async (id, input, cached, output) => {
    const text = readFileSync(join(DATA, "codex/agentv", `rollout-${id}.jsonl`), "utf8");
    const totals = [...text.matchAll(/"total_token_usage":(\{[^}]*\})/g)].at(-1)![1]!;
    const result = JSON.parse(totals) as Record<string, number>;
    const fresh = result["input_tokens"]! - result["cached_input_tokens"]!;
    const usd = (fresh * input + result["cached_input_tokens"]! * cached + result["output_tokens"]! * output) / 1e6;
    const { cost } = await showSession(archive, `codex:${id}`);
    expect(cost.usd).toBeCloseTo(usd, 6);
    expect(cost).toMatchObject({ origin: "list", atLeast: [], unpriced: 0, inherited: null });
  });

  test("what some calls of a Codex session cost is shown beside those without a price", async () => {
    const { cost } = await showSession(archive, "codex:019eef3d-abd1-72e1-ab99-dcdb259027c5");
    expect(cost.usd).toBeGreaterThan(0);
    expect(cost.unpriced).toBeGreaterThan(0);
    expect(cost.atLeast[0]).toContain("gpt-5.3-codex-spark");
  });

  test("list, header, show and load say the same of forks and resumes, and the sum is the sum of the calls", async () => {
    const { sessions } = await listSessions(archive, { ...sessionsQuery.parse({ limit: 500 }), nested: true });
    const forks = sessions.filter(({ cost }) => cost.inherited !== null);
    expect(forks.length).toBeGreaterThanOrEqual(3);
    for (const { id, cost } of forks) {
      const shown = await showSession(archive, id);
      const ledger = await sessionLedger(archive, id, { counted: true });
      expect(shown.cost).toEqual(cost);
      expect(ledger.cost).toEqual(cost);
      const inputs = (inherited: boolean): number =>
        ledger.calls.reduce((sum, call) => sum + (call.inherited === inherited ? (call.usd ?? 0) : 0), 0);
      expect(ledger.inputUsd).toBeCloseTo(inputs(false), 6);
      expect(inputs(true)).toBeLessThanOrEqual(cost.inherited!.usd!);
      expect(ledger.inputUsd!).toBeLessThanOrEqual(cost.usd!);
    }
    const [fork, origin] = await Promise.all(
      ["6b6f4218-0b12-4d55-b930-462903683bea", "030df228-1b4b-482d-b343-0fc9c13a3d1a"].map((id) =>
        showSession(archive, `claude-code:${id}`),
      ),
    );
    expect(fork!.cost.inherited!.usd).toBeCloseTo(origin!.cost.usd!, 6);
    const { models } = await readModels(archive);
    expect(models.reduce((sum, { usd }) => sum + (usd ?? 0), 0)).toBeCloseTo(
      sessions.reduce((sum, { cost }) => sum + (cost.usd ?? 0), 0),
      6,
    );
  });
});
