// The same for every agent that was tried: two turns are worked, the second has a large output and an image, and the session goes on.
// What is written is read by its own format alone, counts once, and has an envelope; a fork has no summary; a call that is open gets a
// result. Session files here are made by hand (synthetic).
import { existsSync, readFileSync, appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import { carryOnRequest, type CarryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { readText } from "../artifacts/whole-text.ts";
import { importPaths } from "../import/import-paths.ts";
import { contextOf } from "../memory/context.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { carryOn, takeBack } from "./carry-on.ts";
import { SYNTHETIC_AGENTS, BIG } from "./testing-agents.ts";
import { FIRST_AGENTS } from "./testing-first-agents.ts";

const request = (more: Partial<CarryOnRequest> = {}) => carryOnRequest.parse({ tail: 1, ...more });

describe.each([...FIRST_AGENTS, ...SYNTHETIC_AGENTS])("$id", ({ id, session, file, records, call, resume }) => {
  const ground = (run: (archive: Archive, path: string) => Promise<void>, ...more: readonly unknown[]) =>
    inArchive(async (archive, dir) => {
      const text = [...records, ...more].map((one) => `${JSON.stringify(one)}\n`).join("");
      const path = put(dir, file, text);
      await importPaths(archive, [path]);
      await run(archive, path);
    });

  test("goes on in a file that its own format reads, and nothing counts twice", () =>
    ground(async (archive, source) => {
      const before = readFileSync(source);
      const query = sessionsQuery.parse({ sums: "1" });
      const { sums } = await listSessions(archive, query);
      const { plan, written } = await carryOn(archive, session, request());
      expect(readFileSync(source)).toEqual(before);
      expect(plan.warnings.join(" ")).not.toMatch(/untried/);
      const bytes = readFileSync(written!.path);
      expect([bytes.length, plan.sizeBytes]).toEqual([written!.sizeBytes, written!.sizeBytes]);
      expect(written!.command).toContain(resume(written!.session.nativeId.slice(id.length + 1)));
      const head = { path: written!.path, head: bytes.subarray(0, 65_536), sidecars: new Map() };
      expect(FORMATS.filter((format) => format.detect(head)).map((format) => format.id)).toEqual([id]);

      await importPaths(archive, [written!.path]);
      const now = await showSession(archive, written!.session.id);
      expect(now).toMatchObject({ relation: "continuation", modelCalls: { own: 0 }, parentId: null });
      // A person asked for its summary. In a file of Gemini it is a message, and no compaction.
      expect([now.compactions, now.automaticCompactions]).toEqual([id === "gemini" ? 0 : 1, 0]);
      expect(now.lineage).toMatchObject([{ relation: "continues" }]);
      expect((await listSessions(archive, query)).sums).toEqual({ ...sums, sessions: expect.anything() });
      const context = await contextOf(archive, now.id, { as: "anthropic" });
      const words = JSON.stringify(context.messages);
      expect(words).toContain("And the whole table?");
      expect(words).toMatch(/Summary of turn 1|has been summarized/);
      expect(words).not.toContain("row 450 of the tide table");
      const artifact = /"?artifact_id\\*": ?\\*"(art_[0-9a-f]{16})/.exec(bytes.toString("utf8"))![1]!;
      expect(await readText(archive, artifact)).toContain(BIG);
      expect(plan.lines.filter(({ kind }) => kind === "replaced")).toHaveLength(1);
      expect(plan.tokens.next).toBeLessThan(plan.tokens.now);
      // The first prompt was reported as 4,000: what is in no message of it is sent with the next one too.
      expect(plan.tokens.prefix).toBeGreaterThan(3800);
    }));

  test("a fork has everything up to the event, whole and without a summary", () =>
    ground(async (archive) => {
      const { plan, written } = await carryOn(archive, session, request({ mode: "fork" }));
      const text = readFileSync(written!.path, "utf8");
      expect(plan.lines.map(({ kind }) => kind)).not.toContain("summary");
      expect(text).toContain("row 450 of the tide table");
      expect(text).toContain("Pier 2 leaks.");
      await importPaths(archive, [written!.path]);
      expect(await showSession(archive, written!.session.id)).toMatchObject({ modelCalls: { own: 0 } });
    }));

  test("an image of a prompt goes on, in a summary's tail too", () =>
    ground(async (archive) => {
      const { written } = await carryOn(archive, session, request());
      expect(readFileSync(written!.path, "utf8")).toContain("iVBORw0KGgo=");
    }));

  test("a call that is open at the cut gets a result, and that is said", () =>
    ground(
      async (archive) => {
        const { plan, written } = await carryOn(archive, session, request({ mode: "fork" }));
        expect(plan.warnings.join(" ")).toContain("had not returned");
        expect(readFileSync(written!.path, "utf8")).toContain("This call had not returned");
        await importPaths(archive, [written!.path]);
        const now = await showSession(archive, written!.session.id);
        expect(now.callsWithoutResult).toBe(0);
      },
      ...call,
    ));

  test("an untried version is warned about; the file is taken back until the agent writes", () =>
    inArchive(async (archive, dir) => {
      const text = records
        .map(
          (one) => `${JSON.stringify(one).replaceAll(/"0\.24\.4"|"1\.0\.102"|"2\.1\.330"|"0\.169\.0"/g, '"99.0.0"')}\n`,
        )
        .join("");
      await importPaths(archive, [put(dir, file, text)]);
      const { plan, written } = await carryOn(archive, session, request());
      expect(plan.warnings.join(" ")).toMatch(/untried|is unknown/);
      expect((await takeBack(archive, written!.id)).status).toBe("removed");
      expect(existsSync(written!.path)).toBe(false);
      const again = await carryOn(archive, session, request());
      appendFileSync(again.written!.path, "{}\n");
      await expect(takeBack(archive, again.written!.id)).rejects.toThrow("The agent has written to");
    }));
});
