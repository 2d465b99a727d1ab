import { GitFork } from "lucide-react";
import Link from "next/link";
import { formatTokens } from "../../ui/format.ts";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { CapLine } from "../event-parts.tsx";
import { LongText } from "../long-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const agent: ToolView = {
  icon: GitFork,
  Body: Agent,
};

/** A sub-agent answers in Markdown; a failure is a message of its tool. */
const isAnswer = (result: NonNullable<ToolBodyProps["result"]>): boolean =>
  !result.body.isError && result.body.text !== "";

function Agent({ call, result, open, toggle }: ToolBodyProps) {
  const kind = field(call.body.input, "subagent_type", "agent_type");
  const prompt = field(call.body.input, "prompt", "message");
  const tokens = result?.body.detail?.agentTokens;
  const child = call.childSession ?? result?.childSession ?? null;
  return (
    <>
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-12 text-ink-3">
        {kind !== "" && <SafeText text={kind} />}
        {tokens !== undefined && <span>{formatTokens(tokens)} tokens of its own</span>}
        {child === null ? (
          <span>Sub-agent transcript not imported</span>
        ) : (
          <Link className="link" href={`/sessions/${child}`}>
            Open its session
          </Link>
        )}
      </p>
      {open && prompt !== "" && (
        <pre className="output mt-1 whitespace-pre-wrap text-ink">
          <SafeText text={prompt} badge />
        </pre>
      )}
      {result && !(open && isAnswer(result)) && <Output event={result} lines={4} open={open} toggle={toggle} />}
      {result && open && isAnswer(result) && (
        <div className="block-rule mt-1">
          <LongText event={result} text={result.body.text} open toggle={toggle} />
          {!result.textCut && <CapLine says={null} open toggle={toggle} />}
        </div>
      )}
    </>
  );
}
