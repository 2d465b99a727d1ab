import { shownText } from "#lib/kernel/hidden-text.ts";
import { toolSummary } from "#lib/kernel/log/tool-summary.ts";
import { useInspect } from "./inspect-context.ts";
import { Badge } from "../ui/badge.tsx";
import { formatBytes, formatCount, formatDuration } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { countChanges, diffOfHunks } from "./diff.ts";
import { toolView } from "./tools/index.ts";
import { TwoTruths } from "./two-truths.tsx";
import { hasMoreStored, type EventOf, type ViewProps } from "./view.ts";
import { EventHead } from "./event-parts.tsx";

/** A tool call and its result, one block: icon, tool, argument … status, lines, bytes, duration. */
export function ToolCallEvent({ event, result, open, toggle }: ViewProps<"tool_call">) {
  const { icon: Icon, Body } = toolView(event.body.toolName);
  const isPreview = result?.saw === "preview";
  return (
    <div>
      <EventHead>
        <Icon size={14} className="flex-none text-ink-2" aria-hidden="true" />
        <span className="max-w-1/2 flex-none truncate font-medium" title={shownText(event.body.toolName)}>
          <SafeText text={event.body.toolName} />
        </span>
        <span className="mono min-w-0 truncate">
          <SafeText text={toolSummary(event.body.toolName, event.body.input)} />
        </span>
        {result && isPreview && (
          <Badge title="The model saw less than what came out">
            {hasMoreStored(result) ? "offloaded" : "cut short"}
          </Badge>
        )}
        <Facts event={event} result={result} />
      </EventHead>
      {result && isPreview ? (
        <TwoTruths event={result} open={open} toggle={toggle} />
      ) : (
        <Body call={event} result={result} open={open} toggle={toggle} />
      )}
    </div>
  );
}

/** Beside the inspector and in it there is room for the name or for these; the inspector says them too. */
const ASIDE = "group-data-inspecting/columns:max-[1700px]:hidden in-[#inspector]:hidden";

type FactsProps = { event: EventOf<"tool_call">; result: EventOf<"tool_result"> | null };

function Facts({ event, result }: FactsProps) {
  const detail = result?.body.detail;
  const changes = detail?.patch ? countChanges(diffOfHunks(detail.patch)) : null;
  const lines = result ? (result.stored?.lineCount ?? (result.textCut ? null : countLines(result.body.text))) : null;
  const duration = event.durationMs ?? detail?.durationMs ?? null;
  return (
    <span className="ml-auto flex flex-none items-center gap-2.5 pl-2 text-12 whitespace-nowrap text-ink-3">
      <Status event={event} result={result} />
      {result && (result.callsResident ?? 0) > 0 && <SentTimes seq={event.seq} result={result} />}
      {changes && (
        <span>
          +{changes.added} −{changes.removed}
        </span>
      )}
      {!changes && lines !== null && lines > 0 && <span>{formatCount(lines, "line")}</span>}
      {!changes && result && <span className={ASIDE}>{formatBytes(result.stored?.sizeBytes ?? result.bytes)}</span>}
      {duration !== null && <span className={ASIDE}>{formatDuration(duration)}</span>}
    </span>
  );
}

/** How many calls carried the result; a click lists them. */
function SentTimes({ seq, result }: { seq: number; result: EventOf<"tool_result"> }) {
  const inspect = useInspect();
  const words = `sent ${result.callsResident}×`;
  const title = `In the prompt of ${result.callsResident} model calls, the first was call ${result.enteredAt}`;
  if (inspect === null)
    return (
      <span className={ASIDE} title={title}>
        {words}
      </span>
    );
  return (
    <button
      type="button"
      className={`${ASIDE} hover:underline`}
      title={`${title}. Click to list them.`}
      onClick={() => inspect(seq, "lifetime")}
    >
      {words}
    </button>
  );
}

/** Errors are inverted ink: weight, not hue. */
export function Status({
  event,
  result,
}: {
  event: EventOf<"tool_call"> | null;
  result: EventOf<"tool_result"> | null;
}) {
  const exit = result?.body.detail?.exitCode;
  return (
    <>
      {result?.body.isError && <Badge tone="error">{exit ? `exit ${exit}` : "error"}</Badge>}
      {result?.body.detail?.interrupted && <Badge tone="error">interrupted</Badge>}
      {event?.status === "pending" && !event.body.hosted && <Badge title="No result yet">pending</Badge>}
      {event?.body.hosted && <Badge title="Run by the provider">hosted</Badge>}
      {result?.synthetic && (
        <Badge title="The agent wrote no result; this closing was added when it was read">closed by import</Badge>
      )}
    </>
  );
}

const countLines = (text: string): number => (text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length);
