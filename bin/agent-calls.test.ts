// What Codex, Gemini CLI, Copilot CLI and the plugins tell the hook, as those agents wrote it (synthetic outputs), and what they take back.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { spooledFiles, spoolFolder } from "#lib/archive/artifacts/output-spool.ts";
import { saveHookPolicy } from "#lib/archive/settings/hook-policy.ts";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import { spooledOutput } from "#lib/wire/spooled-output-schema.ts";
import { openCodePlugin, piExtension } from "./settings/plugin-text.ts";

const PROGRAM = join(import.meta.dirname, "hook", "agent-hook.ts");
const LOG = Array.from({ length: 9000 }, (_, i) => `line ${i + 1} of a long log`).join("\n");
const ID = `art_${hash("sha256", LOG, "hex").slice(0, 16)}`;
const envelope = expect.stringContaining(`{"artifact_id":"${ID}"`) as string;

const inHooked = (run: (dir: string, base: string) => void | Promise<void>): Promise<void> =>
  inFolder(async (base) => {
    const dir = join(base, "archive");
    saveHookPolicy(dir, policyOf());
    await run(dir, base);
  });

function answerOf(dir: string, agent: string, said: unknown, env: Readonly<Record<string, string>> = {}): unknown {
  const { stdout, status } = spawnSync(process.execPath, [PROGRAM, agent, dir], {
    input: JSON.stringify(said),
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  expect(status).toBe(0);
  return stdout === "" ? null : JSON.parse(stdout);
}

/** What waits: what is said of each output, and its bytes. */
const waiting = (dir: string) =>
  spooledFiles(dir).map((name) => {
    const file = readFileSync(join(spoolFolder(dir), name), "utf8");
    const end = file.indexOf("\n");
    return { said: spooledOutput.parse(JSON.parse(file.slice(0, end))), text: file.slice(end + 1) };
  });

const codex = (tool_response: unknown) => ({
  session_id: "01a2",
  hook_event_name: "PostToolUse",
  tool_name: "mcp__shelf__rows",
  tool_input: { count: 9 },
  tool_response,
  tool_use_id: "call_1",
});

test("Codex is given the envelope as the reason of a block", () =>
  inHooked((dir) => {
    const block = { decision: "block", reason: envelope };
    expect(answerOf(dir, "codex", codex({ content: [{ type: "text", text: LOG }] }))).toEqual(block);
    expect(answerOf(dir, "codex", codex(LOG))).toEqual(block);
    const image = { type: "image", data: "aGk=" };
    expect(answerOf(dir, "codex", codex({ content: [{ type: "text", text: LOG }, image] }))).toBeNull();
    expect(answerOf(dir, "codex", codex({ isError: LOG }))).toBeNull();
    expect(waiting(dir).map(({ said, text }) => [said.agent, said.call, text])).toEqual([
      ["Codex", "call_1", LOG],
      ["Codex", "call_1", LOG],
    ]);
  }));

test("Gemini CLI is given it as the reason of a denial, and still told not to trust it", () =>
  inHooked((dir) => {
    const said = (llmContent: unknown, more: object = {}) => ({
      session_id: "6104",
      hook_event_name: "AfterTool",
      tool_name: "mcp_shelf_rows",
      tool_input: {},
      tool_response: { llmContent, returnDisplay: LOG, ...more },
    });
    const wrapped = `<untrusted_context>\n${LOG}\n</untrusted_context>`;
    const { decision, reason } = answerOf(dir, "gemini", said([{ text: wrapped }])) as Record<string, string>;
    expect(decision).toBe("deny");
    expect(reason).toMatch(/^<untrusted_context>\n\{"artifact_id".*\}\n<\/untrusted_context>$/);
    expect(answerOf(dir, "gemini", said(LOG, { error: { message: "no" } }))).toEqual({
      decision: "deny",
      reason: envelope,
    });
    expect(answerOf(dir, "gemini", said([{ inlineData: LOG }]))).toBeNull();
    expect(waiting(dir).map(({ said: { isError }, text }) => [isError, text])).toEqual([
      [false, LOG],
      [true, LOG],
    ]);
  }));

test("of Copilot CLI the file is stored that it has put aside, and no other", () =>
  inHooked((dir, base) => {
    const name = "1795461526798-copilot-tool-output-21-66351a5b.txt";
    writeFileSync(join(base, name), LOG);
    writeFileSync(join(base, "secret-copilot-tool-output-1.txt"), LOG);
    const said = (path: string, resultType = "success") => ({
      sessionId: "2672",
      toolName: "bash",
      toolArgs: {},
      toolResult: {
        resultType,
        textResultForLlm: `Output too large to read at once (341.9 KB). Saved to: ${path}\nConsider`,
      },
    });
    const run = (value: unknown): unknown => answerOf(dir, "copilot", value, { TMPDIR: base });
    expect(run(said(join(base, name)))).toEqual({
      modifiedResult: { resultType: "success", textResultForLlm: envelope },
    });
    expect(run(said(join(base, "secret-copilot-tool-output-1.txt")))).toBeNull();
    expect(run(said(join(base, "archive", "..", "..", name)))).toBeNull();
    const { toolResult: _, ...rest } = said("", "failure");
    const failed = { resultType: "failure", textResultForLlm: LOG };
    expect(run({ ...rest, toolResult: failed })).toEqual({ modifiedResult: { ...failed, textResultForLlm: envelope } });
    expect(waiting(dir).map(({ said: { isError } }) => isError)).toEqual([false, true]);
  }));

const commandIn = (dir: string, agent: string) => ({
  words: [process.execPath, PROGRAM, agent, dir],
  cli: "npx plimsoll",
});

type Piece = { type: string; text?: string };

test("the extension of pi replaces texts, says how they are read, and lets pass what it is not answered", () =>
  inHooked(async (dir, base) => {
    const path = join(base, "extension.mjs");
    writeFileSync(path, piExtension(commandIn(dir, "pi")));
    const { default: load } = (await import(pathToFileURL(path).href)) as { default: (pi: unknown) => void };
    let on!: (event: unknown, context: unknown) => Promise<{ content: Piece[] } | undefined>;
    load({ on: (_: string, run: typeof on) => (on = run) });
    const context = { sessionManager: { getSessionId: () => "s1" } };
    const image = { type: "image", data: "aGk=" };
    const event = (text: string, more: object = {}) => ({
      ...{ toolName: "bash", toolCallId: "c1", input: {}, isError: false, ...more },
      content: [{ type: "text", text }, image],
    });
    const { content } = (await on(event(LOG), context))!;
    expect(content[0]!.text).toContain(`run npx plimsoll read ${ID}, or npx plimsoll grep ${ID} PATTERN.`);
    expect(content[1]).toEqual(image);
    const whole = join(base, "whole.log");
    writeFileSync(whole, LOG);
    const cut = await on(event(LOG.slice(-50_000), { details: { fullOutputPath: whole } }), context);
    expect(cut!.content[0]!.text).toContain(ID);
    expect(await on(event("short"), context)).toBeUndefined();
    expect(await on(event("\n".repeat(5000)), context)).toBeUndefined();
    expect(await on(event(LOG, { details: { fullOutputPath: "/nowhere" } }), context)).toBeUndefined();
    expect(waiting(dir).map(({ text }) => text)).toEqual([LOG, LOG]);
  }));

test("the plugin of OpenCode replaces a text, and the blocks of an MCP server", () =>
  inHooked(async (dir, base) => {
    const path = join(base, "plugin.mjs");
    writeFileSync(path, openCodePlugin(commandIn(dir, "opencode")));
    const { Plimsoll } = (await import(pathToFileURL(path).href)) as {
      Plimsoll: () => Promise<Record<string, (input: object, result: object) => Promise<void>>>;
    };
    const after = (await Plimsoll())["tool.execute.after"]!;
    const call = { tool: "bash", sessionID: "ses_1", callID: "c1", args: { command: "make" } };
    const result = { title: "", output: LOG, metadata: {} };
    await after(call, result);
    expect(result).toEqual({ title: "", output: envelope, metadata: {} });
    const blocks = { content: [{ type: "text", text: LOG }, { type: "image" }] };
    await after(call, blocks);
    expect(blocks.content).toEqual([{ type: "text", text: envelope }, { type: "image" }]);
    const odd = { output: undefined };
    await after(call, odd).catch(() => undefined);
    expect(odd).toEqual({ output: undefined });
    expect(waiting(dir).map(({ said }) => [said.agent, said.session, said.tool])).toEqual([
      ["OpenCode", "ses_1", "bash"],
      ["OpenCode", "ses_1", "bash"],
    ]);
  }));
