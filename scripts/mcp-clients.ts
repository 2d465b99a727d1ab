// `npm run mcp-clients`: the official Inspector's command line and a client that shares no code with the official SDK (Vercel's
// @ai-sdk/mcp) on our MCP server, over both its ways in. What is asked and answered is printed; docs/mcp.md shows a run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createdToken } from "#lib/wire/tokens-schema.ts";
import { installPackages } from "./agents/install-agent.ts";
import { startServer, type Server } from "./bench/bench-server.ts";
import { ensureBundle, entryOf } from "./bundle.mjs";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const SECOND = "@ai-sdk/mcp@2.0.99";
const PROOF = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const TOOLS = 11;
const CALL_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;
type Way = { readonly name: string; readonly target: readonly string[] };

/** What the Inspector is told, the status that it ends with (5: the tool says that it failed), and what its answer must be. */
type Question = {
  readonly words: readonly string[];
  readonly status?: number;
  readonly isAnswer: (answer: Json) => boolean;
};

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const call = (tool: string, ...args: string[]): string[] => [
  ...["--method", "tools/call", "--tool-name", tool],
  ...args.flatMap((arg) => ["--tool-arg", arg]),
];
const textOf = ({ content }: Json): string => String(list(content)[0]?.["text"] ?? "");

const QUESTIONS: readonly Question[] = [
  { words: ["--method", "tools/list", "--strict"], isAnswer: ({ tools }) => list(tools).length === TOOLS },
  { words: call("why_full"), isAnswer: ({ structuredContent }) => "verdict" in (structuredContent as Json) },
  { words: call("search_sessions", "query=tides"), isAnswer: (answer) => answer["isError"] !== true },
  { words: call("context_at"), isAnswer: ({ structuredContent }) => structuredContent !== undefined },
  { words: call("compact_plan"), isAnswer: ({ structuredContent }) => structuredContent !== undefined },
  { words: call("recall", "query=import"), isAnswer: (answer) => answer["isError"] !== true },
  {
    words: call("artifact_read", "artifact_id=art_nothing"),
    status: 5,
    isAnswer: (answer) => textOf(answer).includes("art_nothing"),
  },
  { words: ["--method", "resources/list"], isAnswer: ({ resources }) => list(resources).length > 0 },
  {
    words: ["--method", "resources/templates/list"],
    isAnswer: ({ resourceTemplates }) => list(resourceTemplates).length === 2,
  },
  {
    words: ["--method", "prompts/get", "--prompt-name", "why_did_my_context_fill"],
    isAnswer: ({ messages }) => list(messages).length === 1,
  },
];

let failed = 0;

function tell(who: string, asked: string, isRight: boolean, said: string): void {
  if (!isRight) failed++;
  console.log(`${isRight ? "ok     " : "FAILED "} ${who.padEnd(18)} ${asked.padEnd(48)} ${said}`);
}

/** The first value that is printed; a line about an error may follow it. */
function answerIn(printed: string): Json {
  const end = printed.lastIndexOf("\n}");
  try {
    return JSON.parse(end < 0 ? printed : printed.slice(0, end + 2)) as Json;
  } catch {
    return {};
  }
}

function inspect(program: string, home: string, way: Way): void {
  for (const { words, status = 0, isAnswer } of QUESTIONS) {
    const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: home };
    const run = spawnSync(process.execPath, [program, "--cli", ...way.target, ...words], {
      env: { ...env, NODE_ENV: "production" },
      encoding: "utf8",
      timeout: CALL_MS,
    });
    const answer = answerIn(run.stdout);
    const isRight = run.status === status && Object.keys(answer).length > 0 && isAnswer(answer);
    const kinds = Object.entries(answer).map(([key, value]) => (Array.isArray(value) ? `${value.length} ${key}` : key));
    const said = isRight ? kinds.join(", ") : `status ${run.status}: ${run.stderr.slice(-300)}`;
    tell(`Inspector, ${way.name}`, words.filter((word) => !word.startsWith("--")).join(" "), isRight, said);
  }
}

type SecondClient = {
  tools(): Promise<Record<string, { execute(input: object, options: object): Promise<Json> }>>;
  close(): Promise<void>;
};
type SecondLibrary = { createMCPClient(config: { transport: unknown }): Promise<SecondClient> };
type SecondStdio = { StdioMCPTransport: new (config: object) => unknown };

async function askSecond(library: SecondLibrary, way: string, transport: unknown): Promise<void> {
  const client = await library.createMCPClient({ transport });
  try {
    const tools = await client.tools();
    const count = Object.keys(tools).length;
    tell(`@ai-sdk/mcp, ${way}`, "tools", count === TOOLS, `${count} tools`);
    const why = await tools["why_full"]!.execute({}, { toolCallId: "c1", messages: [] });
    tell(`@ai-sdk/mcp, ${way}`, "why_full", why["structuredContent"] !== undefined, textOf(why).split("\n")[2] ?? "");
    const none = await tools["artifact_read"]!.execute(
      { artifact_id: "art_nothing" },
      { toolCallId: "c2", messages: [] },
    );
    tell(`@ai-sdk/mcp, ${way}`, "artifact_read art_nothing", none["isError"] === true, textOf(none));
  } finally {
    await client.close();
  }
}

async function readToken(server: Server): Promise<string> {
  const made = await server.ask("POST", "/api/commands/token-create", { name: "clients", scope: "write" });
  return createdToken.parse(JSON.parse(made.text)).token;
}

async function main(): Promise<number> {
  const installed = installPackages("mcp-clients-2.12.0-2.0.99", [INSPECTOR, SECOND, "zod@4"], PROOF);
  if ("missing" in installed) {
    console.log(`Nothing was run: ${INSPECTOR} and ${SECOND} could not be installed: ${installed.missing}`);
    return 1;
  }
  await ensureBundle();
  const modules = installed.path.slice(0, -PROOF.length);
  const work = mkdtempSync(join(tmpdir(), "plimsoll-mcp-clients-"));
  const archive = join(work, "archive");
  const server = await startServer(work, archive, { args: ["--no-pages"] });
  try {
    await server.ask("POST", "/api/demo", {});
    const headers = { Authorization: `Bearer ${await readToken(server)}` };
    const url = `${server.url}/mcp`;
    const args = [entryOf("bin/plimsoll.ts"), "mcp", "--archive", archive];
    const ways: Way[] = [
      { name: "stdio", target: [process.execPath, ...args] },
      { name: "http", target: [url, "--transport", "http", "--header", `Authorization: ${headers.Authorization}`] },
    ];
    for (const way of ways) inspect(installed.path, work, way);
    const file = (path: string): string => pathToFileURL(join(modules, "@ai-sdk/mcp/dist", path)).href;
    const library = (await import(file("index.js"))) as SecondLibrary;
    const { StdioMCPTransport } = (await import(file("mcp-stdio/index.js"))) as SecondStdio;
    await askSecond(library, "stdio", new StdioMCPTransport({ command: process.execPath, args }));
    await askSecond(library, "http", { type: "http", url, headers });
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
  console.log(`${failed} answers were not as expected.`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
