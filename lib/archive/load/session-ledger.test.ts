// Ledgers of files, as they are imported: what only a whole session shows. All sessions here are written by hand.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  answer,
  asks,
  idOf,
  jsonl,
  line,
  OTHER_SESSION,
  prompt,
  result,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { Host } from "#lib/kernel/host.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { ledgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { countSession } from "./count-tokens.ts";
import { findSession } from "../base/find-session.ts";
import { importPaths } from "../import/import-paths.ts";
import { judgeSession } from "./compute-verdict.ts";
import { listArtifacts } from "../sessions/list-artifacts.ts";
import { showArtifact } from "../sessions/show-artifact.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { sessionLedger } from "./session-ledger.ts";
import { sessionLoad } from "./session-load.ts";
import { inArchive, inFolder, put, testHost, withArchive } from "../testing-archive.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";

const words = (count: number, name = "word"): string =>
  Array.from({ length: count }, (_, i) => `${name}${i}`).join(" ");

/** Imports one session and gives its ledger, every text counted. */
const ledgerOf = (records: readonly Rec[], check: (ledger: LedgerAnswer, archive: Archive) => Promise<void> | void) =>
  inFolder(async (dir) => {
    const path = put(dir, `logs/${SESSION}.jsonl`, jsonl(...records));
    await withArchive(join(dir, "archive"), (archive) => judge(archive, path, check), PRICED);
  });

async function judge(
  archive: Archive,
  path: string,
  check: (ledger: LedgerAnswer, archive: Archive) => Promise<void> | void,
): Promise<void> {
  await importPaths(archive, [path]);
  const ledger = ledgerAnswer.parse(await sessionLedger(archive, `claude-code:${SESSION}`, { counted: true }));
  for (const call of ledger.calls) {
    expect(call.sum).toBe(call.prefix + call.visible + call.unattributed);
    if (call.reported !== null) expect(call.sum).toBe(call.reported);
  }
  await check(ledger, archive);
}

/** The words of the test host, at prices like those of a provider. */
const host = testHost();
const PRICED: Host = {
  ...host,
  prices: { ...host.prices, rates: () => completeRates({ uncached: 5e-6, read: 5e-7, write: 6.25e-6, output: 25e-6 }) },
};

const itemAt = (ledger: LedgerAnswer, seq: number) => ledger.items.find((item) => item.seq === seq)!;

test("an output that the agent cut weighs what the model saw, not what the file holds", () => {
  const cut = `<persisted-output>\nOutput too large (900KB). Full output saved to: /home/ada/x.txt\n\nPreview (first 2KB):\n${words(50)}\n</persisted-output>`;
  return ledgerOf(
    [
      prompt("1", 1, "Look at the log"),
      answer("2", 2, "a", asks("t1", "Bash", { command: "cat log" }), { usage: used(2, 0, 20_000, 1), stop: null }),
      result("3", 3, "t1", cut, { toolUseResult: { stdout: words(90_000), stderr: "" } }),
      answer("4", 4, "b", text("Short."), { usage: used(2, 20_000, 120, 1), stop: null }),
    ],
    (ledger) => {
      expect(itemAt(ledger, 3).tokens).toBeLessThan(150);
      expect(ledger.calls[1]!.unattributed).toBeLessThan(60);
    },
  );
});

test.each([
  ["2.1.7", 600],
  ["2.0.30", 3600],
] as const)(
  "the plan in ExitPlanMode's input is not in the prompt of Claude Code %s, %i tokens in all",
  (version, grown) =>
    ledgerOf(
      [
        prompt("1", 1, "Plan the dredging"),
        answer("2", 2, "a", asks("t1", "ExitPlanMode", { plan: words(3000) }), { usage: used(2, 0, 20_000, 1) }),
        result("3", 3, "t1", `Your plan has been saved to: plan.md ${words(500)}`),
        answer("4", 4, "b", text("Now I dig"), { usage: used(2, 20_000, grown, 1) }),
      ].map((record) => ({ ...record, version, message: { ...(record["message"] as Rec), model: "claude-opus-4-5" } })),
      ({ items, calls }) => {
        const call = items.find(({ kind }) => kind === "call")!;
        expect(call.estimated > 2900).toBe(version === "2.0.30");
        expect(Math.abs(calls[1]!.unattributed)).toBeLessThan(100);
      },
    ),
);

