// An output that is too large for the context: made durable in the archive's spool, and its envelope given to the agent in its place.
import { hash, randomBytes, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { contentEnvelope } from "#lib/kernel/artifacts/content-envelope.ts";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { artifactIdOf } from "#lib/kernel/artifacts/pointer.ts";
import { ContentScan } from "#lib/kernel/artifacts/scan.ts";
import { ARTIFACT_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import type { SpooledOutput } from "#lib/wire/spooled-output-schema.ts";
import type { AgentCall } from "./agent-call.ts";
import { AGENT_CALLS } from "./agent-calls.ts";

/** What the tools over MCP read an artifact back with. */
const READS = ["artifact_read", "artifact_grep", "artifact_jq"];
/** A call's input is stored with its output up to this length (characters of JSON). */
const INPUT_CHARS = 8000;

/** What the agent is to be answered, or null to let the output pass. */
export function replaceOutput(agent: string, archive: string, said: Buffer): unknown {
  const read = Object.hasOwn(AGENT_CALLS, agent) ? AGENT_CALLS[agent as keyof typeof AGENT_CALLS] : null;
  const call = read?.(JSON.parse(said.toString("utf8"))) ?? null;
  if (call === null) return null;
  const policy = JSON.parse(readFileSync(join(archive, "hooks", "policy.json"), "utf8")) as OffloadPolicy;
  const bytes = Buffer.from(call.output());
  const facts = new ContentScan(bytes).end();
  const tool = ownToolName(call.tool);
  const output = {
    toolName: tool,
    sizeBytes: bytes.length,
    chars: facts.chars,
    isEnvelope: isEnvelope(bytes.toString("utf8", 0, 32 * 1024)),
  };
  const situation = { policy, availableTools: READS, usedInputTokens: null, writesClosed: false };
  if (decideOffload(output, situation).action !== "artifact") return null;
  const pointer = `art:${randomUUID()}`;
  spool(archive, headOf(call, tool, policy, pointer), bytes);
  if (call.replaced === null) return null;
  const envelope = contentEnvelope(
    facts,
    {
      artifactId: artifactIdOf(hash("sha256", bytes, "hex")),
      pointer,
      toolName: tool,
      name: null,
      contentType: facts.contentType,
      isError: call.isError,
      availableTools: READS,
      createdAt: new Date().toISOString(),
      expiresAt: null,
    },
    policy,
  );
  return call.replaced(envelope);
}

/** What stands between the name of a server and that of its tool. */
const SEPARATORS = ["_", ".", ":", "/", "-"];

/** `mcp__plimsoll__artifact_read` and its like are tools of ours, whatever the agent puts before their names. */
function ownToolName(name: string): string {
  const own = [...ARTIFACT_TOOLS].find(
    (tool) => tool !== "read_file" && name.endsWith(tool) && SEPARATORS.includes(name.at(-tool.length - 1) ?? ""),
  );
  return own ?? name;
}

function headOf(said: AgentCall, tool: string, policy: OffloadPolicy, pointer: string): SpooledOutput {
  const isShort = (JSON.stringify(said.input)?.length ?? 0) <= INPUT_CHARS;
  return {
    version: 1,
    agent: said.agent,
    session: word(said.session),
    tool: word(tool),
    call: said.call === null ? null : word(said.call),
    input: isShort ? (said.input ?? {}) : {},
    isError: said.isError,
    isReplaced: said.replaced !== null,
    policy,
    pointer,
  };
}

const word = (text: string): string => text.slice(0, 400).toWellFormed() || "unknown";

/** Durable when it returns: a temporary name, fsync, rename, fsync of the folder. */
function spool(archive: string, head: SpooledOutput, bytes: Uint8Array): void {
  const folder = join(archive, "spool");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${Date.now()}-${randomBytes(6).toString("hex")}`;
  const draft = join(folder, `${name}.draft`);
  const file = openSync(draft, "wx", 0o600);
  try {
    for (const part of [Buffer.from(`${JSON.stringify(head)}\n`), bytes])
      for (let done = 0; done < part.length;) done += writeSync(file, part, done);
    fsyncSync(file);
    renameSync(draft, join(folder, `${name}.output`));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  if (process.platform === "win32") return;
  const parent = openSync(folder, "r");
  fsyncSync(parent);
  closeSync(parent);
}
