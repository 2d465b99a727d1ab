// What an agent sent after it was carried on, beside the dry run: each block of the lines that were shown, in order; and what it put
// there by itself. The prompt that was predicted, beside the one that was charged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import { carryOnAnswer, carryOnList, type CarryOnRow } from "#lib/wire/carry-on-schema.ts";
import type { Server } from "../bench/bench-server.ts";
import { compareBlocks, sentBlocks, shownBlocks } from "./carried-blocks.ts";
import { CARRIED, GO_ON } from "./continuation-scenarios.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import { promptParts } from "./charged-usage.ts";
import { ENVELOPE_ID } from "./scripted-model.ts";
import type { Run } from "./run-agent.ts";
import { ask, type ShownSession } from "./run-sessions.ts";

type Json = Readonly<Record<string, unknown>>;

/** Of the real prompt, so much may the predicted one be off. */
const OFF_SHARE = 0.03;

export async function compareCarried(
  server: Server,
  run: Run,
  pairs: readonly Pair[],
  sessions: readonly ShownSession[],
): Promise<Check[]> {
  const { plan, written } = carryOnAnswer.parse(JSON.parse(readFileSync(join(run.paths.home, CARRIED), "utf8")));
  if (written === null) return [check("carried on", "nothing was written", [plan.reason ?? "no reason"])];
  const request = run.requests.find(({ body }) => JSON.stringify(body).includes(GO_ON));
  if (request?.answer == null)
    return [check("carried on", "never resumed", ["no request has the words that were typed"])];
  const text = readFileSync(written.path).subarray(0, written.sizeBytes).toString("utf8");
  const lines = text.trimEnd().split("\n");
  // OpenCode imports a document; the others have a record a line.
  const records = (run.scenario.agent === "opencode" ? [text] : lines).map((one) => JSON.parse(one) as Json);
  const shown = shownBlocks(run.scenario.agent, records);
  const sent = sentBlocks(request);
  const { missing, extra } = compareBlocks(shown, sent);
  const typed = extra.filter((block) => !block.includes(GO_ON));
  const { rows } = carryOnList.parse(await ask(server, "/api/carry-ons"));
  const { predicted, real, entered } = rows.find(({ id }) => id === written.id)!.tokens;
  const off = real === null ? 1 : Math.abs(predicted + (entered ?? 0) - real) / real;
  const summary = plan.summary;
  return [
    check(
      "carried on",
      `${shown.length - missing.length} of ${shown.length} blocks as shown, ${typed.length} of the agent's own`,
      [
        lines.length !== plan.lines.length && `${lines.length} lines were written, ${plan.lines.length} shown`,
        summary !== null &&
          !shown.some((block) => block.includes(JSON.stringify(summary).slice(1, -1))) &&
          "the summary is another",
        missing.length > 0 && `not sent: ${missing.map((block) => block.slice(0, 120)).join(" | ")}`,
      ],
    ),
    check("predicted", `${predicted} + ${entered ?? "?"} of ${real ?? "?"} (${(off * 100).toFixed(2)} % off)`, [
      off > OFF_SHARE && `more than ${OFF_SHARE * 100} % off`,
    ]),
    belongs(written.session.id, request.n, pairs, sessions),
    ...readBack(run),
    ...(run.scenario.name.endsWith("-hook") ? [await hooked(server, written)] : []),
  ];
}

/** What our hook put away after the cut is of the new session alone. */
async function hooked(server: Server, { origin, session }: CarryOnRow): Promise<Check> {
  const of = async (id: string): Promise<number> =>
    (await ask<ArtifactsAnswer>(server, `/api/artifacts?session=${id}`)).hooked?.artifacts ?? 0;
  const [before, after] = [await of(origin.id), await of(session.id)];
  return check("hooked", `${after} of the new session`, [
    after === 0 && "none is of the new session",
    before > 0 && `${before} are of the old one`,
  ]);
}

/** Calls from the first one on, and outputs that came after it, are those of the new session. */
function belongs(id: string, from: number, pairs: readonly Pair[], sessions: readonly ShownSession[]): Check {
  // What the agent asks beside may be of a session of its own.
  const isMain = ({ request, shown }: Pair): boolean => request.lane === "main" && request.n >= from && shown !== null;
  const later = pairs.filter(isMain);
  const elsewhere = later.filter(({ shown }) => shown!.session !== id).map(({ request }) => request.n);
  const own = sessions.find(({ summary }) => summary.id === id);
  const stored = own?.events.filter(({ inherited, stored: one }) => !inherited && one !== null) ?? [];
  return check("continues", `${later.length - elsewhere.length} of ${later.length} calls, ${stored.length} outputs`, [
    own === undefined && "the new session is not shown",
    later.length === 0 && "no call is shown",
    elsewhere.length > 0 && `calls of another session: ${elsewhere.join(", ")}`,
    own !== undefined &&
      own.summary.modelCalls.own < later.length &&
      `${own.summary.modelCalls.own} calls are shown for ${later.length} answers`,
  ]);
}

/** A line of the middle of the output that the scenarios make an envelope of. */
const READ_LINE = "line 150 of a long output";

/** Where the script reads an envelope over MCP, the output stands in what is sent next. */
function readBack({ requests, script }: Run): Check[] {
  if (!JSON.stringify(script.lanes).includes(ENVELOPE_ID)) return [];
  const main = requests.filter(({ lane }) => lane === "main");
  const asked = main.findIndex(({ answer }) =>
    answer?.toolCalls.some(({ tool }) => JSON.stringify(tool.input).includes("art_")),
  );
  const last = asked < 0 ? "" : JSON.stringify(promptParts(main[asked + 1]?.body ?? {}).at(-1) ?? "");
  return [
    check("read back", `${last.length} characters over MCP`, [
      !last.includes(READ_LINE) && `the answer lacks "${READ_LINE}": ${last.slice(0, 200)}`,
    ]),
  ];
}
