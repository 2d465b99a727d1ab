import { expect, test } from "vitest";
import { baseOf } from "./base.ts";
import { serversIn } from "./servers.ts";
import { firstSeqOf, loadOf, RATES } from "./testing-ledger.ts";

const listing = { kind: "prefix", itemClass: "listing", from: 0 } as const;

test("what stands before the conversation, by its parts; it is a share of everything that was sent", () => {
  const session = loadOf({
    calls: 4,
    prefix: 10_000,
    items: [
      { ...listing, tokens: 1000, seq: 1, label: "skill_listing The following skills" },
      { ...listing, tokens: 600, seq: 2, label: "agent_listing_delta Available agents" },
      { tokens: 2000, from: 0, seq: 3, kind: "memory", itemClass: "note", label: "nested_memory # CLAUDE.md Be brief" },
      { tokens: 500, from: 0, seq: 4, kind: "user", itemClass: "user", label: "# AGENTS.md instructions for /repo" },
      { tokens: 900, from: 0, seq: 5, kind: "memory", itemClass: "summary", label: "What was done" },
      { tokens: 5000, from: 2, seq: 6 },
    ],
  });
  const { parts, sent, share } = baseOf(session);
  expect(parts.map(({ part, label, tokens, seq }) => [part, label, tokens, seq])).toEqual([
    ["unsplit", "System prompt and tools, not in the file", 10_000, null],
    ["memory", "CLAUDE.md", 2000, 3],
    ["skills", "Skills", 1000, 1],
    ["agents", "Sub-agents", 600, 2],
    ["memory", "AGENTS.md", 500, 4],
  ]);
  expect(sent).toBe(4 * 14_100);
  // 15,000 in each of four prompts, and 5,000 more in two of them.
  expect(share).toBeCloseTo((4 * 14_100) / 70_000);
  expect(parts[0]!.usd).toBeCloseTo(10_000 * (RATES.write + 3 * RATES.read));
});

test("blocks and tools that the file holds are parts of their own: tools by server, memory files by path, reminders together", () => {
  const session = loadOf({
    calls: 2,
    prefix: 0,
    items: [
      { ...listing, tokens: 900, seq: 1, label: "system_prompt You are a pilot" },
      { ...listing, tokens: 700, seq: 2, label: 'tool_schema Bash {"name":"Bash"}' },
      { ...listing, tokens: 500, seq: 3, label: 'tool_schema mcp__harbour__open {"name":"mcp__harbour__open"}' },
      { ...listing, tokens: 300, seq: 4, label: 'tool_schema mcp__harbour__shut {"name":"mcp__harbour__shut"}' },
      { ...listing, tokens: 200, seq: 5, label: "environment # Environment" },
      {
        tokens: 100,
        from: 0,
        seq: 6,
        kind: "memory",
        itemClass: "listing",
        label: "instructions /h/q/CLAUDE.md Be brief",
      },
    ],
  });
  expect(baseOf(session).parts.map(({ part, label, tokens }) => [part, label, tokens])).toEqual([
    ["system", "System prompt", 900],
    ["mcp", "MCP server harbour", 500],
    ["tools", "Tools", 700],
    ["notes", "Environment and reminders", 200],
    ["memory", "/h/q/CLAUDE.md", 100],
  ]);
});

test("of a span only its calls count, and what came again is one part", () => {
  const copy = { tokens: 2000, kind: "memory", itemClass: "note", label: "CLAUDE.md" } as const;
  const session = loadOf({
    calls: 6,
    items: [
      { ...copy, from: 0, to: 4, seq: 3 },
      { ...copy, from: 4, seq: firstSeqOf(4) - 20 },
    ],
    at: { 4: { epoch: 2 } },
  });
  expect(baseOf(session).parts[1]).toMatchObject({ label: "CLAUDE.md", tokens: 2000, sent: 12_000 });
  expect(baseOf(session, 4, 6)).toMatchObject({ sent: 24_000, share: 1 });
});

test("a listing of tools is split among the servers that it names", () => {
  const text = ["WebFetch", "mcp__harbour__find", "mcp__harbour__open", "mcp__tides-eu__at"].join("\n");
  const shares = serversIn(text);
  expect(shares.map(({ server }) => server)).toEqual(["harbour", "tides-eu"]);
  expect(shares[0]!.share).toBeCloseTo(38 / 65);
  const session = loadOf({
    calls: 2,
    items: [{ ...listing, tokens: 650, seq: 2, label: "deferred_tools_delta WebFetch" }],
  });
  const { parts } = baseOf({ ...session, servers: new Map([[2, shares]]) });
  expect(parts.slice(1).map(({ part, label, tokens }) => [part, label, tokens])).toEqual([
    ["mcp", "MCP server harbour", 380],
    ["mcp", "MCP server tides-eu", 180],
    ["tools", "Tools", 90],
  ]);
});

test("instructions stand under their server's name", () => {
  expect(serversIn("## harbour\nFind berths here.\n## tides\nAsk for an hour.")).toMatchObject([
    { server: "harbour" },
    { server: "tides" },
  ]);
  expect(serversIn("Nothing of a server").length).toBe(0);
});

test("where the file names the tools that a run started with, their number and servers stand beside the prompt", () => {
  const session = loadOf({ calls: 2 });
  const label = (tools: readonly string[]) => baseOf({ ...session, tools }).parts[0]!.label;
  expect(label(["Read", "Bash"])).toBe("System prompt and 2 tools, not in the file");
  expect(label(["Read", "mcp__harbour__find", "mcp__harbour__open"])).toBe(
    "System prompt and 3 tools (MCP: harbour 2), not in the file",
  );
});
