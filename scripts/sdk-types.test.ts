// What the renderers make, held against the request types of the providers' SDKs by the compiler. The SDKs are no dependency: they
// are installed once into the cache that the real agents have (docs/decisions/0021-types-of-provider-sdks.md).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { installPackages } from "./agents/install-agent.ts";

const ROOT = join(import.meta.dirname, "..");
const SDKS = ["@anthropic-ai/sdk@1.12.0", "openai@7.57.0", "@google/genai@3.1.0"];

const CHECK = `
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import type { Content, GenerateContentParameters } from "@google/genai";
import { render } from "${ROOT}/lib/kernel/context/render.ts";

const model = "m";
const { request } = render([], "anthropic");
({ model, max_tokens: 1, ...request }) satisfies Anthropic.MessageCreateParams;
({ model, ...render([], "openai-chat").request }) satisfies OpenAI.ChatCompletionCreateParams;
({ model, ...render([], "text").request }) satisfies OpenAI.ChatCompletionCreateParams;
({ model, ...render([], "openai-responses").request }) satisfies OpenAI.Responses.ResponseCreateParams;
const { contents, systemInstruction } = render([], "gemini").request;
contents satisfies Content[];
({ model, contents, config: { systemInstruction } }) satisfies GenerateContentParameters;

// Such a check can fail.
// @ts-expect-error
({ model, ...request }) satisfies OpenAI.ChatCompletionCreateParams;
// @ts-expect-error
({ model, ...render([], "openai-chat").request, max_tokens: 1 }) satisfies Anthropic.MessageCreateParams;
// @ts-expect-error
[{ role: "user", parts: [{ functionCall: "run" }] }] satisfies Content[];
`;

test("each provider's SDK takes what our renderer makes", { timeout: 400_000 }, ({ skip }) => {
  const folderName = `sdks-${SDKS.map((name) => name.slice(name.lastIndexOf("@") + 1)).join("-")}`;
  const installed = installPackages(folderName, ["--ignore-scripts", ...SDKS], "openai/package.json");
  if ("missing" in installed) {
    console.warn(`sdk-types.test.ts: the SDKs' types were NOT held against ours: ${installed.missing}`);
    return skip(installed.missing);
  }
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-sdks-"));
  try {
    symlinkSync(dirname(dirname(installed.path)), join(folder, "node_modules"));
    writeFileSync(join(folder, "check.ts"), CHECK);
    const compilerOptions = { incremental: false, plugins: [], types: [] };
    const project = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [], files: ["check.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
