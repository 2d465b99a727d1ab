// Examples of artifact and playground endpoints.
import { NAMES, under, type Examples } from "./example.ts";

const one = under(
  "/api/artifacts/:pointer",
  { pointer: NAMES.artifact },
  {
    "GET ": { title: "Read an artifact's details" },
    "DELETE ": { title: "Delete an artifact" },
    "GET /delete-preview": { title: "Preview deleting an artifact" },
    "GET /history": { title: "Read an artifact's history" },
    "GET /lines": { title: "Read lines", query: { from: "1", count: "100" } },
    "GET /highlight": { title: "Highlight an artifact", query: { language: "json" } },
    "GET /grep": { title: "Search an artifact", query: { pattern: "leak|crack" } },
    "GET /jq": { title: "Run a jq program", query: { program: ".[] | select(.depth < 4) | .pier" } },
    "POST /jq": { title: "Run a long jq program", body: { program: "map(.depth) | add", raw: true } },
    "GET /shape": { title: "Read the shape" },
    "GET /json": { title: "Read JSON tree rows", query: { count: "50" } },
    "GET /json/text": { title: "Read formatted JSON text", query: { from: "0", count: "50" } },
    "GET /json/find": { title: "Search a JSON tree", query: { q: "leak" } },
    "GET /json/location": { title: "Find a JSON path's position", query: { path: ".[1].notes" } },
    "GET /json/below": { title: "List a JSON value's children", query: { at: "0" } },
    "GET /raw": { title: "Download an artifact" },
  },
);

const INPUTS = [{ artifact: NAMES.artifact }];

export const artifactExamples: Examples = {
  "POST /api/artifacts/grep": {
    title: "Search many artifacts",
    body: { artifacts: [NAMES.artifact], pattern: "leak" },
  },
  "GET /api/artifacts": { title: "List artifacts", query: { q: "piers", sort: "size", limit: "20" } },
  ...one,
  "POST /api/playground/jq": { title: "Stream a jq run", body: { program: ".[].pier", inputs: INPUTS } },
  "POST /api/playground/grep": { title: "Stream a search", body: { artifact: NAMES.artifact, pattern: "leak" } },
  "POST /api/playground/probe": { title: "Inspect a program's output", body: { program: ".[0]", inputs: INPUTS } },
  "POST /api/playground/save": {
    title: "Save a run's output as an artifact",
    body: { program: "map(.depth)", inputs: INPUTS, name: "depths" },
    status: 201,
  },
  "GET /api/playground/history": { title: "List runs", query: { who: "all", limit: "20" } },
  "GET /api/playground/programs": { title: "List saved programs" },
  "POST /api/playground/programs": {
    title: "Save a program",
    body: { kind: "jq", name: "Shallow piers", program: "map(select(.depth < 4))", options: {} },
    status: 201,
  },
  "GET /api/playground/programs/:id": { title: "Read a saved program", params: { id: NAMES.program } },
  "DELETE /api/playground/programs/:id": {
    title: "Delete a saved program",
    params: { id: NAMES.program },
    body: {},
  },
};
