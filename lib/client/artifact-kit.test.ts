// The core of the adapters: outputs become envelopes, what stands for them reads back, and nothing throws into the loop.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ArtifactKit } from "./artifact-kit.ts";
import { ArtifactStore } from "./artifact-store.ts";
import { connectKit } from "./connect-kit.ts";
import { withServer } from "./testing-server.ts";

const rows = { rows: Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}` })) };
const idOf = (text: string): string => (JSON.parse(text) as { artifact_id: string }).artifact_id;
const use = (kit: ArtifactKit, name: string, input: object): unknown =>
  kit.tools.find((tool) => tool.name === name)!.execute(input);

/** Pages until the end, as a model reads them. */
async function readWhole(kit: ArtifactKit, artifact_id: string): Promise<string> {
  let whole = "";
  for (let start: object = {}; ;) {
    const page = String(await use(kit, "artifact_read", { artifact_id, ...start }));
    const more = /\n?\[chars \d+–\d+ of \d+ in line 1(?:; continue with start_line=1, start_char=(\d+))?\]$/.exec(page);
    whole += more === null ? page : page.slice(0, more.index);
    if (more?.[1] === undefined) return whole;
    start = { start_line: 1, start_char: Number(more[1]) };
  }
}

test("an output over the limit becomes an envelope, in memory or in a folder, and reads back byte for byte", async () => {
  const base = mkdtempSync(join(tmpdir(), "plimsoll-kit-"));
  try {
    for (const kit of [
      new ArtifactKit(),
      new ArtifactKit({ folder: { store: new ArtifactStore({ base }), session: "s" } }),
    ]) {
      expect((await kit.offload("small", { toolName: "query" })).output).toBe("small");
      const large = JSON.stringify({ rows: rows.rows.concat(rows.rows, rows.rows) });
      const { output, decision } = await kit.offload(JSON.parse(large), { toolName: "query", toolCallId: "c1" });
      expect(decision).toMatchObject({ action: "artifact", status: "ok", callId: "c1" });
      expect(await readWhole(kit, idOf(output as string))).toBe(large);
      expect(String(output)).toContain("artifact_read");
      expect(await use(kit, "artifact_read", { artifact_id: "art_0" })).toBe("[no artifact found for 'art_0']");
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test("a plain function is wrapped in one word; calls without an id have names of their own", async () => {
  const decisions: string[] = [];
  const kit = new ArtifactKit({ onDecision: ({ callId }) => decisions.push(callId) });
  const query = kit.wrap("query", (limit: number) => ({ rows: rows.rows.slice(0, limit) }));
  expect(await query(2)).toEqual({ rows: rows.rows.slice(0, 2) });
  expect(idOf((await query(2000)) as unknown as string)).toMatch(/^art_/);
  expect(new Set(decisions).size).toBe(2);
  const failing = kit.wrap("fail", () => Promise.reject(new Error("no such table")));
  await expect(failing()).rejects.toThrow("no such table");
});

test("blocks and structured content keep their shape", async () => {
  const kit = new ArtifactKit();
  const text = JSON.stringify(rows);
  const mcp = await kit.offload(
    { content: [{ type: "text", text }], structuredContent: rows, isError: false },
    { toolName: "t" },
  );
  expect(mcp.output).toEqual({ content: [{ type: "text", text: expect.stringContaining("art_") }], isError: false });
  const alone = await kit.offload({ content: [], structuredContent: rows }, { toolName: "t" });
  expect(alone.output).toEqual({ content: [{ type: "text", text: expect.stringContaining("art_") }] });
});

test("nothing is thrown after the tool has run: a strange output goes on as it is, a full store cuts", async () => {
  const kit = new ArtifactKit();
  const strange = {
    get content(): string {
      throw new Error("no");
    },
  };
  expect((await kit.offload(strange, { toolName: "t" })).output).toBe(strange);
  const full = new ArtifactKit({ context: { sessionState: Object.freeze({}) } });
  const cut = await full.offload("x\n".repeat(50_000), { toolName: "t" });
  expect(cut.decision).toMatchObject({ action: "truncate", status: "failed" });
  expect(cut.text).not.toMatch(/art[:_]/);
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const hook = new ArtifactKit({
    onDecision: () => {
      throw new Error("no disk");
    },
  });
  expect(idOf((await hook.offload(rows, { toolName: "t" })).text)).toMatch(/^art_/);
  expect(said).toHaveBeenCalledExactlyOnceWith("onDecision failed: no disk");
  said.mockRestore();
});

test("a connected kit: Plimsoll has the session with its outputs, and runs grep and jq on them", () =>
  withServer(async ({ url, tokens }) => {
    const spool = mkdtempSync(join(tmpdir(), "plimsoll-kit-"));
    const options = { url, token: tokens.write, spool, session: { id: "run" } };
    const { kit, recorder, session } = await connectKit(options);
    expect(kit.tools.map(({ name }) => name)).toEqual(["artifact_read", "artifact_grep", "artifact_jq"]);
    const history = [
      { role: "system", text: "Be brief." },
      { role: "user", text: "How many rows?" },
    ] as const;
    kit.conversation!.sent(history);
    kit.conversation!.answered({ text: "", toolCalls: [{ id: "c1", name: "query", input: { limit: 2000 } }] });
    const { text } = await kit.offload(rows, { toolName: "query", toolCallId: "c1" });
    kit.conversation!.sent([...history, { role: "tool", id: "c1", name: "query", text }]);
    expect(await use(kit, "artifact_jq", { artifact_id: idOf(text), expression: ".rows | length" })).toBe("2000");
    kit.conversation!.answered({ text: "2000." });
    expect(await recorder.close()).toBe(true);
    const { events } = await session!.events();
    expect(events.map(({ type }) => type)).toEqual(["system", "user", "tool_call", "tool_result", "assistant"]);
    expect(events[3]).toMatchObject({ saw: "preview", stored: { sizeBytes: JSON.stringify(rows).length } });
    // Another process of the same session reads what this one stored.
    const later = await connectKit(options);
    expect(await use(later.kit, "artifact_read", { artifact_id: idOf(text), start_line: 1, start_char: 0 })).toContain(
      "row 1",
    );
    await later.recorder.close();
    rmSync(spool, { recursive: true, force: true });
  }));

test("a Plimsoll that is away stops nothing: outputs read back from here, and the records wait", async () => {
  const spool = mkdtempSync(join(tmpdir(), "plimsoll-kit-"));
  const problems: string[] = [];
  const { kit, recorder, session } = await connectKit({
    url: "http://127.0.0.1:9",
    token: "t",
    spool,
    onProblem: (one) => problems.push(one),
  });
  expect([session, kit.tools.length]).toEqual([null, 1]);
  const { text } = await kit.offload(rows, { toolName: "query" });
  expect(await use(kit, "artifact_read", { artifact_id: idOf(text), start_line: 1, start_char: 0 })).toContain("row 1");
  expect(await recorder.close(100)).toBe(false);
  expect(problems.join(" ")).toContain("No Plimsoll answers");
  rmSync(spool, { recursive: true, force: true });
});
