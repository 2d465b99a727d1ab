// A session that Plimsoll holds, made through the library as an agent's client makes it: outputs that are offloaded, one that
// stays, one that failed, files stored on purpose under names, and reads of them. The same bytes and times on every run.
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { createSession } from "../lib/archive/artifacts/create-session.ts";
import { recordOutput } from "../lib/archive/artifacts/record-output.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { runTool } from "../lib/tools/run-tool.ts";
import { systemHost } from "../bin/system-host.ts";

const START = Date.UTC(2026, 0, 15, 10, 0);
const BERTHS = ["north quay", "south quay", "dry dock", "roads", "fuel pier"];

/** Rows of a harbour's books: JSON of a good size whose values anyone can check. */
const bookings = JSON.stringify({
  harbour: "Breakwater",
  day: "2026-01-15",
  bookings: Array.from({ length: 900 }, (_, at) => ({
    id: 1000 + at,
    berth: BERTHS[at % BERTHS.length],
    ship: `MV ${["Tern", "Petrel", "Fulmar", "Gannet", "Skua", "Dunlin", "Knot"][at % 7]} ${at % 40}`,
    draught_m: Number((3 + ((at * 37) % 900) / 100).toFixed(2)),
    paid: at % 9 !== 0,
  })),
  next_cursor: "page-2",
});

const log = Array.from(
  { length: 2400 },
  (_, at) =>
    `2026-01-15T0${at % 10}:${String(at % 60).padStart(2, "0")}:00Z ${at % 97 === 0 ? "ERROR pump 3 lost pressure" : "info tide gauge reads"} ${(at * 13) % 500} cm`,
).join("\n");

const failed = `${Array.from({ length: 700 }, (_, at) => `ok   berth_${at}.test.ts  ${(at * 7) % 90} ms`).join("\n")}
FAIL fuel-pier.test.ts > two ships are never booked into one berth
AssertionError: expected 2 bookings at 04:00 to be 1
Tests  1 failed, 700 passed`;

export type HeldSample = { readonly session: string; readonly offloaded: string; readonly stored: string };

/** Writes it into the archive in `dir`, which no server may have open. */
export async function writeHeldSample(dir: string): Promise<HeldSample> {
  const host = systemHost();
  let now = START;
  const archive = await openArchive({ dir, host: { ...host, now: () => (now += 1000) } });
  try {
    const { id: session } = await createSession(archive, {
      id: "harbour-books",
      title: "Who is double-booked at the fuel pier?",
      agentName: "harbour agent",
      model: "claude-opus-4-5",
      contextWindow: 200_000,
    });
    const text = (value: string) => new TextEncoder().encode(value);
    let calls = 0;
    const output = (toolName: string, input: object, value: string, isError = false) =>
      recordOutput(archive, { session, toolName, toolCallId: `call_${++calls}`, input, turn: 1, isError }, text(value));
    await output("list_files", { path: "harbour" }, "bookings.json\ntides.log\nfuel-pier.test.ts");
    const { artifact } = await output("fetch_bookings", { day: "2026-01-15" }, bookings);
    if (artifact === null) throw new Error("The bookings were to be offloaded, and were not.");
    await output("read_log", { path: "harbour/tides.log" }, log);
    await output("run_tests", { file: "fuel-pier.test.ts" }, failed, true);
    /** Reads the bookings back with a tool, and tells the session what came. */
    const readBack = async (tool: string, requested: object) => {
      const request = { artifact_id: artifact.artifactId, ...requested };
      const answer = await runTool(archive, tool, request, { session, who: "agent" });
      await output(tool, request, answer.text, answer.isError);
    };
    await readBack("artifact_jq", { expression: ".bookings | length" });
    await readBack("artifact_jq", {
      expression: '[.bookings[] | select(.berth == "fuel pier" and (.paid | not))] | length',
    });
    await readBack("artifact_grep", { pattern: 'MV Tern 4"', grep_options: ["-o"] });
    await output("fetch_bookings", { day: "2026-01-15" }, bookings);
    await storeArtifact(
      archive,
      { session, name: "report.csv", contentType: "text/csv", description: "Bookings by berth", turn: 1 },
      text(`berth,bookings\n${BERTHS.map((berth) => `${berth},180`).join("\n")}\n`),
    );
    const { pointer } = await storeArtifact(
      archive,
      {
        session,
        name: "report.csv",
        contentType: "text/csv",
        description: "Bookings by berth and whether paid",
        turn: 1,
      },
      text(`berth,bookings,paid\n${BERTHS.map((berth) => `${berth},180,160`).join("\n")}\n`),
    );
    return { session, offloaded: artifact.pointer, stored: pointer };
  } finally {
    await closeArchive(archive);
  }
}
