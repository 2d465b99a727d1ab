// Real agents that send their telemetry to us, each set up as docs/telemetry.md says: what they report is held against what the
// model charged.
import { prompt, simple } from "./claude-scenarios.ts";
import { exec, settings, shell } from "./codex-scenarios.ts";
import { geminiScenarios, geminiSettings } from "./gemini-scenarios.ts";
import { otherScenario } from "./other-scenarios.ts";
import { qwenScenarios, qwenSettings } from "./qwen-scenarios.ts";
import type { Receiver, RunPaths, Scenario } from "./scenario-types.ts";

const headers = ({ token }: Receiver): string => `Authorization=Bearer ${token}`;

export const claudeEnv = (receiver: Receiver, protocol: string): Record<string, string> => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_HEADERS: headers(receiver),
});

const claude = (name: string, protocol: string): Scenario => ({
  name,
  agent: "claude",
  calls: 3,
  isReported: true,
  commands: (at) => [
    { ...prompt("What is in this folder?", at, "--allowedTools", "Bash"), env: claudeEnv(at.receiver, protocol) },
  ],
  script: simple(
    { text: "Let me look.", tools: [{ name: "Bash", input: { command: "cat notes.txt", description: "Reads" } }] },
    { tools: [{ name: "Bash", input: { command: "ls", description: "Lists" } }] },
    { text: "Three lines." },
  ),
});

const codexConfig = ({ receiver }: RunPaths): string[] => [
  "[otel]",
  "log_user_prompt = true",
  `exporter = { otlp-http = { endpoint = "${receiver.url}/v1/logs", protocol = "json", headers = { "Authorization" = "Bearer ${receiver.token}" } } }`,
];

const telemetry = ({ url }: Receiver): object => ({
  enabled: true,
  target: "local",
  useCollector: true,
  otlpEndpoint: url,
  otlpProtocol: "http",
  logPrompts: true,
});

export const telemetryScenarios: readonly Scenario[] = [
  { ...claude("telemetry", "http/json"), isCore: true },
  claude("telemetry-protobuf", "http/protobuf"),
  {
    name: "codex-telemetry",
    agent: "codex",
    calls: 2,
    isReported: true,
    files: (at) => settings(at, [], codexConfig(at)),
    commands: () => [exec("What is in this folder?")],
    script: simple({ text: "Let me look.", tools: [shell("cat notes.txt")] }, { text: "Three lines." }),
  },
  {
    ...geminiScenarios[0]!,
    name: "gemini-telemetry",
    isCore: false,
    isReported: true,
    files: ({ receiver }) => geminiSettings({ telemetry: telemetry(receiver) }),
    commands: (at) =>
      geminiScenarios[0]!.commands(at).map((command) => ({
        ...command,
        env: { ...command.env, OTEL_EXPORTER_OTLP_HEADERS: headers(at.receiver) },
      })),
  },
  {
    ...qwenScenarios[0]!,
    name: "qwen-telemetry",
    isCore: false,
    isReported: true,
    files: ({ receiver }) => qwenSettings({ telemetry: telemetry(receiver) }),
    commands: (at) =>
      qwenScenarios[0]!.commands(at).map((command) => ({
        ...command,
        env: { ...command.env, OTEL_EXPORTER_OTLP_HEADERS: headers(at.receiver) },
      })),
  },
  otherScenario("copilot", {
    name: "copilot-telemetry",
    isReported: true,
    env: ({ receiver }) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: headers(receiver),
    }),
  }),
];