test("a sub-agent inside the file has a ledger of its own, and nothing of it is in the parent's", () =>
  inArchive(async (archive, logs) => {
    const side = { isSidechain: true, agentId: "a1" };
    put(
      logs,
      `${SESSION}.jsonl`,
      jsonl(
        prompt("1", 1, "Ask somebody"),
        answer("2", 2, "a", asks("t1", "Task", { prompt: "Look" }), { usage: used(2, 0, 20_000, 1), stop: null }),
        prompt("s1", 3, words(4000), side),
        answer("s2", 4, "s", text("Found."), { usage: used(2, 0, 9000, 1), stop: null, more: side }),
        result("3", 5, "t1", "Found.", { toolUseResult: { agentId: "a1" } }),
        answer("4", 6, "b", text("Good."), { usage: used(2, 20_000, 60, 1), stop: null }),
      ),
    );
    await importPaths(archive, [logs]);
    const parent = await sessionLedger(archive, `claude-code:${SESSION}`, { counted: true });
    const child = await sessionLedger(archive, `claude-code:${SESSION}/a1`, { counted: true });
    expect(parent.calls.map(({ lane, sum }) => [lane, sum])).toEqual([
      ["main", 20_002],
      ["main", 20_062],
    ]);
    expect(child.calls.map(({ lane, sum }) => [lane, sum])).toEqual([["a1", 9002]]);
    expect(parent.items.every(({ tokens }) => tokens < 30_000 && tokens !== 4000)).toBe(true);
  }));

test("what the client put beside the conversation is weighed where it stands", () =>
  ledgerOf(
    [
      prompt("1", 1, "Go on"),
      line("attachment", "2", 1, { attachment: { type: "skill_listing", content: words(300, "skill") } }),
      answer("3", 2, "a", text("Yes."), { usage: used(2, 0, 20_000, 1), stop: null }),
      line("attachment", "4", 3, {
        attachment: { type: "edited_text_file", filename: "a.ts", snippet: words(900, "line") },
      }),
      prompt("5", 4, "More"),
      answer("6", 5, "b", text("Done."), { usage: used(2, 20_000, 1050, 1), stop: null }),
    ],
    (ledger) => {
      expect(itemAt(ledger, 2)).toMatchObject({ kind: "prefix", enteredAt: 1 });
      expect(itemAt(ledger, 4)).toMatchObject({ kind: "user", enteredAt: 2 });
      expect(itemAt(ledger, 4).tokens).toBeGreaterThan(850);
      expect(Math.abs(ledger.calls[1]!.unattributed)).toBeLessThan(100);
    },
  ));

/** A session whose agent cleared two old results by itself; synthetic, as no collected session has one. */
const cleared = (cost: number, said: number): Rec[] => [
  prompt("1", 1, "Read both"),
  answer("2", 2, "a", asks("t1", "Read", { file_path: "/a.md" }), { usage: used(2, 0, 20_000, 1), stop: null }),
  result("3", 3, "t1", words(6000, "a")),
  answer("4", 4, "b", asks("t2", "Read", { file_path: "/b.md" }), { usage: used(2, 20_000, 6700, 1), stop: null }),
  result("5", 5, "t2", words(3000, "b")),
  answer("6", 6, "c", text("Read."), { usage: used(2, 26_700, 3350, 1), stop: null }),
  line("system", "7", 7, {
    subtype: "microcompact_boundary",
    content: "Context microcompacted",
    microcompactMetadata: { trigger: "auto", preTokens: 30_052, tokensSaved: said, compactedToolIds: ["t1", "t2"] },
  }),
  prompt("8", 8, "Go on"),
  answer("9", 9, "d", text("Yes."), { usage: used(2, 10_000, 30_052 - cost - 10_000, 1), stop: null }),
];

test("what an init record lists is told of the hidden prefix; listings are parts of their own", () =>
  ledgerOf(
    [
      line("system", "1", 1, { subtype: "init", tools: ["Read", "mcp__harbour__find"], mcp_servers: [] }),
      prompt("2", 2, "Look"),
      line("attachment", "3", 3, { attachment: { type: "skill_listing", content: words(900, "skill") } }),
      answer("4", 4, "a", text("Yes."), { usage: used(2, 0, 20_000, 1), stop: null }),
    ],
    ({ base }) => {
      expect(base.parts.map(({ part, label, seq }) => [part, label, seq])).toEqual([
        ["unsplit", "System prompt and 2 tools (MCP: harbour 1), not in the file", null],
        ["skills", "Skills", 3],
      ]);
      expect(base.share).toBeGreaterThan(0.95);
    },
  ));

test("an agent's own clearing of results is compared with what the ledger had for them", () =>
  ledgerOf(cleared(9900, 7600), (ledger) => {
    const [clearing] = ledger.clearings;
    expect(clearing).toMatchObject({ seq: 7, call: 4, agentSaid: 7600 });
    expect(Math.abs(clearing!.predicted - clearing!.reported!) / clearing!.reported!).toBeLessThan(0.06);
    // The replay of the same rule: both results are 20 tokens each.
    expect(clearing!.replayed).toBe(clearing!.predicted - 2 * 20);
    expect(itemAt(ledger, 3).leftAt).toBe(4);
  }));

