// The session formats, in the order in which they are asked. Being listed is being tested (contract.test.ts).
import type { Format } from "#lib/kernel/draft.ts";
import { aider } from "./aider.ts";
import { augment } from "./augment.ts";
import { autobyteus } from "./autobyteus.ts";
import { amp } from "./amp.ts";
import { antigravity } from "./antigravity.ts";
import { atif } from "./atif.ts";
import { captured } from "./captured.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeTrace } from "./claude-trace.ts";
import { cline } from "./cline.ts";
import { codebuddy } from "./codebuddy.ts";
import { codebuff } from "./codebuff.ts";
import { codex } from "./codex.ts";
import { codexExec } from "./codex-exec.ts";
import { continueFormat } from "./continue.ts";
import { copilot } from "./copilot.ts";
import { copilotChat } from "./copilot-chat.ts";
import { copilotRun } from "./copilot-run.ts";
import { crush } from "./crush.ts";
import { cursor } from "./cursor-format.ts";
import { droid } from "./droid.ts";
import { entire } from "./entire.ts";
import { gemini } from "./gemini-format.ts";
import { goose } from "./goose.ts";
import { gptme } from "./gptme.ts";
import { grok } from "./grok.ts";
import { hermes } from "./hermes.ts";
import { iflow } from "./iflow.ts";
import { inspect } from "./inspect-format.ts";
import { kimi } from "./kimi.ts";
import { kiro } from "./kiro.ts";
import { langfuse } from "./langfuse.ts";
import { openclaw } from "./openclaw.ts";
import { openInference } from "./openinference.ts";
import { messagesFormat } from "./plain-messages.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openInterpreter } from "./open-interpreter.ts";
import { opencode } from "./opencode.ts";
import { opencodeRun } from "./opencode-run.ts";
import { openHands } from "./openhands.ts";
import { otlp } from "./otlp.ts";
import { pi } from "./pi.ts";
import { plimsoll } from "./plimsoll-format.ts";
import { qwen } from "./qwen.ts";
import { streamJson } from "./stream-json.ts";
import { traeAgent } from "./trae-agent.ts";
import { vibe } from "./vibe.ts";
import { zed } from "./zed.ts";
import { sweAgent } from "./swe-agent.ts";

/** Formats whose files say what they are. */
const NAMED: readonly Format[] = [
  plimsoll,
  captured,
  claudeCode,
  iflow,
  claudeTrace,
  streamJson,
  codex,
  codexExec,
  openclaw,
  pi,
  copilot,
  copilotRun,
  copilotChat,
  opencode,
  opencodeRun,
  gemini,
  qwen,
  cline,
  codebuddy,
  codebuff,
  goose,
  crush,
  zed,
  amp,
  continueFormat,
  cursor,
  antigravity,
  droid,
  entire,
  gptme,
  grok,
  hermes,
  aider,
  augment,
  kimi,
  kiro,
  vibe,
  otlp,
  openInference,
  autobyteus,
  atif,
  sweAgent,
  miniSweAgent,
  traeAgent,
  openInterpreter,
  openHands,
  inspect,
  langfuse,
];

export const FORMATS: readonly Format[] = [...NAMED, messagesFormat(NAMED)];
