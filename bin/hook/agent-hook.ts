// What an agent starts after each call of a tool: `node agent-hook.mjs AGENT ARCHIVE`, the call as JSON on standard input. It is copied out
// of the bundle by `plimsoll hook install`, so that it stays when a build or a package goes. Most outputs are small: they are let
// pass before anything else is loaded. Whatever fails, the agent goes on with what its tool returned.
import { readSync } from "node:fs";
import { enableCompileCache } from "node:module";

/** JSON of a call that is shorter cannot hold an output that any policy takes: 4,096 bytes is the least of the presets. */
const SMALL_BYTES = 4096;
/** Except what Copilot CLI put into a file before it asks. */
const SAVED_BY_COPILOT = "-copilot-tool-output-";
/** Agents wait for a hook. What takes longer than this is let pass (milliseconds). */
const DEADLINE_MS = 4000;

setTimeout(() => process.exit(0), DEADLINE_MS).unref();
try {
  const said = await standardInput();
  if (said.length > SMALL_BYTES || said.includes(SAVED_BY_COPILOT)) {
    const [agent = "", archive = ""] = process.argv.slice(2);
    enableCompileCache?.(`${archive}/hooks/compiled`);
    const { replaceOutput } = (await import(
      new URL("./replace-output.ts", import.meta.url).href
    )) as typeof import("./replace-output.ts");
    const answer = replaceOutput(agent, archive, said);
    if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
} catch (error) {
  // Shown by agents that show such things. The status stays 0: another would be taken for a verdict on the call.
  console.error(`plimsoll hook: ${error instanceof Error ? error.message : String(error)}`);
}

/** All of it. A stream would cost 3 ms more; it is used where a pipe does not block. */
async function standardInput(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(256 * 1024);
    try {
      const count = readSync(0, piece);
      if (count === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, count));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return Buffer.concat(pieces);
      if (code !== "EAGAIN") throw error;
      for await (const rest of process.stdin) pieces.push(rest as Buffer);
      return Buffer.concat(pieces);
    }
  }
}
