// The same question for another program: a shell with jq, with curl, our command line, a model's tool call. Pure.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JqInput, PlaygroundOptions } from "#lib/wire/playground-schema.ts";
import { shellWord } from "../ui/shell-word.ts";
import type { RunRequest } from "./runner.ts";

export type CopyKind = "jq" | "curl" | "plimsoll" | "mcp";

/** Why it cannot be asked that way; null when it can. */
export function whyNot(kind: CopyKind, { inputs, program }: RunRequest): string | null {
  if (kind === "jq" || kind === "curl") return null;
  if (inputs.some((input) => "text" in input)) return "not available for pasted text";
  if (inputs.length === 0) return "it needs an artifact";
  if (inputs.length > 1) return "it reads one artifact; the jq command reads them all";
  if (kind === "plimsoll" || program.length <= LIMITS.jqProgramChars) return null;
  return `its programs have ${LIMITS.jqProgramChars.toLocaleString("en-US")} characters at most`;
}

export function copyOf(kind: CopyKind, request: RunRequest, origin: string): string {
  if (kind === "jq") return jqOf(request);
  if (kind === "curl") return curlOf(request, origin);
  return kind === "plimsoll" ? plimsollOf(request) : mcpOf(request);
}

/** The bytes come from the archive, so that it runs as it stands. Documents are parted, as jq parts files. */
function jqOf({ program, options, inputs }: RunRequest): string {
  const jq = `jq ${[...words(options), shellWord(guarded(program))].join(" ")}`;
  const [first, ...others] = inputs.map(readOf);
  if (first === undefined) return `${jq} < /dev/null`;
  return others.length === 0 ? `${first} | ${jq}` : `{ ${[first, ...others].join("; echo; ")}; } | ${jq}`;
}

const readOf = (input: JqInput): string =>
  "artifact" in input ? `plimsoll cat ${shellWord(input.artifact)}` : `printf '%s\\n' ${shellWord(input.text)}`;

/** Of the pieces that the door answers: the output; and beside it why there is none, or no more of it. */
const TOLD = [
  'if .type == "output" then .text',
  'elif .error // .failure then "\\((.error // .failure).message)\\n" | stderr | empty',
  'elif .isCut then "Cut: jq wrote \\(.outputBytes) bytes.\\n" | stderr | empty',
  "else empty end",
].join(" ");

function curlOf(request: RunRequest, origin: string): string {
  // One line of JSON in a here-document: a word of a command line is 128 KB at most on Linux.
  return [
    `curl -sS -H "Authorization: Bearer $PLIMSOLL_TOKEN" -H 'content-type: application/json' --data-binary @- ${shellWord(`${origin}/api/playground/jq`)} <<'PLIMSOLL' | jq -j ${shellWord(TOLD)}`,
    JSON.stringify({ ...request, deadlineMs: LIMITS.jqLongMs, outputBytes: LIMITS.jqSavedBytes }),
    "PLIMSOLL",
  ].join("\n");
}

function plimsollOf({ program, options, inputs }: RunRequest): string {
  const refs = inputs.flatMap((input) => ("artifact" in input ? [shellWord(input.artifact)] : []));
  // A value a line is its own way, for programs that read on.
  const layout = options.compact ? [] : ["--pretty"];
  return ["plimsoll jq", ...words(options), ...layout, ...refs, shellWord(guarded(program))].join(" ");
}

function mcpOf({ program, options, inputs }: RunRequest): string {
  const [input] = inputs;
  return JSON.stringify(
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "artifact_jq",
        arguments: {
          artifact_id: input !== undefined && "artifact" in input ? input.artifact : "",
          expression: program,
          ...(options.raw && { raw_output: true }),
          ...(options.slurp && { slurp: true }),
          ...(options.nullInput && { null_input: true }),
          ...(options.sortKeys && { sort_keys: true }),
          ...(!options.compact && { compact: false }),
          ...(Object.keys(options.args).length > 0 && { args: options.args }),
          ...(Object.keys(options.jsonArgs).length > 0 && { json_args: options.jsonArgs }),
        },
      },
    },
    null,
    2,
  );
}

function words(options: PlaygroundOptions): string[] {
  const flags = [
    options.raw && "r",
    options.slurp && "s",
    options.nullInput && "n",
    options.compact && "c",
    options.sortKeys && "S",
  ].filter((letter) => letter !== false);
  const named = (option: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([name, value]) => [option, name, shellWord(value)]);
  return [
    ...(flags.length > 0 ? [`-${flags.join("")}`] : []),
    ...named("--arg", options.args),
    ...named("--argjson", options.jsonArgs),
  ];
}

/** A program that begins with a minus would be read as an option. */
const guarded = (program: string): string => (program.startsWith("-") ? ` ${program}` : program);
