// Over HTTP a session goes by every name that a command takes.
import { expect, test } from "vitest";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { inArchive, put } from "#lib/archive/testing-archive.ts";
import { withDoors } from "./testing-http.ts";

const idOf = (name: string): string => `00000000-${name}`;

test("id, native id, beginning, title, slug and latest lead to one session; what fits several lists them", async () => {
  await inArchive(async (archive, logs) => {
    const titles = { one: "Fix tides, now", two: "Sort harbours", three: "Sort harbours" };
    for (const [i, [name, title]] of Object.entries(titles).entries()) {
      const at = new Date(Date.UTC(2026, 4, 1 + i)).toISOString();
      const header = { plimsoll: 1, id: idOf(name), title, startedAt: at, endedAt: at };
      const event = { record: "event", ts: at, body: { type: "user", text: title }, startsTurn: true };
      const lines = `${JSON.stringify(header)}\n${JSON.stringify(event)}\n`;
      await importPaths(archive, [put(logs, `${name}.plimsoll.jsonl`, lines)]);
    }
    await withDoors(archive, async (server) => {
      const show = (name: string): Promise<Response> => server.ask("GET", `/api/sessions/${encodeURIComponent(name)}`);
      const found = async (name: string): Promise<string> => ((await (await show(name)).json()) as { id: string }).id;
      const id = await found(`plimsoll:${idOf("one")}`);
      for (const name of [id, id.slice(0, 10), idOf("one"), "Fix tides, now", "fix-tides-now"])
        expect([name, await found(name)]).toEqual([name, id]);
      expect(await found("latest")).toBe(await found(idOf("three")));
      const several = await show("sort-harbours");
      expect(several.status).toBe(400);
      const { detail } = (await several.json()) as { detail: string };
      for (const name of ["two", "three"]) expect(detail).toContain(await found(idOf(name)));
      for (const name of ["...", "no such title", "a b"])
        expect([name, (await show(name)).status]).toEqual([name, 404]);
      expect((await show("a\u0000b")).status).toBe(400);
    });
  });
});
