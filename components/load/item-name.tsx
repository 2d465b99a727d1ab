// An item's name: its tool, and what it was asked, without the folder that a command ran in.
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { withoutTool } from "../shared/ledger-view.ts";

/** The tool stands apart where the label begins with it; other labels are words of their own. */
function partsOf(label: string, tool: string | null): { tool: string | null; rest: string } {
  const brief = briefLabel(label);
  // Of an MCP server's tool the brief label begins with its name.
  if (brief !== label) return { tool: tool?.startsWith("mcp__") === true ? null : tool, rest: brief };
  const rest = withoutTool(label, tool);
  return { tool: rest === label ? null : tool, rest };
}

/** What a small tile has room for. */
export const restOf = (label: string, tool: string | null): string => partsOf(label, tool).rest || label;

export function ItemName({ label, tool }: { label: string; tool: string | null }) {
  const parts = partsOf(label, tool);
  return (
    <>
      {parts.tool !== null && (
        <span className="max-w-1/2 flex-none truncate text-ink-2">
          <SafeText text={parts.tool} />
        </span>
      )}
      <span className={`min-w-0 truncate ${parts.tool === null ? "" : "mono"}`}>
        <SafeText text={parts.rest} />
      </span>
    </>
  );
}
