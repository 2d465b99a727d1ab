import { Globe } from "lucide-react";
import { SafeText } from "../../ui/safe-text.tsx";
import { Output } from "../capped-text.tsx";
import { field } from "../view.ts";
import type { ToolBodyProps, ToolView } from "./tool-view.ts";

export const web: ToolView = {
  icon: Globe,
  Body: Web,
};

function Web({ call, result, open, toggle }: ToolBodyProps) {
  const prompt = field(call.body.input, "prompt");
  return (
    <>
      {prompt !== "" && (
        <p className="truncate text-12 text-ink-3">
          <SafeText text={prompt} />
        </p>
      )}
      {call.body.hosted && <p className="text-12 text-ink-3">Run by the provider; its result is inside the answer.</p>}
      {result && <Output event={result} lines={4} open={open} toggle={toggle} />}
    </>
  );
}
