// The one append. Every event of every door comes through here: it numbers turns, events and model calls,
// pairs calls with results, keeps big outputs apart, indexes text, and moves the session's figures on.
import { query } from "#db/statement.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { isDeep, LEVELS } from "#lib/kernel/json-text.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { categoryOf, extraTokens, labelOf, weighsByText } from "#lib/kernel/load/weigh.ts";
import type { Archive } from "../base/archive-type.ts";
import { digestOf, eventRowId } from "../base/row-keys.ts";
import { keepAttachment, keepFound, keepText, type ArtifactOrigin, type StoredBlob } from "./artifact-writer.ts";
import type { Batch } from "../base/batch.ts";
import { CallWriter } from "./call-writer.ts";
import { EVENT_ROW, eventChecksum, summed, type EventColumns } from "./event-checksum.ts";
import { HeldTexts } from "./held-texts.ts";
import { InteractionWriter } from "./interaction-writer.ts";
import { RecordParts, type EventDraft, type Origin, type RecordPart } from "./record-origin.ts";
import { patchSession } from "./exported-marks.ts";
import { noteTime, saveSession, type SessionRow } from "./session-row.ts";
import { countState } from "./state-counts.ts";
import { statementsOf, type Statements } from "./statements.ts";
import { addLost } from "./lost-gaps.ts";
import { Utf8 } from "../base/utf8-encoder.ts";

/** The text of an event, and its row's JSON. */
const TEXT = new Utf8();
const JSON_TEXT = new Utf8();

/** An event on its way into the log. */
type Appended = {
  readonly draft: EventDraft;
  readonly seq: number;
  readonly part: RecordPart;
  readonly stored: StoredOutput | null;
};

/** What the model saw of an event. */
type Shown = { readonly text: string; readonly utf8: Uint8Array; readonly digest: Buffer | null };

type StoredOutput = { readonly blob: StoredBlob; readonly says?: ArtifactOrigin["held"] };

/** The whole output of a result that is stored already. */
function storedOf(draft: EventDraft, origin: Origin): StoredOutput | null {
  if (origin.from === "held") return origin.output?.draft === draft ? origin.output : null;
  const blob = origin.found?.get(draft);
  return blob === undefined ? null : { blob };
}

export class SessionWriter {
  readonly session: SessionRow;
  readonly #archive: Archive;
  readonly #batch: Batch;
  readonly #sql: Statements;
  readonly #calls: CallWriter;
  readonly #interactions: InteractionWriter;
  readonly #records = new RecordParts();
  #isChanged = true;
  /** Texts that are to be found by search, with their rows. */
  readonly #searched = new HeldTexts();

  /** `callIds`: the tool calls that the session has, where all of them are known. It grows. */
  constructor(archive: Archive, batch: Batch, session: SessionRow, callIds: Set<string> | null = null) {
    this.#archive = archive;
    this.#batch = batch;
    this.session = session;
    this.#sql = statementsOf(archive.sqlite);
    this.#calls = new CallWriter(this.#sql, session);
    this.#interactions = new InteractionWriter(this.#sql, session, callIds);
  }

  /** Appends what one record yielded for this session, or a part of it. Several appends of a held record say so. */
  append(drafts: readonly Draft[], origin: Origin): void {
    this.#isChanged = true;
    // A call is numbered before the events of its record, so that they carry its number at once.
    this.#calls.writeAll(drafts);
    for (const draft of drafts) {
      if (draft.kind === "event") this.#appendEvent(draft, origin);
      else if (draft.kind === "session") patchSession(this.#archive, this.session, draft.patch);
      else if (draft.kind === "link") this.#interactions.link(draft.toolCallId, draft.agentId);
      else if (draft.kind === "lost") addLost(this.session.counters, this.session.nextSeq - 1, draft.usage);
      else if (draft.kind === "reported") this.#noteReported(draft);
      else if (draft.kind === "compacted") this.#closeCompaction(draft.tokensAfter);
    }
  }

  #noteReported({ usd, usage, ts }: Extract<Draft, { kind: "reported" }>): void {
    this.session.counters.reported = { usd, usage, at: ts ?? this.session.endedAt };
  }

  /** Its row is no longer what was saved. */
  noteChange(): void {
    this.#isChanged = true;
  }

