// What Claude Code is made to do at a terminal: what no command line asks of it.
import { bash, lines, paced, TOOLS } from "./claude-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { ENTER, typed, UP, type Keystrokes } from "./type-keys.ts";

/** What it asks a person on its first start, answered before; of a key it keeps the last 20 characters. */
function settled({ project }: RunPaths, more: object = {}): Record<string, string> {
  const answered = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["sk-ant-scripted"], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    ...more,
  };
  return { ".claude.json": JSON.stringify(answered) };
}

const PROMPT = "/effort";

const typing = ({ sessions: [session] }: RunPaths, keystrokes: readonly Keystrokes[], env = {}): AgentCommand => ({
  args: ["--session-id", session, "--permission-mode", "default", "--allowedTools", ...TOOLS],
  env,
  keystrokes,
});

export const claudeTerminalScenarios: readonly Scenario[] = [
  {
    name: "rewind",
    agent: "claude",
    needsTerminal: true,
    calls: 5,
    sends: ["Begin here again"],
    context: { has: ["Begin here again"], lacks: ["Go on from there"] },
    files: (at) => settled(at),
    commands: (at) => [
      typing(at, [
        ...typed("Begin here", PROMPT),
        ...typed("Go on from there", "First part is done.", 2),
        ...typed("/rewind", "Second part is done.", 4),
        { screen: "Enter to continue", keys: UP },
        { screen: "❯ Go on from there", keys: UP },
        { screen: "❯ Begin here", keys: ENTER },
        { screen: "Restore conversation", keys: ENTER },
        ...typed(" again", "Begin here"),
        ...typed("/exit", "Third part is done.", 5),
      ]),
    ],
    script: () => ({
      lanes: {
        main: paced(
          { text: "I count.", tools: [lines(5)] },
          { text: "First part is done." },
          { text: "I list.", tools: [bash("ls")] },
          { text: "Second part is done." },
          { text: "Third part is done." },
        ),
      },
    }),
  },
  {
    name: "rewind-middle",
    agent: "claude",
    needsTerminal: true,
    calls: 6,
    sends: ["Go on from there again"],
    context: { has: ["Begin here", "Go on from there again"], lacks: ["Second part is done"] },
    files: (at) => settled(at),
    commands: (at) => [
      typing(at, [
        ...typed("Begin here", PROMPT),
        ...typed("Go on from there", "First part is done.", 2),
        ...typed("/rewind", "Second part is done.", 4),
        { screen: "Enter to continue", keys: UP },
        { screen: "❯ Go on from there", keys: ENTER },
        { screen: "Restore conversation", keys: ENTER },
        // Of a line that is drawn over another one only what differs is sent to the screen.
        ...typed(" again", "❯ Go on from"),
        ...typed("/exit", "Third part is done.", 6),
      ]),
    ],
    script: () => ({
      lanes: {
        main: paced(
          { text: "I count.", tools: [lines(5)] },
          { text: "First part is done." },
          { text: "I list.", tools: [bash("ls")] },
          { text: "Second part is done." },
          { text: "I look again.", tools: [bash("pwd")] },
          { text: "Third part is done." },
        ),
      },
    }),
  },
  {
    // As docs/agents/claude-code.md says to set it; what it prints is drawn under the prompt.
    name: "plimsoll-statusline",
    agent: "claude",
    needsTerminal: true,
    calls: 2,
    files: (at) => ({
      ...settled(at),
      ".claude/settings.json": JSON.stringify({
        statusLine: { type: "command", command: `${at.node} ${at.ownFile("../../bin/plimsoll.mjs")} statusline` },
      }),
    }),
    commands: (at) => [
      typing(at, [
        ...typed("Begin here", PROMPT),
        // Of a line that changes only what differs is drawn.
        { screen: "of 1.00M", keys: "" },
        ...typed("/exit", "First part is done."),
      ]),
    ],
    script: () => ({
      lanes: { main: paced({ text: "I count.", tools: [lines(5)] }, { text: "First part is done." }) },
    }),
  },
  {
    // It is told how much could be cleared (`context_hint`), and a status of 422 answers that it should be: then all but the newest
    // five outputs are sent as the path of a file. A flag of the provider's turns this on; it is read from the settings here.
    name: "micro-compaction",
    agent: "claude",
    needsTerminal: true,
    calls: 14,
    sends: ["context_hint", "<persisted-output>Tool result saved to:"],
    context: { has: ["Tool result saved to:"] },
    files: (at) => settled(at, { cachedGrowthBookFeatures: { tengu_hazel_osprey: true } }),
    commands: (at) => [
      typing(at, [...typed("Read much", PROMPT), ...typed("/exit", "All is read.", 1)], {
        CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF: "1",
      }),
    ],
    script: () => ({
      lanes: {
        main: paced(
          ...[700, 701, 702, 703, 704, 705, 706, 707, 708, 709, 710].map((count) => ({ tools: [lines(count)] })),
          { status: 422 },
          { tools: [lines(3)] },
          { text: "All is read." },
        ),
      },
    }),
  },
];
