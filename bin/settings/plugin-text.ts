// Plugins of agents that run them in their own process. Each asks the hook's program about a large text, and takes whatever goes wrong
// for a no: the agent goes on with what its tool returned.

type HookCommand = { readonly words: readonly string[]; readonly cli: string };

const HEAD = (name: string): string =>
  `// Written by \`plimsoll hook install ${name}\`; \`plimsoll hook remove ${name}\` takes it away.`;

/** Texts of fewer bytes are not asked about; agents wait so long for an answer (milliseconds). */
const ASK = ({ words: [program, ...rest] }: HookCommand): string => `import { spawn } from "node:child_process";

/** The envelope of a large output, or null. */
function envelopeOf(call) {
  if (Buffer.byteLength(call.text) <= 4096) return null;
  return new Promise((done) => {
    const child = spawn(${JSON.stringify(program)}, ${JSON.stringify(rest)}, { stdio: ["pipe", "pipe", "ignore"], timeout: 5000 });
    let said = "";
    child.stdout.on("data", (piece) => (said += piece));
    child.stdin.on("error", () => {});
    child.on("error", () => done(null));
    child.on("close", () => {
      try {
        done(JSON.parse(said).text);
      } catch {
        done(null);
      }
    });
    child.stdin.end(JSON.stringify(call));
  });
}`;

export const piExtension = (command: HookCommand): string => `${HEAD("pi")}
${ASK(command)}

export default function (pi) {
  pi.on("tool_result", async (event, context) => {
    const others = event.content.filter(({ type }) => type !== "text");
    const text = event.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\\n");
    const { toolName: tool, toolCallId: call, input, isError, details } = event;
    const session = context.sessionManager.getSessionId();
    const envelope = await envelopeOf({ session, tool, call, input, isError, text, file: details?.fullOutputPath });
    if (envelope === null) return;
    const id = /art_[0-9a-f]+/.exec(envelope)[0];
    const how = \`To read it here, run ${command.cli} read \${id}, or ${command.cli} grep \${id} PATTERN.\`;
    return { content: [{ type: "text", text: \`\${envelope}\\n\${how}\` }, ...others] };
  });
}
`;

export const openCodePlugin = (command: HookCommand): string => `${HEAD("opencode")}
${ASK(command)}

export const Plimsoll = async () => ({
  "tool.execute.after": async ({ tool, sessionID: session, callID: call, args: input }, result) => {
    const blocks = Array.isArray(result.content) ? result.content : null;
    const texts = blocks === null ? [result.output] : blocks.flatMap(({ type, text }) => (type === "text" ? [text] : []));
    const text = texts.join("\\n");
    const file = result.metadata?.outputPath;
    const envelope = await envelopeOf({ session, tool, call, input: input ?? {}, isError: false, text, file });
    if (envelope === null) return;
    if (blocks === null) result.output = envelope;
    else result.content = [{ type: "text", text: envelope }, ...blocks.filter(({ type }) => type !== "text")];
  },
});
`;