test("files that a clearing took out leave with it", () => {
  const [first, ...rest] = cleared(9900, 7600);
  const file = line("attachment", "f", 1, {
    attachment: { type: "file", filename: "c.md", content: words(2000, "c") },
  });
  const records = [first!, file, ...rest].map((record) =>
    "microcompactMetadata" in record
      ? {
          ...record,
          microcompactMetadata: { ...(record["microcompactMetadata"] as Rec), clearedAttachmentUUIDs: [idOf("f")] },
        }
      : record,
  );
  return ledgerOf(records, (ledger) => {
    expect(itemAt(ledger, 2)).toMatchObject({ kind: "user", leftAt: 4 });
    expect(ledger.clearings[0]!.predicted).toBeGreaterThan(10_000);
  });
});

test("a clearing beside another compaction is not compared", () => {
  const records = cleared(9900, 7600);
  const compaction = line("system", "x", 7, {
    subtype: "compact_boundary",
    compactMetadata: { trigger: "auto", preTokens: 30_000 },
  });
  return ledgerOf([...records.slice(0, 7), compaction, ...records.slice(7)], (ledger) => {
    expect(ledger.clearings[0]!.reported).toBeNull();
  });
});

describe("bad input", () => {
  test("two ids in a file, a clock that goes backwards, calls without usage: the sum still meets", () =>
    ledgerOf(
      [
        prompt("1", 100, "x"),
        answer("2", 90, "a", text("one"), { usage: used(2, 0, 20_000, 1), stop: null }),
        { ...prompt("3", 80, "y"), sessionId: idOf("other") },
        answer("4", 70, "b", text("two"), { usage: null, stop: null }),
        answer("5", 60, "c", text("three"), { usage: used(0, 0, 0, 0), stop: null }),
        prompt("6", 50, words(500)),
        answer("7", 40, "d", text("four"), { usage: used(2, 15_000, 5600, 1), stop: null }),
        line("system", "8", 30, {
          subtype: "compact_boundary",
          compactMetadata: { trigger: "auto", preTokens: 20_602 },
        }),
        line("system", "9", 29, {
          subtype: "compact_boundary",
          compactMetadata: { trigger: "auto", preTokens: 20_602 },
        }),
        answer("10", 20, "e", text("five"), { usage: used(2, 0, 9000, 1), stop: null, model: "claude-sonnet-4-5" }),
      ],
      (ledger) => {
        expect(ledger.calls.at(-1)).toMatchObject({ epoch: 3, growthReported: null });
        expect(ledger.verdict.length).toBeGreaterThan(10);
      },
    ));

  test("a session without model calls says so, and an unknown session is not found", () =>
    ledgerOf([prompt("1", 1, "Nobody answers")], async (ledger, archive) => {
      expect(ledger.calls).toEqual([]);
      expect(ledger.verdict).toBe("No model call yet.");
      await expect(sessionLedger(archive, "s_nothing")).rejects.toMatchObject({ code: "not_found" });
    }));

  test("where nothing was reported all is estimated, and the verdict says so", () =>
    ledgerOf(
      [prompt("1", 1, "x"), answer("2", 2, "a", text("one"), { usage: null }), prompt("3", 3, words(400))],
      (ledger) => {
        expect(ledger.calls.every(({ reported }) => reported === null)).toBe(true);
        expect(ledger.items.every(({ grade }) => grade === "estimated")).toBe(true);
      },
    ));
});

/** A session that reads one large file early and then works 40 calls without naming anything of it. */
const heavy = (): Rec[] => {
  const records: Rec[] = [
    prompt("p", 1, "Mend the harbour"),
    answer("a0", 2, "c0", asks("t0", "Read", { file_path: "/harbour/tides.csv" }), {
      usage: used(2, 0, 20_000, 1),
      stop: null,
    }),
    result("r0", 3, "t0", words(30_000, "tide")),
  ];
  let sum = 53_026;
  for (let i = 1; i <= 40; i++) {
    records.push(
      answer(`a${i}`, 3 + 2 * i, `c${i}`, asks(`t${i}`, "Bash", { command: `make step${i}` }), {
        usage: used(2, i === 1 ? 20_000 : sum - 200, i === 1 ? sum - 20_002 : 198, 1),
        stop: null,
      }),
      result(`r${i}`, 4 + 2 * i, `t${i}`, `done ${i}`),
    );
    sum += 200;
  }
  return records;
};