  /** Saves it unless nothing came since: a file may hold thousands of sessions, of which a part of it touches few. */
  saveChanges(writtenAt: number): void {
    if (this.#isChanged) this.save(writtenAt);
    this.#isChanged = false;
  }

  save(writtenAt: number): void {
    this.#interactions.flush();
    this.#flushSearch();
    saveSession(this.#archive, this.session, writtenAt);
  }

  #appendEvent(given: EventDraft, origin: Origin): void {
    const { session } = this;
    const seq = session.nextSeq++;
    const rowId = eventRowId(session.pk, seq);
    const text = eventText(given.body);
    const draft = asShown(given, text);
    const part = this.#records.next(draft, origin);
    if (part.isFirst) this.#countRecord(draft);
    const stored = storedOf(given, origin);
    if (draft.startsTurn) session.turn++;
    if (draft.ts !== null && draft.ts > 0) noteTime(session, draft.ts);
    const call = draft.callKey === null ? null : this.#calls.numberFor(draft.callKey, seq, rowId);
    const utf8 = TEXT.encode(text);
    const bytes = utf8.length;
    const digest = weighsByText(draft.body) && bytes > 0 ? digestOf(utf8) : null;
    const { body, artifact } = this.#keep({ draft, seq, part, stored }, { text, utf8, digest });
    const { toolCallId, toolName } = this.#interactions.write(draft, seq, text);
    const row: EventColumns = {
      id: rowId,
      type: body.type,
      ts: draft.ts,
      turn: session.turn,
      call,
      toolCallId,
      toolName,
      recordKey: part.key,
      keyed: part.isKeyed ? 1 : 0,
      bytes,
      digest,
      artifact,
      category: categoryOf(body),
      label:
        body.type === "tool_result" ? (this.#interactions.callOf(toolCallId)?.label ?? toolName ?? "") : labelOf(body),
      extraTokens: extraTokens(body),
      startsTurn: draft.startsTurn ? 1 : 0,
      synthetic: draft.synthetic === true ? 1 : 0,
      inherited: 0,
      byteStart: part.byteStart,
      byteEnd: part.byteEnd,
    };
    insertEvent(this.#sql, row, JSON.stringify(body));
    const isSearched = bytes > 0 && body.type !== "meta" && body.type !== "unknown";
    const more = artifact === null || text === "" ? undefined : (stored?.blob.text ?? draft.fullText);
    const shown = more === undefined ? text : `${text}\n${more}`;
    if (isSearched) this.#search(rowId, searchText(draft.body, shown, more !== undefined) ?? utf8);
    this.#count(draft);
  }

  #search(rowId: number, text: Uint8Array): void {
    if (this.#searched.add(rowId, text)) return;
    this.#flushSearch();
    if (!this.#searched.add(rowId, text)) this.#sql.insertSearch.run(rowId, text);
  }

  #flushSearch(): void {
    this.#searched.take((rowId, text) => this.#sql.insertSearch.run(rowId, text));
  }

  #countRecord(draft: EventDraft): void {
    if (draft.isRecord !== false) this.session.records++;
    if (draft.recordKey !== null) this.session.keyedRecords++;
  }

  #keep(appended: Appended, { text, utf8, digest }: Shown): { body: EventBody; artifact: string | null } {
    const { draft, stored } = appended;
    const images = this.#keepImages(appended);
    const body = images === null ? draft.body : ({ ...draft.body, images } as EventBody);
    if (body.type !== "tool_result") return { body, artifact: null };
    const where = this.#originOf(appended, body);
    const owner = this.session;
    let artifact: string | null = null;
    if (stored !== null) artifact = keepFound(this.#archive, this.#batch, owner, stored.blob, text, where);
    else if (draft.fullText !== undefined)
      artifact = keepText(this.#archive, this.#batch, owner, draft.fullText, Buffer.from(draft.fullText), where);
    else if (utf8.length > LIMITS.artifactBytes)
      artifact = keepText(this.#archive, this.#batch, owner, text, Buffer.from(utf8), where, digest?.toString("hex"));
    if (artifact !== null) owner.artifacts++;
    // What the model saw stays in its event when a longer output is kept beside it.
    const isKept = artifact !== null && body.saw === "full";
    return { body: isKept ? { ...body, text: headOf(text) } : body, artifact };
  }

  #keepImages(appended: Appended) {
    const { draft } = appended;
    if (draft.attachments === undefined || draft.attachments.length === 0 || !("images" in draft.body)) return null;
    return (draft.body.images ?? []).map((image, i) => {
      const attachment = draft.attachments![image.attachment];
      const where = this.#originOf(appended, draft.body, `image ${i}`);
      const kept =
        attachment === undefined ? null : keepAttachment(this.#archive, this.#batch, this.session, attachment, where);
      if (kept !== null) this.session.artifacts++;
      return { ...image, artifact: kept?.pointer ?? null, width: kept?.width ?? null, height: kept?.height ?? null };
    });
  }

  #originOf({ draft, seq, part, stored }: Appended, body: EventBody, inPart = ""): ArtifactOrigin {
    const toolCallId = body.type === "tool_result" ? body.toolCallId : null;
    const request = this.#interactions.callOf(toolCallId);
    return {
      seq,
      ts: draft.ts,
      toolName: request?.toolName ?? null,
      toolCallId,
      subject: request?.subject ?? (body.type === "tool_result" ? (body.detail?.filePath ?? null) : null),
      saw: body.type === "tool_result" ? body.saw : "full",
      offloadedBy: body.type === "tool_result" ? (body.offloadedBy ?? null) : null,
      key: `${draft.recordKey ?? `@${part.byteStart}`} ${part.index} ${inPart}`,
      ...(stored?.says !== undefined && { held: stored.says }),
    };
  }

  #closeCompaction(tokensAfter: number): void {
    const { pk, nextSeq } = this.session;
    const row = this.#sql.lastCompaction.get(eventRowId(pk, 0), eventRowId(pk, nextSeq));
    if (row === undefined) return;
    const body = JSON.parse(row.body) as Extract<EventBody, { type: "compaction" }>;
    if (body.tokensAfter !== null) return;
    const json = JSON.stringify({ ...body, tokensAfter });
    const event = query(this.#archive.sqlite, EVENT_ROW, `FROM events WHERE id = ?`).get(row["id"]);
    this.#sql.setBody.run(json, eventChecksum({ ...(event as EventColumns), body: json }), row["id"]);
  }

  #count(draft: EventDraft): void {
    const { session } = this;
    const { counters } = session;
    const { body } = draft;
    counters.events[body.type] = (counters.events[body.type] ?? 0) + 1;
    if (body.type === "compaction" && body.kind === "full") counters.compactedAt = draft.ts ?? counters.compactedAt;
    countState(session, body);
  }
}

function insertEvent(sql: Statements, row: EventColumns, body: string): void {
  const { json, checksum } = summed(row, body);
  sql.insertEvent.run(
    row.id,
    row.type,
    row.ts,
    row.turn,
    row.call,
    row.toolCallId,
    row.toolName,
    row.recordKey,
    row.keyed,
    row.bytes,
    row.digest,
    row.artifact,
    row.category,
    row.label,
    row.extraTokens,
    row.startsTurn,
    row.synthetic,
    row.byteStart,
    row.byteEnd,
    json,
    checksum,
  );
}

/** An input that is nested too deep to be shown or sent as a value goes on as its text. */
function asShown(draft: EventDraft, text: string): EventDraft {
  const { body } = draft;
  if (body.type !== "tool_call" || text.length < LEVELS || !isDeep(body.input)) return draft;
  return { ...draft, body: { ...body, input: text } };
}

/** What is found of an event, where it is not its text as it is. */
function searchText(body: EventBody, text: string, isMore: boolean): Uint8Array | null {
  if (body.type !== "tool_call" && !isMore && text.length <= LIMITS.searchChars) return null;
  const whole = body.type === "tool_call" ? `${body.toolName} ${text}` : text;
  return JSON_TEXT.encode(whole.length > LIMITS.searchChars ? whole.slice(0, LIMITS.searchChars) : whole);
}

/** The first bytes of a kept output, cut at a character and, where one is near, at a line end. */
function headOf(text: string): string {
  if (text.length <= LIMITS.previewBytes) return text;
  const head = text.slice(0, LIMITS.previewBytes);
  const line = head.lastIndexOf("\n");
  const cut = line > LIMITS.previewBytes / 2 ? head.slice(0, line + 1) : head;
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
