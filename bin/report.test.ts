// A report leaves over HTTP and the command line; the file is new, its owner's alone, and holds no masked secret.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { withDoors } from "#lib/http/testing-http.ts";
import { exportReview } from "#lib/wire/export-schema.ts";
import { entryOf } from "../scripts/bundle.mjs";

const program = entryOf("bin/plimsoll.ts");
const TOKEN = `ghp_${"q3".repeat(18)}`;

const plimsoll = (base: string, ...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: base, PLIMSOLL_ARCHIVE: join(base, "archive"), NODE_ENV: "test" },
    encoding: "utf8",
  });

async function makeSession(archive: Archive): Promise<string> {
  const { id } = await createSession(archive, { id: "run", title: "Tides" });
  await ingest(archive, id, [
    { record: "event", startsTurn: true, body: { type: "user", text: `Use ${TOKEN} of /home/sailor/x` } },
    { record: "event", body: { type: "assistant", text: "3.1 m." } },
  ]);
  return id;
}

const inHarbour = (run: (base: string, archive: Archive, id: string) => Promise<void> | void): Promise<void> =>
  inFolder((base) =>
    withArchive(join(base, "archive"), async (archive) => run(base, archive, await makeSession(archive))),
  );

describe("a report", { timeout: 60_000 }, () => {
  test("is reviewed and written on the command line", () =>
    inHarbour((base) => {
      const review = plimsoll(base, "report", "run", "--events", "1", "--review", "--json");
      expect([review.status, review.stderr]).toEqual([0, ""]);
      const { findings, events } = exportReview.parse(JSON.parse(review.stdout));
      expect(events.map(({ seq }) => seq)).toEqual([1]);
      expect(findings.map(({ kind, value }) => [kind, value])).toEqual([
        ["secret", TOKEN],
        ["user", "sailor"],
      ]);
      expect(plimsoll(base, "report", "run", "--events", "1", "--review").stdout).toContain(findings[1]!.id);

      const out = join(base, "run.html");
      const written = plimsoll(base, "report", "run", "--events", "1", "--hide", findings[1]!.id, "--out", out);
      expect(written.stdout).toMatch(/^Exported .* Masked: 1 secret and 1 user name, in 2 places\.\n$/);
      expect(statSync(out).mode & 0o777).toBe(0o600);
      expect(readFileSync(out, "utf8")).toMatch(/^<!doctype html>/);
      expect(readFileSync(out, "utf8")).not.toMatch(/ghp_|sailor/);
      expect(plimsoll(base, "report", "run", "--out", out)).toMatchObject({ status: 1 });

      const accepted = plimsoll(base, "report", "run", "--events", "1", "--markdown", "--accept", findings[0]!.id);
      expect(accepted.stdout).toContain(TOKEN);
      expect(plimsoll(base, "report", "run", "--events", "").stdout).not.toContain("Excerpts");
    }));

  test("refuses wrong words", () =>
    inHarbour((base) => {
      for (const words of [
        ["--html", "--markdown"],
        ["--mask", "some"],
        ["--events", "0"],
        ["--accept", "x"],
        ["--review", "--out", "x"],
        ["--json"],
      ])
        expect([words, plimsoll(base, "report", "run", ...words).status]).toEqual([words, 2]);
      expect(plimsoll(base, "report", "run", "--events", "99").status).toBe(1);
    }));

  test("is reviewed and sent as a download over HTTP", () =>
    inHarbour((_, archive, id) =>
      withDoors(archive, async (server) => {
        const json = (body: object) => ({
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        });
        const path = `/api/sessions/${id}/export`;
        const format = "html";
        const review = await server.ask("POST", `${path}/review`, json({ format, events: [1] }));
        const { findings } = exportReview.parse(await review.json());
        expect(findings[0]).toMatchObject({ kind: "secret", value: TOKEN });
        const answer = await server.ask("POST", path, json({ format, events: [1] }));
        expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
          200,
          expect.stringContaining(`attachment; filename="${id}.report.html"`),
        ]);
        expect(await answer.text()).toContain("Use [secret 1] of /home/sailor/x");
        for (const wrong of [{ mask: "some" }, { events: [0] }, { accept: ["x"] }, { more: 1 }, { format: "word" }])
          expect((await server.ask("POST", path, json({ format, ...wrong }))).status).toBe(400);
      }),
    ));
});