test("the chart, the ledger and the list tell the same story of a session", () =>
  ledgerOf(heavy(), async (ledger, archive) => {
    const pk = findSession(archive, ledger.sessionId);
    await countSession(archive, pk);
    const load = await sessionLoad(archive, ledger.sessionId);
    const again = await sessionLedger(archive, ledger.sessionId);
    expect(load.calls.map(({ prompt: tokens }) => tokens)).toEqual(again.calls.map(({ sum }) => sum));
    expect(again.culprits[0]).toMatchObject({ seq: 3, tool: "Read", fromCall: 2, toCall: 41 });
    expect(await judgeSession(archive, pk)).toBe(true);
    expect(await judgeSession(archive, pk)).toBe(false);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({ sort: "avoidable" }));
    expect(sessions[0]!.culprit).toMatchObject({ seq: 3, label: again.culprits[0]!.label });
    expect(sessions[0]!.avoidable!.tokens).toBeGreaterThan(500_000);
    expect(sessions[0]!.avoidable).toEqual(again.avoidable);
  }));

test("the list of artifacts has what the ledger and the artifact's own page say, once the session was judged", () =>
  ledgerOf(heavy(), async (ledger, archive) => {
    const pk = findSession(archive, ledger.sessionId);
    const list = async () => (await listArtifacts(archive, artifactsQuery.parse({}))).artifacts;
    const [before] = await list();
    expect(before!.load).toBeNull();
    await countSession(archive, pk);
    expect(await judgeSession(archive, pk)).toBe(true);
    const [artifact] = await list();
    const item = itemAt(await sessionLedger(archive, ledger.sessionId), artifact!.seq!);
    const page = await showArtifact(archive, artifact!.pointer);
    expect(artifact!.load).toEqual({
      tokens: item.tokens,
      origin: item.origin,
      calls: item.callsResident,
      usd: item.lifetimeUsd,
      saw: "full",
      isOld: false,
    });
    expect([page.tokens, page.tokensOrigin, page.callsResident]).toEqual([item.tokens, item.origin, 40]);
    expect(item.lifetimeUsd).toBeGreaterThan(0.5);
    // What an older archive judged without them is worked out once more, and no verdict changes.
    archive.sqlite.exec("UPDATE artifacts SET load_calls = NULL, load_version = NULL");
    expect(await judgeSession(archive, pk)).toBe(true);
    expect((await list())[0]!.load).toEqual(artifact!.load);
    expect(await judgeSession(archive, pk)).toBe(false);
    archive.sqlite.exec("UPDATE sessions SET version = version + 1");
    expect((await list())[0]!.load).toEqual({ ...artifact!.load, isOld: true });
  }));

test("an artifact that the agent cut has the tokens that the model saw in the list, as its calls and its cost", () => {
  const cut = `<persisted-output>\nOutput too large (900KB). Full output saved to: /home/ada/x.txt\n\nPreview (first 2KB):\n${words(50)}\n</persisted-output>`;
  return ledgerOf(
    [
      prompt("1", 1, "Look at the log"),
      answer("2", 2, "a", asks("t1", "Bash", { command: "cat log" }), { usage: used(2, 0, 20_000, 1), stop: null }),
      result("3", 3, "t1", cut, { toolUseResult: { stdout: words(90_000), stderr: "" } }),
      answer("4", 4, "b", text("Short."), { usage: used(2, 20_000, 120, 1), stop: null }),
    ],
    async (ledger, archive) => {
      const pk = findSession(archive, ledger.sessionId);
      await countSession(archive, pk);
      await judgeSession(archive, pk);
      const { artifacts } = await listArtifacts(archive, artifactsQuery.parse({}));
      const item = itemAt(await sessionLedger(archive, ledger.sessionId), artifacts[0]!.seq!);
      expect(artifacts[0]!.load).toMatchObject({ tokens: item.tokens, calls: 1, usd: item.lifetimeUsd });
      expect(artifacts[0]!.load!.tokens).toBeLessThan(1000);
      expect((await showArtifact(archive, artifacts[0]!.pointer)).tokens).toBeGreaterThan(50_000);
    },
  );
});

test("texts that are counted with another session's are counted in this one's ledger too", () =>
  inFolder(async (dir) => {
    const shared = prompt("p", 1, words(300));
    const named = (sessionId: string): string =>
      put(
        dir,
        `logs/${sessionId}.jsonl`,
        jsonl(
          { ...shared, uuid: sessionId, sessionId },
          { ...answer(`a ${sessionId}`, 2, sessionId, text("Yes.")), sessionId },
        ),
      );
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await importPaths(archive, [named(SESSION), named(OTHER_SESSION)]);
        const ask = () => sessionLedger(archive, `claude-code:${OTHER_SESSION}`);
        const before = await ask();
        expect(before.counting).toBe(true);
        expect(await countSession(archive, findSession(archive, `claude-code:${SESSION}`))).toBe(2);
        const after = await ask();
        expect(after.counting).toBe(false);
        expect(after.items.find(({ kind }) => kind === "user")!.textTokens).not.toBe(
          before.items.find(({ kind }) => kind === "user")!.textTokens,
        );
      },
      PRICED,
    );
  }));
