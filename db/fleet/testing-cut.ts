// A program whose transaction goes on after its connection was cut; it says how the question ended. A process of its own, because the
// driver's failure reaches nobody but the process.
import { askDatabase, connectFleet, outliveCutConnections } from "./fleet-database.ts";

const url = process.argv[2]!;
outliveCutConnections();
const [sql, other] = [connectFleet(url), connectFleet(url)];
const outcome = await askDatabase("the database", () =>
  sql.begin(async (tx) => {
    const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    await other`SELECT pg_terminate_backend(${row!.pid})`;
    // Long enough for the driver to hear of it.
    await new Promise((done) => setTimeout(done, 300));
    return tx`SELECT 1`;
  }),
).then(
  () => "answered",
  (error: { code: string }) => error.code,
);
const [after] = await askDatabase("the database", () => other<{ one: number }[]>`SELECT 1 AS one`);
console.log(JSON.stringify({ outcome, after: after!.one }));
process.exit(0);
