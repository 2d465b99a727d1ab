import { askServer } from "#lib/http/running-server.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { describeTools, runTool, toolOf, type Asker } from "#lib/tools/run-tool.ts";
import { toolAnswer, type ToolAnswer } from "#lib/wire/tools-schema.ts";
import { archiveDir } from "./archive-dir.ts";
import { writingHere } from "./open-archive.ts";
import { asking, askerOf, printAnswer } from "./artifact-questions.ts";
import { plain, printJson } from "./print.ts";
import { type Run, type Words } from "./args.ts";

export const run: Run = async (words) => {
  const [name, json] = words.args;
  if (name === undefined) return list(words);
  const input = inputOf(json);
  const asker = { ...askerOf(words), patience: "agent" as const };
  if (!toolOf(name).writes) return asking(words, (archive) => runTool(archive, name, input, asker));
  return printAnswer(words, await storedByTool(words, name, input, asker));
};

/** Under the writer lock, or by the server that holds it. */
export async function storedByTool(words: Words, name: string, input: unknown, asker: Asker): Promise<ToolAnswer> {
  try {
    return await writingHere(words, (archive) => runTool(archive, name, input, asker));
  } catch (error) {
    if (!isAppError(error) || error.code !== "conflict") throw error;
    const query = asker.session === undefined ? "" : `?session=${encodeURIComponent(asker.session)}`;
    const request = await askServer(archiveDir(words), `/api/tools/${encodeURIComponent(name)}${query}`, input);
    if (request === null) throw error;
    return toolAnswer.parse(request.answer);
  }
}

function inputOf(json: string | undefined): unknown {
  if (json === undefined) return {};
  try {
    return JSON.parse(json);
  } catch (error) {
    return fail("invalid", `The input of a tool is JSON, for example '{"artifact_id": "art_…"}'.`, error);
  }
}

function list(words: Words): number {
  const tools = describeTools();
  if (words.options["json"] === true) printJson({ tools });
  else for (const { name, description } of tools) console.log(`${plain(name)}\n    ${plain(description)}`);
  return 0;
}
