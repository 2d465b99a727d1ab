import { describe, expect, test } from "vitest";
import { traceKey, type RawTrace } from "../memory-types.ts";
import { callFacts } from "./call-facts.ts";
import { extractiveSummarizer } from "./extractive-summarizer.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { eventsOfTraces } from "../trace-events.ts";
import { eventsOf, result } from "./testing-log.ts";

describe("what a call does", () => {
  test.each([
    ["Edit", { file_path: "/a/x.ts" }, [{ path: "/a/x.ts", does: "modified" }]],
    ["MultiEdit", { file_path: "/a/x.ts" }, [{ path: "/a/x.ts", does: "modified" }]],
    ["write_file", { path: "/a/x.ts" }, [{ path: "/a/x.ts", does: "created" }]],
    ["Read", { file_path: "/a/x.ts" }, [{ path: "/a/x.ts", does: "read" }]],
    ["Grep", { pattern: "x", path: "/a" }, []],
    ["Bash", { command: "sed -n '1,20p' lib/x.ts" }, [{ path: "lib/x.ts", does: "read" }]],
    ["Bash", { command: "cat > lib/x.ts <<'EOF'\nx\nEOF" }, [{ path: "lib/x.ts", does: "created" }]],
    ["Bash", { command: "sed -i 's/a/b/' lib/x.ts && make" }, [{ path: "lib/x.ts", does: "modified" }]],
    ["Bash", { command: "make 2> /dev/null" }, []],
  ])("%s %j", (tool, input, files) => {
    expect(callFacts(tool, input).files).toEqual(files);
  });

  test("a patch names its files, as text and through a shell", () => {
    const patch =
      "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** Delete File: c.ts\n*** End Patch";
    const files = [
      { path: "a.ts", does: "modified" },
      { path: "b.ts", does: "created" },
      { path: "c.ts", does: "deleted" },
    ];
    expect(callFacts("apply_patch", patch).files).toEqual(files);
    expect(callFacts("exec", { command: `apply_patch <<'EOF'\n${patch}\nEOF` }).files).toEqual(files);
  });

  test("a shell that is given its words: the words are the command", () => {
    expect(callFacts("shell", { command: ["bash", "-lc", "ls -a"] }).command).toBe("ls -a");
    expect(callFacts("shell", { command: ["ls", "-a"] }).command).toBe("ls -a");
    expect(callFacts("Read", { file_path: "x.ts" }).command).toBeNull();
  });

  test("a plan is a list of steps with a status", () => {
    const steps = [
      { content: "one", status: "completed" },
      { content: "two", status: "in_progress" },
      { step: "three", status: "pending" },
    ];
    expect(callFacts("TodoWrite", { todos: steps }).open).toEqual(["two", "three"]);
    expect(callFacts("update_plan", { plan: steps.slice(0, 1) }).open).toEqual([]);
    expect(callFacts("Read", { lines: [1, 2] }).open).toBeNull();
  });
});

describe("pieces of events", () => {
  test("what the client put in is a note, a summary a summary, and a boundary nothing", () => {
    const pieces = piecesOfEvents(
      eventsOf([
        { type: "user", text: "a reminder", injected: "reminder" },
        { type: "compaction", kind: "full", trigger: null, tokensBefore: null, tokensAfter: null, text: "" },
        { type: "user", text: "what was done so far", injected: "summary" },
        { type: "meta", subtype: "file", text: "attached", sent: "memory" },
        { type: "meta", subtype: "mode", text: "normal" },
        { type: "unknown", reason: "x", text: "y" },
      ]),
    );
    expect(pieces.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["note", 1],
      ["summary", 3],
      ["note", 4],
    ]);
  });

  test("a result without words and one without a call are pieces too", () => {
    expect(piecesOfEvents(eventsOf([result("none", "")]))).toMatchObject([{ kind: "tool_result", toolName: null }]);
  });
});

const piecesOfTraces = (traces: readonly RawTrace[]) => piecesOfEvents(eventsOfTraces(traces));

const trace = (seq: number, traceType: string, more: Partial<RawTrace>): RawTrace => ({
  id: `rt_${seq}`,
  ts: seq,
  turnId: "turn_0001",
  seq,
  traceType,
  content: "",
  sourceEvent: "test",
  ...more,
});

const TRACES: readonly RawTrace[] = [
  trace(1, "user", { content: "Count the rows of the export, and never write to the live table." }),
  trace(2, "tool_call", { toolName: "run", toolCallId: "c1", toolArgs: { command: "wc -l export.csv" } }),
  trace(3, "tool_result", {
    toolName: "run",
    toolCallId: "c1",
    toolError: "Error: export.csv is missing",
    toolResult: null,
  }),
  trace(4, "tool_call", { toolName: "write_file", toolCallId: "c2", toolArgs: '{"path":"/tmp/rows.txt"}' }),
  trace(5, "tool_result", {
    toolName: "write_file",
    toolCallId: "c2",
    toolResult: { exit_code: 0, stdout: "a\nb" },
    toolResultRef: "art:00000000-0000-8000-a000-000000000005",
  }),
  trace(6, "operation_boundary", { content: "end" }),
  trace(7, "assistant", { content: "There are no rows.", turnId: null }),
];

