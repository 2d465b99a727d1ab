// The commands, in the order in which the usage shows them. Being listed is being tested.
import { artifacts } from "./artifacts.ts";
import { attach } from "./attach.ts";
import { calibrateCommand } from "./calibrate.ts";
import { cat } from "./cat.ts";
import { checkCommand } from "./check.ts";
import { compactCommand } from "./compact.ts";
import { contextCommand } from "./context.ts";
import { events } from "./events.ts";
import { gc } from "./gc.ts";
import { grep } from "./grep.ts";
import { importCommand } from "./import.ts";
import { jq } from "./jq.ts";
import { loadCommand } from "./load.ts";
import { memoryCommand } from "./memory.ts";
import { migrate } from "./migrate.ts";
import { read } from "./read.ts";
import { recallCommand } from "./recall.ts";
import { session } from "./session.ts";
import { sessions } from "./sessions.ts";
import { show } from "./show.ts";
import { store } from "./store.ts";
import { token } from "./token.ts";
import { tool } from "./tool.ts";
import { undo } from "./undo.ts";
import { whatIfCommand } from "./whatif.ts";
import type { Command } from "./words.ts";

export const COMMANDS: readonly Command[] = [
  importCommand,
  attach,
  sessions,
  show,
  events,
  contextCommand,
  loadCommand,
  whatIfCommand,
  compactCommand,
  undo,
  memoryCommand,
  recallCommand,
  session,
  store,
  artifacts,
  cat,
  read,
  grep,
  jq,
  tool,
  calibrateCommand,
  checkCommand,
  gc,
  token,
  migrate,
];
