// A Plimsoll in a process of its own, as the client meets one: the real gate, doors, tools and archive, on a free port.
// It is started by path and not imported: the client knows the server by its doors alone.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");
export type TestServer = {
  readonly url: string;
  readonly tokens: { readonly read: string; readonly write: string };
  /** Ends it as a power cut does: nothing is closed. */
  kill(): Promise<void>;
};

export type TestServerOptions = {
  /** An archive that stays; a new one that goes when absent. */
  readonly dir?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs with a server, and ends it. */
export async function withServer<T>(
  run: (server: TestServer) => Promise<T>,
  { dir, env = {} }: TestServerOptions = {},
): Promise<T> {
  const given = { ...process.env, ...env, ...(dir !== undefined && { TEST_ARCHIVE: dir }) };
  // Bundled once for all servers of a test file: from its sources each would take a second of processor time more.
  const bundles = (await import(pathToFileURL(join(root, "scripts", "bundle.mjs")).href)) as {
    bundleForTests(program: string): Promise<string>;
  };
  const program = await bundles.bundleForTests("lib/http/testing-server-process.ts");
  const child = spawn(process.execPath, [program], { cwd: root, env: given });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const closed = once(child, "close");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const [first] = (await Promise.race([once(lines, "line"), closed.then(() => [null])])) as [string | null];
    if (first === null) throw new Error(`The server did not start: ${complaint.slice(-2000)}`);
    return await run({ ...(JSON.parse(first) as Omit<TestServer, "kill">), kill });
  } finally {
    child.stdin.end();
    await closed;
  }
}
