// `test` with a server whose archive holds these files as the outputs of one session's reads, and the way to each.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

type Listed = { artifacts: { pointer: string; name: string | null }[] };

/** The files by name; `nth` tells the session from those of other specs. */
export function filesTest(files: Readonly<Record<string, string>>, nth: number) {
  const test = base.extend({
    server: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
      async ({}, use) => {
        const dir = mkdtempSync(join(tmpdir(), "plimsoll-files-"));
        mkdirSync(join(dir, "projects"));
        const calls = Object.entries(files).map(([file, output], at) => ({
          tool: "Read",
          input: { file_path: `/home/sailor/harbour/${file}` },
          output,
          prompt: 9000 + at * 5000,
        }));
        writeSample(join(dir, "projects"), { id: sampleId(nth), prompt: "Read the charts", calls });
        const server = await startServer({ sources: [join(dir, "projects")] });
        await use(server);
        await server.stop();
        rmSync(dir, { recursive: true, force: true });
      },
      { scope: "worker" },
    ],
  });

  /** The pointer of a file, as it stands in an address. */
  async function pointerOf(server: TestServer, name: string): Promise<string> {
    const list = async () => ((await (await server.ask("GET", "/api/artifacts")).json()) as Listed).artifacts;
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(Object.keys(files).length);
    const found = (await list()).find((artifact) => artifact.name === name);
    if (!found) throw new Error(`${name} is not among the artifacts`);
    return encodeURIComponent(found.pointer);
  }

  async function openArtifact(page: Page, server: TestServer, name: string, query = ""): Promise<void> {
    await page.goto(`/artifacts/${await pointerOf(server, name)}${query}`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  }

  return { test, pointerOf, openArtifact };
}
