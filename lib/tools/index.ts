// The tools, in the order in which they are shown: ours over artifacts and sessions, then the names of the designs that we
// follow. Being listed is being tested.
import { artifactGrep } from "./artifact-grep.ts";
import { artifactJq } from "./artifact-jq.ts";
import { artifactList, listArtifacts } from "./artifact-list.ts";
import { artifactRead, getArtifact, readFile } from "./artifact-read.ts";
import { artifactStore, storeArtifact } from "./artifact-store-tools.ts";
import { compactPlan } from "./compact-plan.ts";
import { contextAtTool } from "./context-tool.ts";
import type { Tool } from "./define-tool.ts";
import { readSession } from "./read-session.ts";
import { recallTool } from "./recall-tool.ts";
import { searchSessions } from "./search-sessions.ts";
import { whyFull } from "./why-full.ts";

export const TOOLS: readonly Tool[] = [
  artifactStore,
  artifactList,
  artifactRead,
  artifactGrep,
  artifactJq,
  searchSessions,
  readSession,
  whyFull,
  contextAtTool,
  compactPlan,
  recallTool,
  storeArtifact,
  getArtifact,
  listArtifacts,
  readFile,
];
