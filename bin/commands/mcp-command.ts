// Plimsoll as an MCP server on standard input and output, for agents that start their servers themselves.
import { scopeOf } from "#lib/archive/artifacts/resolve.ts";
import { SHARED_SESSION, type McpHost } from "#lib/mcp/mcp-host.ts";
import { serveMcpStdio } from "#lib/mcp/mcp-stdio.ts";
import { runTool, toolOf } from "#lib/tools/run-tool.ts";
import { ensureArchive, reading } from "./open-archive.ts";
import { noting } from "./artifact-questions.ts";
import { makeSession } from "./session-command.ts";
import { storedByTool } from "./tool-command.ts";
import { textOption, type Run, type Words } from "./args.ts";

export const run: Run = async (words) =>
  serveMcpStdio(await hostOf(words), (error) => console.error(`MCP: ${error.message}`));

/** The archive is opened for each question: its rows change beside a running server. */
async function hostOf(words: Words): Promise<McpHost> {
  await ensureArchive(words);
  const named = textOption(words, "session");
  const session =
    named === undefined ? null : await reading(words, async (archive) => scopeOf(archive, named).sessionId);
  const asker = { session: session ?? undefined, who: "command line" };
  return {
    session,
    pinned: {},
    canWrite: words.options["read-only"] !== true,
    use: (work) => reading(words, work),
    async callTool(name, input, signal) {
      // What is stored belongs to a session: to the one that was named, or to the one that all clients share.
      if (toolOf(name).writes)
        return storedByTool(words, name, input, {
          ...asker,
          session: session ?? (await makeSession(words, SHARED_SESSION)).id,
        });
      const { answer, note } = await noting(words, (archive) => runTool(archive, name, input, { ...asker, signal }));
      void note();
      return answer;
    },
  };
}
