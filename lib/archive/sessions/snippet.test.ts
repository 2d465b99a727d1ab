import { expect, test } from "vitest";
import { answer, prompt, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { withRecords } from "../testing-archive.ts";
import { fillIndex } from "../search/fill-index.ts";
import { listSessions } from "./list-sessions.ts";

const snippetFor = (said: string, q: string): Promise<string | null> =>
  new Promise((done, failed) => {
    withRecords(
      { "a.jsonl": [prompt("1", 1, "Go"), answer("2", 2, "a", text(said), { usage: used(1, 0, 0, 1) })] },
      async (archive) => {
        await fillIndex(archive);
        const { sessions } = await listSessions(archive, sessionsQuery.parse({ q }));
        done(sessions[0]?.snippet ?? null);
      },
    ).catch(failed);
  });

const FAR = "The tide turns at noon and the harbour is quiet until the evening comes with its boats. ";

test("a word that is found by its stem is marked where it stands, however far", async () => {
  const snippet = await snippetFor(`${FAR}Each line attributes its author.`, "attribution");
  expect(snippet).toMatch(/^….* line \u0002attribut\u0003es its author\.$/u);
});

test("the word itself goes before what begins as it does", async () => {
  const snippet = await snippetFor(`attributes. ${FAR}Read the attribution.`, "attribution");
  expect(snippet).toContain("Read the \u0002attribution\u0003.");
});
