// Runs an example of docs/frameworks as a reader does, against a scripted model and a Plimsoll of a test.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { KeptRequest, Script } from "./agents/script-types.ts";
import { startModel } from "./agents/scripted-model.ts";

export const FRAMEWORKS = join(import.meta.dirname, "..", "docs", "frameworks");

type Target = { readonly url: string; readonly tokens: { readonly write: string } };

/** What it printed, and the requests that the model got. */
export async function runExample(
  name: string,
  { url, tokens }: Target,
  script: Script,
  args: readonly string[] = [],
): Promise<{ printed: string; kept: KeptRequest[] }> {
  const kept: KeptRequest[] = [];
  const model = await startModel(script, (request) => kept.push(request));
  const home = mkdtempSync(join(tmpdir(), "plimsoll-framework-"));
  try {
    const env = {
      PATH: process.env["PATH"]!,
      HOME: home,
      MODEL_URL: model.url,
      PLIMSOLL_URL: url,
      PLIMSOLL_TOKEN: tokens.write,
      // Mastra reports usage to its makers.
      MASTRA_TELEMETRY_DISABLED: "1",
    };
    const { stdout } = await promisify(execFile)(process.execPath, [join(FRAMEWORKS, `${name}.ts`), ...args], {
      cwd: home,
      env: env as unknown as NodeJS.ProcessEnv,
      timeout: 50_000,
    });
    return { printed: stdout.trim(), kept };
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}
