// Pieces of the archive's events. A result takes over what its call said: tool, command, files.
import { isSentNote, type StoredEvent } from "../../event.ts";
import { callFacts } from "./call-facts.ts";
import { textBehind } from "./envelope-text.ts";
import { NO_CALL, type Piece, type PieceKind } from "./piece.ts";

export type PieceEvent = Pick<StoredEvent, "seq" | "artifact" | "body"> & {
  /** What a line of the summary calls it by; `event 12` where nothing is said. */
  readonly ref?: string;
};

/** Pieces in the order of the log. A result's text should be the whole output where the model saw the whole. */
export function piecesOfEvents(events: Iterable<PieceEvent>): Piece[] {
  const pieces: Piece[] = [];
  const calls = new Map<string, Piece>();
  for (const { seq, artifact, body, ref = `event ${seq}` } of events) {
    const add = (kind: PieceKind, text: string, more: Partial<Piece> = {}): void => {
      // Calls and results say something without words too: that it was done.
      if (text.trim() !== "" || kind === "tool_call" || kind === "tool_result")
        pieces.push({ ...NO_CALL, seq, ref, kind, text, ...more });
    };
    switch (body.type) {
      case "user":
        add(body.injected === undefined ? "user" : body.injected === "summary" ? "summary" : "note", body.text);
        break;
      case "assistant":
      case "reasoning":
        add(body.type, body.text);
        break;
      case "tool_call": {
        add("tool_call", "", { ...callFacts(body.toolName, body.input), toolName: body.toolName });
        if (body.toolCallId !== null) calls.set(body.toolCallId, pieces.at(-1)!);
        break;
      }
      case "tool_result": {
        const call = body.toolCallId === null ? undefined : calls.get(body.toolCallId);
        const exitCode = body.detail?.exitCode ?? null;
        add("tool_result", textBehind(body.text), {
          toolName: call?.toolName ?? null,
          command: call?.command ?? null,
          files: call?.files ?? [],
          exitCode,
          isError: body.isError || (exitCode !== null && exitCode !== 0),
          artifact,
        });
        break;
      }
      case "compaction":
        if (body.kind === "full") add("summary", body.text);
        break;
      case "meta":
        if (isSentNote(body)) add("note", body.text);
        break;
      case "system":
      case "error":
      case "unknown":
        break;
    }
  }
  return pieces;
}
