// `test` with a server whose archive holds the sample session of an agent, and what a spec adds to it before.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeHeldSample, type HeldSample } from "./held-sample.ts";
import { startServer, test as base } from "./test-server.ts";

export type Held = HeldSample & { readonly dir: string };

type Add = (archive: string, session: string) => Promise<void>;

export const heldTest = (add: Add = async () => {}) =>
  base.extend<object, { held: Held }>({
    held: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
      async ({}, use) => {
        const dir = mkdtempSync(join(tmpdir(), "plimsoll-held-"));
        const archive = join(dir, "archive");
        const sample = await writeHeldSample(archive);
        await add(archive, sample.session);
        await use({ ...sample, dir: archive });
        rmSync(dir, { recursive: true, force: true });
      },
      { scope: "worker" },
    ],
    server: [
      async ({ held }, use) => {
        const server = await startServer({ sources: [], archive: held.dir });
        await use(server);
        await server.stop();
      },
      { scope: "worker" },
    ],
  });
