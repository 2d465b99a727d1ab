// The tools, in the order in which they are shown: ours, then the names of the designs that we follow. Being listed is
// being tested.
import { artifactGrep } from "./artifact-grep.ts";
import { artifactJq } from "./artifact-jq.ts";
import { artifactList, listArtifacts } from "./artifact-list.ts";
import { artifactRead, getArtifact, readFile } from "./artifact-read.ts";
import { artifactStore, storeArtifact } from "./artifact-store-tools.ts";
import type { Tool } from "./define-tool.ts";

export const TOOLS: readonly Tool[] = [
  artifactStore,
  artifactList,
  artifactRead,
  artifactGrep,
  artifactJq,
  storeArtifact,
  getArtifact,
  listArtifacts,
  readFile,
];
