// Searches that are saved over HTTP.
import { expect, test } from "vitest";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { searchesAnswer } from "#lib/wire/marks-schema.ts";
import { withDoors } from "./testing-http.ts";

test("a search that cannot be run is not saved", () =>
  inArchive((archive) =>
    withDoors(archive, async (server) => {
      const save = (query: string) => server.ask("PUT", "/api/searches", { json: { name: "mine", query } });
      for (const [query, why] of [
        ['"', "The quote at character 1 is not closed."],
        ["tokens:many", "Write tokens:>5k"],
        ["/(a/", "The pattern /(a/ cannot be used."],
      ] as const) {
        const refused = await save(query);
        expect(refused.status, query).toBe(400);
        expect(((await refused.json()) as { detail: string }).detail).toContain(why);
      }
      expect((await save("tide is:error")).status).toBe(200);
      const { searches } = searchesAnswer.parse(await (await server.ask("GET", "/api/searches")).json());
      expect(searches).toMatchObject([{ query: "tide is:error" }]);
    }),
  ));
