// What a hidden prefix may hold, by requests of other sessions. All records are synthetic.
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { answer, idOf, jsonl, prompt, text, used, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import { shaped } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { ledgerAnswer, type LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { countSession } from "./count-tokens.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { sessionLedger } from "./session-ledger.ts";

const words = (count: number, name: string): string => Array.from({ length: count }, (_, i) => `${name}${i}`).join(" ");
const PILOT = words(90, "pilot");
const NEWER = shaped("one", [PILOT], ["Bash", "Read", "mcp__harbour__open"]);
const OLDER = shaped("two", [PILOT], ["Bash"]);

type Content = { readonly version: string; readonly prompt?: number; readonly shape?: Rec; readonly second?: number };

/** A session of one call, named by its label. */
function session(label: string, { version, prompt: tokens = 500, shape, second = 0 }: Content): Rec[] {
  const own = { sessionId: idOf(label), version };
  return [
    { ...prompt(`p ${label}`, second, `What is ${label}?`), ...own },
    ...(shape === undefined ? [] : [{ ...shape, ...own }]),
    { ...answer(`a ${label}`, second + 1, label, text("A tide."), { usage: used(tokens, 0, 0, 3) }), ...own },
  ];
}

const add = (archive: Archive, logs: string, label: string, records: readonly Rec[]) =>
  importPaths(archive, [put(logs, `${idOf(label)}.jsonl`, jsonl(...records))]);
const read = async (archive: Archive, label: string): Promise<LedgerAnswer> =>
  ledgerAnswer.parse(await sessionLedger(archive, `claude-code:${idOf(label)}`, { counted: true }));

const KNOWN = { version: "2.1.330", shape: NEWER };

test("a session without requests is offered the parts of one of its version, heaviest first, and no MCP tools", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "bare", session("bare", { version: "2.1.330" }));
    expect((await read(archive, "bare")).inferredParts).toBeNull();
    await add(archive, logs, "known", session("known", KNOWN));
    await countSession(archive, findSession(archive, idOf("known")));
    const [bare, known] = [await read(archive, "bare"), await read(archive, "known")];
    expect(known.inferredParts).toBeNull();
    const { from, parts, tokens, known: weight } = bare.inferredParts!;
    expect(from).toEqual({
      session: known.sessionId,
      title: "What is known?",
      version: "2.1.330",
      isSameVersion: true,
      isOwn: false,
    });
    expect(parts.map(({ kind, name }) => [kind, name.slice(0, 13)])).toEqual([
      ["system", "pilot0 pilot1"],
      ["tool", "Bash"],
      ["tool", "Read"],
    ]);
    // The same text weighs what it weighs where it was sent, before the two were reconciled.
    expect(parts[0]!.tokens).toBe(known.items.find(({ label }) => label.startsWith("system_prompt"))!.estimated);
    expect(tokens).toBe(parts.reduce((sum, part) => sum + part.tokens, 0));
    expect(weight).toBe(bare.items.find(({ kind }) => kind === "prefix")!.tokens);
  }));

test("an older session is offered the nearest version that writes requests, and it is said which", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "old", session("old", { version: "2.0.60" }));
    // It says that it is newer, and its file holds none.
    await add(archive, logs, "bare", session("bare", { version: "2.1.331", second: 500 }));
    await add(archive, logs, "late", session("late", { version: "2.2.0", shape: OLDER, second: 900 }));
    expect((await read(archive, "old")).inferredParts!.from).toMatchObject({ version: "2.2.0", isSameVersion: false });
    await add(archive, logs, "known", session("known", KNOWN));
    expect((await read(archive, "old")).inferredParts!.from).toMatchObject({
      version: "2.1.330",
      isSameVersion: false,
    });
    expect((await read(archive, "bare")).inferredParts!.from.version).toBe("2.1.330");
  }));

