// `test` with one server for all tests of a worker, over sessions that were written by hand for them.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSample, type Sample } from "./sample-sessions.ts";
import { expect, startServer, test as base } from "./test-server.ts";

/** The id that a sample has in addresses. */
export const idOf = (sample: Sample): string =>
  `s_${createHash("sha256").update(`claude-code:${sample.id}`).digest("hex").slice(0, 16)}`;

/** `damaged` ones end in a line that is broken off. */
export const sampled = (samples: readonly Sample[], damaged: readonly Sample[] = []) =>
  base.extend({
    server: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
      async ({}, use) => {
        const dir = mkdtempSync(join(tmpdir(), "plimsoll-sampled-"));
        const projects = join(dir, "projects");
        mkdirSync(projects);
        // An hour old: a session that was written just now is running, and its page opens at its end.
        const anHourAgo = Date.now() / 1000 - 3600;
        for (const sample of samples) {
          const path = writeSample(projects, sample);
          if (damaged.includes(sample)) appendFileSync(path, '{"type":"user","mess\n');
          utimesSync(path, anHourAgo, anHourAgo);
        }
        const server = await startServer({ sources: [projects] });
        for (const sample of samples)
          await expect
            .poll(async () => (await server.ask("GET", `/api/sessions/${idOf(sample)}`)).status, { timeout: 20_000 })
            .toBe(200);
        await use(server);
        await server.stop();
        rmSync(dir, { recursive: true, force: true });
      },
      { scope: "worker" },
    ],
  });
