// The demo: session files of a scripted agent, in the archive's own folder. Their names and their bytes are fixed, so a second
// time nothing changes.
import { mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { writePrivate } from "#lib/http/credentials.ts";
import { projectDir } from "./default-paths.ts";
import type { DemoFile } from "./demo/recorder.ts";

/** Writes the demo's files where they are not there yet as they should be. Returns the paths of all, to import. */
export async function writeDemo(dir: string): Promise<string[]> {
  const folder = join(dir, "demo");
  // A package has them made: the agent of the demo reads the sources, which are not in it.
  const made = textOf(join(projectDir, "demo.json"));
  const files = made === null ? await madeInWorker() : (JSON.parse(made) as DemoFile[]);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const paths: string[] = [];
  for (const { name, text, endedAt } of files) {
    const path = join(folder, name);
    if (textOf(path) !== text) await writePrivate(path, text);
    // A file that was just written is that of a running session; these ended when they say.
    utimesSync(path, new Date(endedAt), new Date(endedAt));
    paths.push(path);
  }
  return paths;
}

function madeInWorker(): Promise<DemoFile[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./demo/worker.ts", import.meta.url));
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The demo's worker ended with ${code} without a message.`)));
  });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
