// Each format of an export, as a file whose texts go through a hook.
import { select } from "#db/statement.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { defaultOutputs, isReport, type ExportFormat, type ExportReviewRequest } from "#lib/wire/export-schema.ts";
import { bundleBytes, planBundle } from "../bundle/write-bundle.ts";
import { maskBundle, notSearchedIn, scanBundle } from "../bundle/masked-bundle.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { NOTHING_MASKED } from "../base/masker.ts";
import { maskJsonText } from "../base/mask-json.ts";
import type { TextHook } from "../base/private-findings.ts";
import { exportName, exportSession } from "../sessions/export-session.ts";
import { atifPieces } from "./atif-document.ts";
import { NOTHING, type ExportFile, type ExportTexts } from "./export-file.ts";
import { transcriptPieces } from "./markdown-transcript.ts";
import { reportHtml } from "./report-html.ts";
import { mapTexts, reportParts, type ReportParts } from "./report-parts.ts";
import { reportMarkdown } from "./report-words.ts";

/** `counted`: texts that are not counted yet are, before a report gives figures. */
export type OpenOptions = Omit<ExportReviewRequest, "agents"> & {
  readonly agents?: boolean;
  readonly counted?: boolean;
};

export type OpenedExport = ExportFile & {
  /** Shows all texts to a hook; the bytes that were gone through. Where writing itself would take longer. */
  readonly scan: (hook: TextHook) => AsyncIterable<number>;
  /** The parts of a report. */
  readonly report: ReportParts | null;
};

const ENDINGS = { html: "report.html", "report-markdown": "report.md", markdown: "md", atif: "atif.json" } as const;
const TYPES = {
  html: "text/html; charset=utf-8",
  "report-markdown": "text/markdown; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  atif: "application/json",
} as const;

/** Fails at once where there is no such session, or where this format cannot hold it. */
export async function openExport(archive: Archive, name: string, options: OpenOptions): Promise<OpenedExport> {
  const pk = findSession(archive, name);
  const { format } = options;
  if (format === "bundle") return openBundleExport(archive, name);
  if (format === "jsonl") return scanned({ ...jsonlFile(archive, name), report: null });
  const head = {
    name: `${sessionIdOf(archive, pk)!}.${ENDINGS[format]}`,
    contentType: TYPES[format],
    notSearched: NOTHING,
  };
  if (isReport(format)) {
    const { events, counted } = options;
    const parts = await reportParts(archive, name, { events, ...(counted !== undefined && { counted }) });
    return scanned({ ...head, report: parts, pieces: (texts) => reportPieces(archive, parts, format, texts) });
  }
  const { agents = true, outputs = defaultOutputs(format) } = options;
  const pieces = (texts: ExportTexts): AsyncIterable<Uint8Array> =>
    inPieces((format === "atif" ? atifPieces : transcriptPieces)(archive, pk, { outputs, agents }, texts));
  return scanned({ ...head, report: null, pieces });
}

/** What is written is what a hook is shown. */
function scanned(file: Omit<OpenedExport, "scan">): OpenedExport {
  return {
    ...file,
    scan: async function* (hook) {
      for await (const piece of file.pieces({ hook, masked: null })) yield piece.length;
    },
  };
}

async function* reportPieces(
  archive: Archive,
  parts: ReportParts,
  format: ExportFormat,
  { hook, masked }: ExportTexts,
): AsyncGenerator<Uint8Array> {
  const shown = mapTexts(parts, hook);
  const notes = {
    writtenAt: `${iso(archive.host.now())!.slice(0, 16).replace("T", " ")} UTC`,
    masked: masked?.manifest().sentence ?? NOTHING_MASKED,
  };
  yield Buffer.from(format === "html" ? reportHtml(shown, notes) : reportMarkdown(shown, notes));
}

const MASKED_NOTE = "It was masked when it was exported: its texts differ from the original.";

function jsonlFile(archive: Archive, name: string): Omit<OpenedExport, "scan" | "report"> {
  async function* lines({ hook, masked }: ExportTexts): AsyncGenerator<string> {
    let line = 0;
    for await (const text of exportSession(archive, name)) {
      line++;
      const shown = maskJsonText(text, hook, `Line ${line}`);
      yield line === 1 && masked !== null ? noted(shown) : shown;
    }
  }
  return {
    name: exportName(archive, name),
    contentType: "application/x-ndjson",
    notSearched: imagesOf(archive, findSession(archive, name)),
    pieces: (texts) => inPieces(lines(texts)),
  };
}

/** The header with a note that whoever imports it is shown. */
function noted(header: string): string {
  const value = JSON.parse(header) as { quality?: string[] };
  return `${JSON.stringify({ ...value, quality: [...(value.quality ?? []), MASKED_NOTE] })}\n`;
}

function imagesOf(archive: Archive, pk: number): ExportFile["notSearched"] {
  const images = select(
    archive.sqlite,
    "artifacts",
    ["size"],
    "WHERE session_pk = ? AND deleted_at IS NULL AND content_type LIKE 'image/%'",
  ).all(pk);
  return { files: images.length, sizeBytes: images.reduce((sum, { size }) => sum + size, 0) };
}

function openBundleExport(archive: Archive, name: string): OpenedExport {
  const plan = planBundle(archive, name);
  async function* pieces({ hook, masked }: ExportTexts): AsyncGenerator<Uint8Array> {
    if (masked === null) yield* bundleBytes(plan);
    else yield* bundleBytes(await maskBundle(archive, plan, hook, masked));
  }
  return {
    name: plan.name,
    contentType: "application/zip",
    notSearched: notSearchedIn(archive, plan),
    report: null,
    pieces,
    scan: (hook) => scanBundle(archive, plan, hook),
  };
}
