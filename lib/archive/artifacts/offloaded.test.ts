// What was offloaded is known by its words: recall, search, the summary and its evidence read the stored bytes.
import { expect, test } from "vitest";
import { findAnswer } from "#lib/wire/events-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { compactSession } from "../memory/compact.ts";
import { userRecord, request, said } from "../memory/testing-run.ts";
import { ingest } from "../memory/ingest-records.ts";
import { recall } from "../memory/recall-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "./create-session.ts";
import { deleteArtifact } from "./delete-artifact.ts";
import { recordOutput } from "./record-output.ts";
import { findInSession } from "../sessions/find-in-session.ts";
import { inArchive } from "../testing-archive.ts";

/** A log whose line 700 of 1,000 is the only one that tells of the zeppelin. */
const LOG = Array.from({ length: 1000 }, (_, i) =>
  i === 699 ? "the zeppelinMooring handler rejects every folded header value" : `tide ${i} at the pier is calm`,
).join("\n");

const offloaded = (run: (archive: Archive, id: string, pointer: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run", policy: { preset: "openclaw" } });
    await ingest(archive, id, [userRecord("u1", "Read the harbour's log. Never close the gate.")]);
    const put = async (name: string, text: string): Promise<string> => {
      const input = { session: id, toolName: "bash", toolCallId: name, input: { command: `cat ${name}.log` } };
      const { decision } = await recordOutput(archive, { ...input, isError: false }, Buffer.from(text));
      expect(decision.action).toBe("artifact");
      return decision.pointer!;
    };
    const pointer = await put("harbour", LOG);
    await put("pier", "the pierKeeper walks\n".repeat(300));
    await put("short", "the buoyKeeper rows, with key sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz0123456789");
    await ingest(archive, id, [
      said("a1", `The handler of the mooring is at fault. ${"It is looked at again and again. ".repeat(200)}`),
      userRecord("u2", "Go on."),
      said("a2", "Done."),
      userRecord("u3", "And the next one."),
      said("a3", "Done, too."),
    ]);
    await run(archive, id, pointer);
  });

test("recall finds an artifact by a word in the middle of it, and says on which line", () =>
  offloaded(async (archive, id, pointer) => {
    const { items, text } = await recall(archive, id, { query: "zeppelinMooring" });
    expect(items[0]).toMatchObject({ pointer, line: 700 });
    expect(items[0]!.summary).toContain("line 700: the zeppelinMooring handler");
    expect(text).not.toContain("artifact_id");
  }));

test("recall tells how an offloaded output begins, not how its envelope does, secrets masked", () =>
  offloaded(async (archive, id) => {
    const { items } = await recall(archive, id, { query: "buoyKeeper" });
    expect(items[0]!.summary).toContain("the buoyKeeper rows");
    expect(items[0]!.summary).not.toContain("0123456789abcdef");
  }));

test("search finds the words, and says in which artifact and on which line", () =>
  offloaded(async (archive, id, pointer) => {
    const found = findAnswer.parse(await findInSession(archive, id, "zeppelinMooring"));
    expect(found.total).toBe(1);
    expect(found.stored).toEqual([{ seq: found.seqs[0], artifact: pointer, line: 700 }]);
    const { sessions } = await listSessions(archive, sessionsQuery.parse({ q: "zeppelinMooring" }));
    expect(sessions[0]!.snippet).toContain(`line 700 of ${pointer}`);
    expect(sessions[0]!.snippet).toContain("\u0002zeppelinMooring\u0003");
    // Once it is deleted its words are found no more.
    await deleteArtifact(archive, pointer);
    expect((await findInSession(archive, id, "zeppelinMooring")).total).toBe(0);
  }));

test("a summary quotes the stored lines by artifact and line, and no envelope", () =>
  offloaded(async (archive, id, pointer) => {
    const { summary, lines } = await compactSession(archive, id, request({ budgetChars: 3000, tail: 1 }));
    const evidence = lines.find(({ text }) => text.includes("zeppelinMooring"))!;
    const [, at] = new RegExp(`\\[artifact:${pointer}#L(\\d+)\\]$`).exec(evidence.text)!;
    expect(Number(at)).toBeGreaterThan(690);
    expect(Number(at)).toBeLessThanOrEqual(700);
    expect(summary.split("[ARTIFACTS]")[0]).not.toContain("artifact_id");
    expect(summary).not.toContain("0123456789abcdef");
  }));
