// What an agent starts after each call of a tool: `node agent-hook.cjs AGENT ARCHIVE`, the call as JSON on standard input. It is copied out
// of the bundle by `plimsoll hook install`, so that it stays when a build or a package goes. Most outputs are small: they are let
// pass before anything else is loaded. Whatever fails, the agent goes on with what its tool returned. Bundled as CommonJS, whose
// loader Node has ready when it starts: a small call then takes no more than an empty program (1.00 ×; as a module 1.17 ×).
import { readSync, writeSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/** JSON of a call that is shorter cannot hold an output that any policy takes: 4,096 bytes is the least of the presets. */
const SMALL_BYTES = 4096;
/** Except what Copilot CLI put into a file before it asks. */
const SAVED_BY_COPILOT = "-copilot-tool-output-";
/** Agents wait for a hook. What takes longer than this is let pass (milliseconds). */
const DEADLINE_MS = 4000;

setTimeout(() => process.exit(0), DEADLINE_MS).unref();
void main();

async function main(): Promise<void> {
  try {
    const said = await standardInput();
    if (said.length <= SMALL_BYTES && !said.includes(SAVED_BY_COPILOT)) return;
    const [agent = "", archive = ""] = process.argv.slice(2);
    enableCompileCache?.(`${archive}/hooks/compiled`);
    const path = fileURLToPath(new URL("./replace-output.ts", import.meta.url));
    const { replaceOutput } = createRequire(path)(path) as typeof import("./replace-output.ts");
    const answer = replaceOutput(agent, archive, said);
    if (answer !== null) say(`${JSON.stringify(answer)}\n`);
  } catch (error) {
    // Shown by agents that show such things. The status stays 0: another would be taken for a verdict on the call.
    console.error(`plimsoll hook: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** process.stdout would load Node's sockets for a pipe (3 ms); it is used for what a pipe does not take at once. */
function say(text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    process.stdout.write(bytes.subarray(done));
  }
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
