// OpenCode's sessions are rows of a database: the file is a document that its import takes. Here the import is made by hand, as the
// client makes it: rows whose ids are taken are left. Rows are synthetic.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { carryOnRequest, type CarryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { contextOf } from "../memory/context.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { showSession } from "../sessions/show-session.ts";
import { carryOn, takeBack } from "./carry-on.ts";
import { listCarryOns } from "./handover-rows.ts";
import { answer, inOpenCode, insert, running, text, user, type Document } from "./testing-opencode.ts";

const request = (more: Partial<CarryOnRequest> = {}) => carryOnRequest.parse({ tail: 1, ...more });
const documentAt = (path: string): Document => JSON.parse(readFileSync(path, "utf8")) as Document;

test("the import takes the document, its rows are read as a continuation, and nothing counts twice", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    const query = sessionsQuery.parse({ sums: "1" });
    const { sums } = await listSessions(archive, query);
    const { plan, written } = await carryOn(archive, "ses_1", request());
    const id = written!.session.nativeId.slice("opencode:".length);
    expect(written!.path).toBe(path.replace("opencode.db", `carried-on/${id}.json`));
    expect(plan.warnings.join(" ")).not.toMatch(/old file|database/);
    expect(plan.command).toBe(
      `cd /home/ada/reef && opencode import ${plan.path} && opencode -s ${plan.path!.slice(-35, -5)}`,
    );
    expect(written!.command).toContain(`opencode import ${written!.path} && opencode -s ${id}`);
    expect(readFileSync(written!.path, "utf8").trimEnd().split("\n")).toHaveLength(plan.lines.length);
    const { info, messages } = documentAt(written!.path);
    const named = messages.flatMap(({ info: one, parts }) => [one.id, ...parts.map((part) => part.id)]);
    const taken = [...sqlite.prepare("SELECT id FROM message UNION SELECT id FROM part").pluck().all()];
    expect([new Set([...named, ...taken]).size, info.id]).toEqual([named.length + taken.length, id]);
    expect(messages.map(({ info: one }) => one.id)).toEqual(messages.map(({ info: one }) => one.id).toSorted());
    const { parts: asked } = messages[0]!;
    expect(asked).toMatchObject([{ type: "compaction", auto: false }]);
    expect(messages[1]).toMatchObject({ info: { summary: true, finish: "stop", parentID: messages[0]!.info.id } });
    expect(messages[1]!.parts).toMatchObject([{ type: "text", text: plan.summary }]);

    insert(sqlite, documentAt(written!.path));
    await importPaths(archive, [path], { final: true });
    const now = await showSession(archive, written!.session.id);
    expect(now).toMatchObject({ relation: "continuation", modelCalls: { own: 0 }, parentId: null });
    expect([now.compactions, now.automaticCompactions]).toEqual([1, 0]);
    expect(now.lineage).toMatchObject([{ relation: "continues" }]);
    expect((await listSessions(archive, query)).sums).toEqual({ ...sums, sessions: expect.anything() });
    const sent = JSON.stringify((await contextOf(archive, now.id, { as: "anthropic" })).messages);
    for (const words of ["And the whole table?", "It has 900 rows.", "What did we do so far?"])
      expect(sent).toContain(words);
    expect(readFileSync(written!.path, "utf8")).toContain("artifact_id");
    expect(readFileSync(written!.path, "utf8")).not.toContain("row 450 of the tide table");
    expect(plan.lines.filter(({ kind }) => kind === "replaced")).toHaveLength(1);
    expect(plan.tokens.next).toBeLessThan(plan.tokens.now);
  }));

test("what is typed is what came behind the copies, and the first call is the real prompt", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    const { written } = await carryOn(archive, "ses_1", request());
    const document = documentAt(written!.path);
    insert(sqlite, { ...document, messages: [...document.messages, user(text("Go on")), answer(5000, text("Done."))] });
    await importPaths(archive, [path], { final: true });
    expect(await showSession(archive, written!.session.id)).toMatchObject({ modelCalls: { own: 1 } });
    const { tokens } = listCarryOns(archive).rows[0]!;
    expect(tokens.real).toBe(5000);
    expect(tokens.entered).toBeGreaterThan(0);
    expect(tokens.entered).toBeLessThan(50);
  }));

test("a continuation of a continuation counts nothing twice either", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    const query = sessionsQuery.parse({ sums: "1" });
    const { sums } = await listSessions(archive, query);
    const first = await carryOn(archive, "ses_1", request({ mode: "fork" }));
    insert(sqlite, documentAt(first.written!.path));
    await importPaths(archive, [path], { final: true });
    const second = await carryOn(archive, first.written!.session.id, request());
    insert(sqlite, documentAt(second.written!.path));
    await importPaths(archive, [path], { final: true });
    expect(await showSession(archive, second.written!.session.id)).toMatchObject({ modelCalls: { own: 0 } });
    expect((await listSessions(archive, query)).sums).toEqual({ ...sums, sessions: expect.anything() });
  }));

test("a fork has all outputs whole, no summary, and an end for a call that is open", () =>
  inOpenCode(
    async (archive, { path, sqlite }) => {
      const { plan, written } = await carryOn(archive, "ses_1", request({ mode: "fork" }));
      const whole = readFileSync(written!.path, "utf8");
      expect(whole).toContain("row 450 of the tide table");
      expect(whole).not.toContain('"compaction"');
      expect(plan.warnings.join(" ")).toContain("had not returned");
      insert(sqlite, documentAt(written!.path));
      await importPaths(archive, [path], { final: true });
      expect(await showSession(archive, written!.session.id)).toMatchObject({ callsWithoutResult: 0 });
    },
    () => [user(text("Wait")), answer(30_100, text("I wait."), running)],
  ));

test("is taken back until the agent has imported it, and says then where the session is", () =>
  inOpenCode(async (archive, { path, sqlite }) => {
    const first = await carryOn(archive, "ses_1", request());
    expect((await takeBack(archive, first.written!.id)).status).toBe("removed");
    expect(existsSync(first.written!.path)).toBe(false);
    const { written } = await carryOn(archive, "ses_1", request());
    insert(sqlite, documentAt(written!.path));
    await expect(takeBack(archive, written!.id)).rejects.toThrow(`OpenCode has imported ${written!.path}`);
    await expect(takeBack(archive, written!.id)).rejects.toThrow(path);
    expect(existsSync(written!.path)).toBe(true);
  }));
