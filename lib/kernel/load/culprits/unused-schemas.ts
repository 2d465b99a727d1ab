// Tools that stood in every prompt and were never called: an MCP server's together, because that is what can be turned off.
import { fixOf } from "./outputs.ts";
import type { Detector, Suspect, ToolSchema } from "./culprit-types.ts";

export const unusedSchemas: Detector = (session) => {
  const last = session.ledger.calls.length - 1;
  if (last < 0) return [];
  return [...Map.groupBy(session.schemas, ({ server }) => server)].flatMap(([server, tools]): Suspect[] => {
    const unused = tools.filter(({ calls }) => calls === 0);
    const tokens = unused.reduce((sum, tool) => sum + tool.tokens, 0);
    if (tokens <= 0) return [];
    // What the file lists is an item of the ledger; the rest is part of its hidden prefix.
    const listed = unused.flatMap(({ seq }) => seq ?? []);
    return [
      {
        detector: "unused-schemas",
        seq: listed[0] ?? null,
        seqs: listed,
        label: labelOf(server, tools, unused),
        toolName: unused.length === 1 ? unused[0]!.name : null,
        from: 0,
        last,
        tokens,
        confidence: server === null ? 0.6 : unused.length === tools.length ? 0.95 : 0.8,
        lastUsed: null,
        fix: fixFor(server, tools, unused),
        cure: listed.length === unused.length ? { do: "omit", seqs: listed } : { do: "prefix", tokens },
      },
    ];
  });
};

const count = (n: number): string => (n === 1 ? "1 tool" : `${n} tools`);

function labelOf(server: string | null, tools: readonly ToolSchema[], unused: readonly ToolSchema[]): string {
  if (server === null) return `${count(unused.length)} never called`;
  const part = unused.length === tools.length ? count(unused.length) : `${unused.length} of ${count(tools.length)}`;
  return `MCP server ${server}: ${part} never called`;
}

function fixFor(server: string | null, tools: readonly ToolSchema[], unused: readonly ToolSchema[]): string {
  if (server === null) return `Leave out ${count(unused.length)} that nothing called`;
  const name = server.length > 24 ? `${server.slice(0, 23)}…` : server;
  return unused.length === tools.length
    ? fixOf(`Turn off the MCP server ${name}: ${count(tools.length)}, none called`)
    : fixOf(`Allow only ${tools.length - unused.length} of ${name}'s ${count(tools.length)}`);
}
