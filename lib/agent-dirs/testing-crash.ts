// Runs a script in a process of its own and kills it before its k-th step that may change the disk, for every k until it
// gets through: what a power cut leaves, one cut at a time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";

/** Node's functions that change the disk, or open a file that they will. */
const PREAMBLE = `
import fs from "node:fs";
import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const at = Number(process.env.CRASH_AT);
let steps = 0;
const step = () => {
  if (++steps === at) process.kill(process.pid, "SIGKILL");
};
const watch = (owner, names) => {
  for (const name of names) {
    const original = owner[name];
    owner[name] = function (...args) {
      step();
      return original.apply(this, args);
    };
  }
};
watch(fs, ["openSync", "writeSync", "fsyncSync", "renameSync", "rmSync", "mkdirSync", "chmodSync", "fchmodSync", "ftruncateSync", "write", "fsync"]);
watch(fsp, ["open", "rename", "rm", "mkdir", "writeFile", "chmod", "unlink"]);
const handle = await fsp.open(process.execPath);
watch(Object.getPrototypeOf(handle), ["write", "writeFile", "sync", "chmod", "truncate"]);
await handle.close();
syncBuiltinESMExports();
steps = 0;
globalThis.say = (text) => fs.writeFileSync(1, text + "\\n");
`;

export type Crash = { readonly said: readonly string[]; readonly isThrough: boolean };

/** `script` is the body of a module; \`say(text)\` in it tells what was acknowledged. `module` is what it may import as MODULE. */
export async function crashAt(step: number, module: string, script: string, args: readonly string[]): Promise<Crash> {
  const code = `${PREAMBLE}\n${script.replaceAll("MODULE", JSON.stringify(pathToFileURL(module).href))}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code, ...args], {
    env: { ...process.env, CRASH_AT: String(step) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const [status, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal !== "SIGKILL" && status !== 0) throw new Error(`The script failed by itself: ${complaint.slice(-2000)}`);
  return { said: out.split("\n").filter(Boolean), isThrough: status === 0 };
}
