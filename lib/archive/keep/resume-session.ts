// How an agent goes on with a session whose file was given back, and what it needs beside it. docs/restore.md says which were tried
// with the real agent.
import { claudeCode } from "#lib/formats/claude-code.ts";
import { shellWords } from "../handover/shell-words.ts";

type Restored = {
  readonly format: string;
  readonly nativeId: string;
  readonly cwd: string | null;
  /** The session's own file, where it is written. */
  readonly path: string;
  /** The file has another folder than the agent gave it. */
  readonly isElsewhere: boolean;
};

export type Resume = { readonly command: string | null; readonly notes: readonly string[] };

export function resumeOf(restored: Restored): Resume {
  const { format, path, isElsewhere } = restored;
  const id = /^[\w-]+$/.test(restored.nativeId) ? restored.nativeId : null;
  switch (format) {
    case "claude-code": {
      const isListed =
        id !== null && typeof claudeCode.cleanup === "object" && claudeCode.cleanup.folder(path) !== null;
      return {
        command: shellWords(["claude", "--resume", isListed && !isElsewhere ? id : path], restored.cwd),
        notes: ["Copies of files that Claude Code keeps for /rewind are not stored by Plimsoll."],
      };
    }
    case "codex": {
      const isListed = id !== null && /[\\/]sessions[\\/]/.test(path);
      const state = "Codex's sqlite state is not needed: Codex reads the file and builds it anew.";
      return isListed
        ? { command: shellWords(["codex", "resume", id], restored.cwd), notes: [state] }
        : { command: null, notes: [state, "Codex resumes only files below ~/.codex/sessions."] };
    }
    case "pi":
      return { command: shellWords(["pi", "--session", path], restored.cwd), notes: [] };
    case "qwen":
      return {
        command: id === null || isElsewhere ? null : shellWords(["qwen", "--resume", id], restored.cwd),
        notes: [],
      };
    case "gemini":
      return {
        command: id === null || isElsewhere ? null : shellWords(["gemini", "--resume", id], restored.cwd),
        notes: [],
      };
    case "copilot":
      return {
        command: id === null || isElsewhere ? null : shellWords(["copilot", `--resume=${id}`], restored.cwd),
        notes: ["Copilot CLI makes the other files of the session's folder anew."],
      };
    case "openclaw":
      return {
        command: null,
        notes: ["OpenClaw lists sessions from sessions.json, which all of them share. Plimsoll does not change it."],
      };
    default:
      return { command: null, notes: [] };
  }
}
