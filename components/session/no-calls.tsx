"use client";
// Load without a model call: what the file does have, and where to see it.
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { useTab } from "../shared/url-state.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatCount } from "../ui/format.ts";

export function NoCalls({ session }: { session: SessionSummary }) {
  const [, setTab] = useTab();
  const events = Object.values(session.events).reduce((sum, count) => sum + count, 0);
  const tools = session.toolCalls + session.hostedToolCalls;
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-6" data-testid="no-calls">
      <Empty
        title="No model calls recorded"
        actions={
          <>
            {events > 0 && <Button onClick={() => void setTab("transcript")}>Open the transcript</Button>}
            {tools > 0 && <Button onClick={() => void setTab("tools")}>Show tool outputs</Button>}
          </>
        }
      >
        Load is drawn from model calls. This session has {formatCount(session.turns, "turn")},{" "}
        {formatCount(events, "event")} and {formatCount(tools, "tool call")}.
        {session.status === "running" && " The chart appears after the first answer."}
      </Empty>
    </div>
  );
}
