// A parameter that is misspelt would be an answer to another question than the one that was asked.
import { expect, test } from "vitest";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { propertiesOf } from "./json-schema.ts";
import { ENDPOINTS } from "./routes.ts";
import { withDoors } from "./testing-http.ts";

test("a parameter that an endpoint does not have is refused with the nearest that it has", () =>
  inArchive((archive) =>
    withDoors(archive, async (server) => {
      for (const [path, detail] of [
        ["/api/usage?perod=weekly", 'No parameter "perod" here. Did you mean period?'],
        ["/api/sessions?limit=5&sortt=cost", 'No parameter "sortt" here. Did you mean sort?'],
        ["/api/search?Q=tides", 'No parameter "Q" here. Did you mean q?'],
        ["/api/findings?__proto__=1", 'No parameter "__proto__" here.'],
      ] as const) {
        const refused = await server.ask("GET", path);
        expect([path, refused.status]).toEqual([path, 400]);
        expect(((await refused.json()) as { detail: string }).detail).toContain(detail);
      }
      for (const path of ["/api/usage?period=weekly", "/api/sessions?limit=5&sort=cost", "/api/search?q=tides"])
        expect([path, (await server.ask("GET", path)).status]).toEqual([path, 200]);
    }),
  ));

test("every query has names, so that what it knows can be said", () => {
  const queries = ENDPOINTS.flatMap(({ method, path, schemas }) =>
    schemas.query === undefined ? [] : [[`${method} ${path}`, Object.keys(propertiesOf(schemas.query).properties)]],
  );
  expect(queries.length).toBeGreaterThan(30);
  expect(queries.filter(([, names]) => names!.length === 0)).toEqual([]);
});
