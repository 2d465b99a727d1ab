// What a node knows of credentials: an answer that comes after somebody signed out here does not bring them back.
import { expect, test } from "vitest";
import { knownCredentials } from "./known-credentials.ts";
import type { KnownCredential } from "./fleet-tokens.ts";

test("a cookie that is signed out while it is looked up opens nothing", async () => {
  const ann: KnownCredential = { id: "person:ann", person: "ann", scope: "read", access: { team: "reader" }, own: [] };
  const answers = [Promise.withResolvers<KnownCredential | null>(), Promise.withResolvers<KnownCredential | null>()];
  let asked = 0;
  const known = knownCredentials(
    () => answers[asked++]!.promise,
    () => 1e9,
  );
  const looked = known.prepare("cookie");
  // The database has answered, and its answer is under way.
  known.forget("cookie");
  const again = known.prepare("cookie");
  answers[1]!.resolve(null);
  await again;
  answers[0]!.resolve(ann);
  await looked;
  expect([asked, known.of("cookie"), known.prepare("cookie")]).toEqual([2, null, null]);
});
