// Clients of models, for the program that wires them into the archive. None is made before a person set one up.
import type { Summarizers } from "#lib/kernel/model-endpoint.ts";
import { modelSummarizer } from "./model-summarizer.ts";

export const modelSummarizers: Summarizers = { of: (endpoint) => modelSummarizer(endpoint) };
