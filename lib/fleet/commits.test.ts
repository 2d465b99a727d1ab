// Which commit a node reads next, and what becomes of those of the same session.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claimCommit, finishCommit, releaseCommit } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "./testing-fleet.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`commits that wait${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterEach(() => fleet.sql`DELETE FROM commits`);
  afterAll(() => fleet.close());

  const waits = (id: string, family: string, sender = "laptop") =>
    fleet.sql`INSERT INTO commits (project, id, family, sender, state, bytes, body) VALUES ('team', ${id}, ${family}, ${sender}, 'waiting', 1, '{}')`;
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await fleet.sql<{ id: string; state: string }[]>`SELECT id, state FROM commits`).map(({ id, state }) => [
        id,
        state,
      ]),
    );
  const claimed = async (): Promise<string | undefined> => (await claimCommit(fleet))?.id;

  test("are read in the order of their families, of each sender's the newest", async () => {
    for (const [id, family, sender] of [
      ["a1", "a", "laptop"],
      ["b1", "b", "laptop"],
      ["a2", "a", "laptop"],
      ["a3", "a", "ci"],
      ["a4", "a", "laptop"],
      ["b2", "b", "laptop"],
    ] as const)
      await waits(id, family, sender);
    expect([await claimed(), await claimed()]).toEqual(["a4", "b2"]);
    expect(await states()).toEqual({
      ...{ a1: "superseded", a2: "superseded", a3: "waiting", a4: "claimed", b1: "superseded", b2: "claimed" },
    });
    const [row] = await fleet.sql`SELECT reason, done_at IS NOT NULL AS done FROM commits WHERE id = 'a1'`;
    expect(row).toEqual({ reason: "A later commit of the same session came before this one was read.", done: true });
  });

  test("wait while their family is read, and are read when that ends, or its node is gone", async () => {
    await waits("a1", "a");
    const first = await claimCommit(fleet);
    for (const id of ["a2", "a3"]) await waits(id, "a");
    expect([first?.id, await claimed()]).toEqual(["a1", undefined]);
    await fleet.sql.begin((tx) => finishCommit(tx, first!, "done", null));
    expect([await claimed(), await states()]).toEqual(["a3", { a1: "done", a2: "superseded", a3: "claimed" }]);
    await waits("a4", "a");
    expect(await claimed()).toBe(undefined);
    await fleet.sql`UPDATE commits SET claimed_until = now() - interval '1 second' WHERE id = 'a3'`;
    expect([await claimed(), (await states())["a3"]]).toEqual(["a4", "superseded"]);
  });

  test.each(["cannot be read", "ends each node that reads it"])(
    "a newest one that %s gives way to the one before it, back to the last that was read",
    async (how) => {
      const body = { sessions: 1 };
      const comes = async (id: string): Promise<void> => {
        await waits(id, "a");
        await fleet.sql`UPDATE commits SET body = ${fleet.sql.json(body)} WHERE id = ${id}`;
      };
      const fails = async (): Promise<string | undefined> => {
        const claim = await claimCommit(fleet);
        if (how === "cannot be read") await releaseCommit(fleet, claim!, "It is broken.", true);
        else
          await fleet.sql`UPDATE commits SET attempt = 100, claimed_until = now() - interval '1 second' WHERE id = ${claim!.id}`;
        return claim?.id;
      };
      await comes("a0");
      await fleet.sql.begin(async (tx) => finishCommit(tx, (await claimCommit(fleet))!, "done", null));
      for (const id of ["a1", "a2", "a3"]) await comes(id);
      expect([await fails(), await fails()]).toEqual(["a3", "a2"]);
      const last = await claimCommit(fleet);
      expect(last?.id).toBe("a1");
      await fleet.sql.begin((tx) => finishCommit(tx, last!, "done", null));
      expect(await claimed()).toBe(undefined);
      expect(await states()).toEqual({ a0: "done", a1: "done", a2: "failed", a3: "failed" });
    },
  );

  test("are claimed once by many nodes that ask at once", async () => {
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 12; n++) await waits(`${round}-${n}`, `f${n % 4}`);
      const ids = (await Promise.all(Array.from({ length: 8 }, claimed))).filter((id) => id !== undefined);
      expect(new Set(ids).size).toBe(ids.length);
      // Whatever two nodes take at once: the newest of each family is read, now or after.
      for (let id = await claimed(); id !== undefined; id = await claimed()) ids.push(id);
      for (let again = 0; again < 12; again++) {
        await fleet.sql`UPDATE commits SET state = 'done' WHERE state = 'claimed'`;
        const id = await claimed();
        if (id !== undefined) ids.push(id);
      }
      for (const newest of [8, 9, 10, 11]) expect(ids).toContain(`${round}-${newest}`);
      await fleet.sql`DELETE FROM commits`;
    }
  });
});