describe("pieces of raw traces", () => {
  const pieces = piecesOfTraces(TRACES);

  test("calls, results, errors, exit codes and artifacts are read from their fields", () => {
    expect(pieces.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["user", 1],
      ["tool_call", 2],
      ["tool_result", 3],
      ["tool_call", 4],
      ["tool_result", 5],
      ["assistant", 7],
    ]);
    expect(pieces[2]).toMatchObject({
      command: "wc -l export.csv",
      isError: true,
      text: "Error: export.csv is missing",
    });
    expect(pieces[3]!.files).toEqual([{ path: "/tmp/rows.txt", does: "created" }]);
    expect(pieces[4]).toMatchObject({ exitCode: 0, isError: false, text: "exit_code: 0\nstdout: a\nb" });
    expect(pieces[4]!.artifact).toBe("art:00000000-0000-8000-a000-000000000005");
  });

  test("an envelope is told by what it shows of its output, as text and as an object", () => {
    const envelope = {
      artifact_id: "art_0123456789abcdef",
      tool_name: "run",
      content_type: "text/plain",
      size_bytes: 90_000,
      line_count: 2000,
      shape: "text(2000 lines)",
      preview: "first line of the pier's log\n...(truncated, 89000 more chars)",
      how_to_access: "Stored whole; use artifact_read.",
    };
    const result = [envelope, JSON.stringify(envelope)].map(
      (toolResult) => piecesOfTraces([trace(1, "tool_result", { toolCallId: "c", toolResult })])[0]!.text,
    );
    expect(result).toEqual([envelope.preview, envelope.preview]);
  });

  test("an id that a later turn uses again belongs to that turn's call", () => {
    const again = piecesOfTraces([
      trace(1, "tool_call", { toolName: "run", toolCallId: "c", toolArgs: { command: "one" } }),
      trace(2, "tool_call", { toolName: "run", toolCallId: "c", toolArgs: { command: "two" }, turnId: "turn_0002" }),
      trace(3, "tool_result", { toolCallId: "c", toolResult: "x", turnId: "turn_0002" }),
      trace(4, "tool_result", { toolCallId: "c", toolResult: "x" }),
    ]);
    expect(again.map(({ command }) => command)).toEqual(["one", "two", "two", "one"]);
  });
});

describe("the summarizer", () => {
  const context = { unit: "turn", turnIds: ["turn_0001"] } as const;

  test("names turn and place of what each line was taken from", async () => {
    const { summary, lines } = await extractiveSummarizer.summarize(TRACES, context);
    expect(summary).toBe(lines!.map(({ text }) => text).join("\n"));
    expect(summary).toContain("- Count the rows of the export, and never write to the live table. [turn_0001 #1]");
    const goal = lines!.find(({ text }) => text.startsWith("- Count"))!;
    expect(goal).toMatchObject({ turnIds: ["turn_0001"], traceIds: [traceKey(TRACES[0]!)] });
    expect(lines!.find(({ text }) => text.includes("There are no rows"))!).toMatchObject({ turnIds: [] });
  });

  test("its facts are the goal, limits, failing commands, changed files and artifacts, in the log's words", async () => {
    const { facts } = await extractiveSummarizer.summarize(TRACES, context);
    expect(facts.map(({ category, fact }) => [category, fact])).toEqual([
      ["critical_issue", "failed: wc -l export.csv"],
      ["unresolved_work", "goal: Count the rows of the export, and never write to the live table."],
      ["user_preference", "Count the rows of the export, and never write to the live table."],
      ["durable_fact", "created /tmp/rows.txt"],
      ["important_artifact", "output of write_file in art:00000000-0000-8000-a000-000000000005"],
    ]);
  });

  test("keeps to the budget that it is given, and stops when it is told to", async () => {
    const { summary } = await extractiveSummarizer.summarize(TRACES, { ...context, budgetChars: 150 });
    expect(summary.length).toBeLessThanOrEqual(150);
    expect(() => extractiveSummarizer.summarize(TRACES, { ...context, signal: AbortSignal.abort() })).toThrow();
  });

  test("a short cut gets a short summary where no size is asked for", async () => {
    const long = Array.from({ length: 200 }, (_, i) =>
      trace(i + 1, "assistant", { content: `Step ${i} calls handleRow${i} with several plain words around it.` }),
    );
    const { summary } = await extractiveSummarizer.summarize(long, context);
    const chars = long.reduce((sum, { content }) => sum + content.length, 0);
    expect(summary.length).toBeLessThanOrEqual(chars / 3 + 1);
    expect(summary.length).toBeGreaterThan(chars / 6);
  });
});
