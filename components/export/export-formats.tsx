// The formats of an export: one line of what each is for.
import { EXPORT_FORMATS, type ExportFormat } from "#lib/wire/export-schema.ts";

export const FORMAT_WORDS: Readonly<Record<ExportFormat, readonly [label: string, about: string]>> = {
  html: ["Report page", "HTML for readers without Plimsoll: verdict, chart, culprits, excerpts."],
  "report-markdown": ["Report text", "Markdown for an issue or a chat: verdict, culprits, excerpts."],
  markdown: ["Transcript", "Markdown: every message, tool call and output, in order."],
  atif: ["ATIF 1.7", "JSON for other tools: steps, tool calls, results, tokens, cost."],
  jsonl: ["Plimsoll session", "JSON lines with all outputs and images; any archive imports them."],
  bundle: ["Bundle", "Zip with files, outputs, memory and family; imports to the same state."],
};

type FormatsProps = { value: ExportFormat; onPick: (format: ExportFormat) => void };

export function ExportFormats({ value, onPick }: FormatsProps) {
  return (
    <fieldset className="overflow-clip rounded-2 border border-line">
      <legend className="sr-only">Format</legend>
      {EXPORT_FORMATS.map((format) => {
        const [label, about] = FORMAT_WORDS[format];
        return (
          <label
            key={format}
            className="flex items-baseline gap-2.5 border-b border-line px-2.5 py-1.25 text-13 last:border-b-0 hover:bg-sunk has-checked:bg-select max-[600px]:flex-wrap max-[600px]:gap-y-0"
          >
            <input
              type="radio"
              name="export-format"
              value={format}
              checked={format === value}
              onChange={() => onPick(format)}
              className="size-3.5 flex-none translate-y-0.5 accent-ink"
            />
            <span className="w-32 flex-none font-medium">{label}</span>
            <span className="min-w-0 text-12 text-ink-2 max-[600px]:basis-full max-[600px]:pl-6">{about}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
