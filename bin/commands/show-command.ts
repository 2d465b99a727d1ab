import { heaviest } from "#lib/archive/load/heaviest.ts";
import { reportedCalls } from "#lib/archive/load/reported-calls.ts";
import { sessionGit } from "#lib/archive/sessions/session-git.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { SessionGit } from "#lib/wire/session-git-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import type { ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { stateWords } from "#lib/kernel/load/compaction-state.ts";
import { reading } from "./open-archive.ts";
import { costLine } from "./cost-line.ts";
import { bytes, count, counted, marked, oneLine, plain, printJson, table } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const session = await showSession(archive, words.args[0]!);
    const heavy = await heaviest(archive, session.id, { counted: true });
    const reported = reportedCalls(archive, session.id);
    const git = await sessionGit(archive, session.id);
    if (words.options["json"] === true) {
      printJson({ ...session, git, heaviest: heavy, reportedCalls: reported });
      return;
    }
    print(session, reported, gitLines(git));
    if (heavy.length === 0) return;
    console.log("\nHeaviest tool outputs");
    console.log(
      table(
        ["output", "event", "tokens", "bytes", "entered at", "resident", "lifetime"],
        heavy.map((one) => [
          oneLine(one.label, 48),
          String(one.seq),
          marked(one.tokens, one.origin),
          bytes(one.bytes),
          `call ${one.enteredAt}`,
          counted(one.callsResident, "call"),
          marked(one.lifetimeTokens, one.origin),
        ]),
      ),
    );
  });

/** What it made, and of the repository how much else was committed meanwhile. */
function gitLines({ branch, commits, pulls }: SessionGit): [string, string][] {
  const own = commits.filter(({ from }) => from === "log");
  const others = commits.length - own.length;
  return [
    ...(branch === null ? [] : [["Branch", plain(branch)] satisfies [string, string]]),
    ...own.map(({ sha, subject, exists }): [string, string] => [
      "Commit",
      `${sha.slice(0, 10)}  ${oneLine(subject, 80)}${exists === false ? "  (no longer in the repository)" : ""}`,
    ]),
    ...pulls.map(({ url }): [string, string] => ["Pull", plain(url)]),
    ...(others === 0
      ? []
      : [["Meanwhile", `${count(others)} other commits in the repository`] satisfies [string, string]]),
  ];
}

function print(session: SessionSummary, reported: ReportedCallsAnswer, git: readonly [string, string][]): void {
  const { usage, peak, cost } = session;
  const rows: [string, string][] = [
    ["Session", `${session.id}  ${plain(session.nativeId)}`],
    [
      "Agent",
      [session.agent, session.agentVersion, session.model]
        .filter(Boolean)
        .map((part) => plain(part!))
        .join("  "),
    ],
    ["Folder", plain(session.cwd ?? "–")],
    ...git,
    ["Time", `${session.startedAt ?? "–"} to ${session.endedAt ?? "–"}  ${session.status}`],
    [
      "Turns",
      `${count(session.turns)}, ${count(session.modelCalls.own)} model calls${session.modelCalls.inherited > 0 ? ` and ${count(session.modelCalls.inherited)} inherited` : ""}`,
    ],
    [
      "Peak",
      peak.tokens === null
        ? "not reported"
        : `${marked(peak.tokens, peak.origin)} at call ${peak.call}; load line ${count(peak.loadLine)} (${peak.loadLineOrigin ?? "unknown"})`,
    ],
    [
      "Input",
      `${count(usage.inputUncached)} uncached + ${count(usage.cacheRead)} read + ${count(usage.cacheWrite)} written`,
    ],
    [
      "Output",
      `${session.usageQuality === "lower-bound" ? "at least " : ""}${count(usage.output)}${usage.reasoning > 0 ? `, ${count(usage.reasoning)} of it reasoning` : ""}`,
    ],
    ["Cost", costLine(cost)],
    ...(reported.why === null ? [["Reported", reportedLine(reported)] satisfies [string, string]] : []),
    ...(reported.telemetry === null
      ? []
      : [["Telemetry", telemetryLine(reported.telemetry)] satisfies [string, string]]),
    [
      "Tools",
      `${count(session.toolCalls)} calls, ${count(session.toolErrors)} errors, ${count(session.callsWithoutResult)} without result`,
    ],
    ["State", session.state === null ? "–" : stateWords(session.state, session.automaticCompactions)],
    ["Compacted", count(session.compactions)],
    ["Artifacts", count(session.artifacts)],
  ];
  console.log(`${oneLine(session.title, 100)}\n`);
  for (const [name, value] of rows) console.log(`${name.padEnd(10)} ${value}`);
  for (const note of session.quality) console.log(`${"Note".padEnd(10)} ${plain(note)}`);
}

/** How far the agent's own figures agree with the file's calls. */
function reportedLine({ calls, differences }: ReportedCallsAnswer): string {
  const equal = calls.length - differences.length;
  const listUsd = calls.map((one) => one.listUsd).filter((usd) => usd !== null);
  const price =
    listUsd.length < calls.length ? "" : `, ${dollars(listUsd.reduce((sum, usd) => sum + usd, 0))} at list price`;
  return [
    `agent and file agree on ${count(equal)} of ${count(calls.length)} calls${price}`,
    ...differences.slice(0, 3),
  ].join(". ");
}

/** What came over OpenTelemetry, and which of it no file has. */
function telemetryLine({ requests, records, lastAt, unfiled }: NonNullable<ReportedCallsAnswer["telemetry"]>): string {
  const said = `${count(requests)} model calls in ${count(records)} records, last ${lastAt}`;
  if (unfiled === null) return said;
  const { calls, usd, purposes } = unfiled;
  const why = purposes.length === 0 ? "" : ` (${purposes.map(plain).join(", ")})`;
  return `${said}. ${count(calls)} in no file${why}${usd === null ? "" : `, ${dollars(usd)}`}`;
}
