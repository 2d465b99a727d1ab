// The status line as an agent runs it: a process of its own, with the agent's figures on standard input.
import { spawn } from "node:child_process";
import { text as textOf } from "node:stream/consumers";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withRecords } from "#lib/archive/testing-archive.ts";
import { writeAddress } from "#lib/http/running-server.ts";
import { NONCE, withDoors } from "#lib/http/testing-http.ts";
import { sessionStatus } from "#lib/wire/status-schema.ts";

const SESSION = "00000000-0000-4000-8000-00000000057a";

/** A record of Claude Code (synthetic): who speaks, the content, and of an answer the tokens that were read and written. */
const record = (at: number, role: "assistant" | "user", content: unknown, [read, written] = [0, 0]): object => ({
  type: role,
  uuid: `00000000-0000-4000-8000-0000000000${10 + at}`,
  parentUuid: null,
  sessionId: SESSION,
  isSidechain: false,
  userType: "external",
  version: "2.1.219",
  cwd: "/home/ada/harbour",
  timestamp: new Date(Date.UTC(2026, 0, 5, 9, 0, at)).toISOString(),
  message: {
    role,
    content,
    ...(role === "assistant" && {
      id: `msg_${at}`,
      model: "claude-opus-5",
      stop_reason: "end_turn",
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 50,
      },
    }),
  },
});

const WORK = [
  record(1, "user", "Count"),
  record(2, "assistant", [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }], [0, 10_000]),
  record(3, "user", [{ type: "tool_result", tool_use_id: "t1", content: "gull ".repeat(4000) }]),
  record(4, "assistant", [{ type: "text", text: "Done." }], [10_000, 5990]),
];

/** Runs it; the agent gives `said`, or keeps its standard input open and says nothing. */
async function statusline(dir: string, said: string | null, ...words: string[]) {
  const program = join(import.meta.dirname, "plimsoll.mjs");
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    PLIMSOLL_ARCHIVE: join(dir, "archive"),
    NODE_ENV: "test" as const,
  };
  const child = spawn(process.execPath, [program, "statusline", ...words], { env });
  if (said !== null) child.stdin.end(said);
  const [out, err] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  child.stdin.destroy();
  return { out, err };
}

const agentSays = (session: string): string =>
  JSON.stringify({
    session_id: session,
    context_window: { current_usage: { input_tokens: 10, cache_read_input_tokens: 19_990 } },
  });

test("without a server it reads the archive; the agent's load is the newer one", { timeout: 60_000 }, () =>
  withRecords({ "a.jsonl": WORK }, async (_, dir) => {
    expect(await statusline(dir, "", "--no-color", "--format", "{load} {fastest}")).toEqual({
      out: "16.0k of 167.0k\n",
      err: "",
    });
    const { out } = await statusline(dir, agentSays(SESSION), "--json");
    expect(sessionStatus.parse(JSON.parse(out)).load).toMatchObject({ tokens: 20_000, share: 20 / 167, call: 2 });
    expect((await statusline(dir, agentSays("unknown"), "--format", "{load}")).out).toBe("20.0k\n");
    expect((await statusline(dir, null, "none-such")).out, "nobody closes its input").toBe(
      "Plimsoll: no session yet\n",
    );
    expect((await statusline(dir, "", "--format", "{wrong}")).err).toMatch(/^--format knows no \{wrong\}/);
  }),
);

test("a running server says what grew fastest too", { timeout: 60_000 }, () =>
  withRecords({ "a.jsonl": WORK }, (archive, dir) =>
    withDoors(archive, async ({ port, credentials }) => {
      await writeAddress(archive.dir, { pid: process.pid, port, nonce: NONCE, token: credentials.bearer });
      const { out } = await statusline(dir, "", "--no-color", "--format", "{share}, {fastest}");
      expect(out).toMatch(/^10 %, Bash \+[\d.]+k in 1 call\n$/);
    }),
  ),
);