test("of versions that are as near the same model goes first, and of one model the newest", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "bare", session("bare", { version: "2.1.340" }));
    const others = {
      old: { version: "2.1.341", model: "pilot", second: 10 },
      late: { version: "2.1.339", model: "pilot", second: 20 },
      newest: { version: "2.1.341", model: "other", second: 30 },
      farther: { version: "2.1.342", model: "pilot", second: 40 },
    };
    for (const [label, { version, second }] of Object.entries(others))
      await add(archive, logs, label, session(label, { version, second, shape: NEWER }));
    const name = (label: string, model: string | null) =>
      archive.sqlite
        .prepare("UPDATE sessions SET model = ? WHERE pk = ?")
        .run(model, findSession(archive, `claude-code:${idOf(label)}`));
    for (const [label, { model }] of Object.entries(others)) name(label, model);
    const found = async (): Promise<string> => (await read(archive, "bare")).inferredParts!.from.title;
    name("bare", "pilot");
    expect(await found()).toBe("What is late?");
    name("bare", "other");
    expect(await found()).toBe("What is newest?");
    // Of a model that none of them has: the newest of the nearest.
    name("bare", null);
    expect(await found()).toBe("What is newest?");
  }));

test("the nearest session is found by an index: what it costs does not grow with the archive", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "bare", session("bare", { version: "2.1.200" }));
    await add(archive, logs, "known", session("known", KNOWN));
    const prepare = vi.spyOn(archive.sqlite, "prepare");
    expect((await read(archive, "bare")).inferredParts).not.toBeNull();
    const texts = prepare.mock.calls.map(([text]) => text).filter((text) => /FROM sessions\b/.test(text));
    prepare.mockRestore();
    const plans = texts.flatMap((text) => {
      const plan = archive.sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`);
      return (
        plan.all(...(text.includes("@") ? [NAMED] : [...text.matchAll(/\?/g)].fill(null as never))) as Plan[]
      ).map(({ detail }) => detail);
    });
    expect(plans.filter((detail) => detail.includes("sessions_nearest")).length).toBeGreaterThan(1);
    expect(plans.filter((detail) => detail.includes("SCAN sessions") || detail.includes("TEMP B-TREE"))).toEqual([]);
  }));

type Plan = { readonly detail: string };
const NAMED = { format: "", isSub: 0, agent: "", version: "", model: "" };

test("a file that began without requests is offered its own first ones, MCP tools too", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "known", session("known", KNOWN));
    const own = { sessionId: idOf("both"), version: "2.1.330" };
    const later = [
      { ...prompt("p2", 50, "And now?"), ...own },
      { ...NEWER, ...own },
      { ...answer("a2", 51, "m2", text("Low."), { usage: used(600, 0, 0, 3) }), ...own },
    ];
    await add(archive, logs, "both", [...session("both", { version: "2.1.200" }), ...later]);
    const { inferredParts, sessionId } = await read(archive, "both");
    expect(inferredParts!.from).toMatchObject({ session: sessionId, isOwn: true });
    expect(inferredParts!.parts.map(({ name }) => name)).toContain("mcp__harbour__open");
  }));

test("a sub-agent is not offered what a main session is sent", () =>
  inArchive(async (archive, logs) => {
    await add(archive, logs, "known", session("known", KNOWN));
    const records = session("main", { version: "2.1.330" }).map((record) => ({
      ...record,
      isSidechain: true,
      agentId: "a1",
    }));
    await importPaths(archive, [put(logs, `${idOf("main")}/subagents/agent-a1.jsonl`, jsonl(...records))]);
    const ledger = await sessionLedger(archive, `claude-code:${idOf("main")}/a1`, { counted: true });
    expect(ledger.items.some(({ kind, seq }) => kind === "prefix" && seq === null)).toBe(true);
    expect(ledger.inferredParts).toBeNull();
  }));

test("whatever is inferred, sums and items are those that they were without it", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 20, max: 3000 }),
      fc.constantFrom("2.0.60", "2.1.330", "2.1.400", "no version"),
      fc.array(fc.constantFrom("Bash", "Read", "Edit", "mcp__harbour__open"), { maxLength: 4 }),
      (tokens, version, tools) =>
        inArchive(async (archive, logs) => {
          await add(archive, logs, "bare", session("bare", { version, prompt: tokens }));
          const { inferredParts: nothing, ...before } = await read(archive, "bare");
          const shape = shaped("one", [PILOT], [...new Set(tools)]);
          await add(archive, logs, "known", session("known", { version: "2.1.330", shape }));
          const { inferredParts, ...after } = await read(archive, "bare");
          expect(nothing).toBeNull();
          expect(after).toEqual(before);
          const hidden = after.items.filter(({ kind, seq }) => kind === "prefix" && seq === null);
          expect(inferredParts?.known).toBe(hidden[0]?.tokens);
        }),
    ),
    { numRuns: 25 },
  ));
