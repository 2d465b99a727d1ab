import type { Command } from "./args.ts";
import { flag, text } from "./option.ts";

/** Stands apart from the other commands, as the status line does: scripts run it often, and it loads nothing else. */
export const USAGE: Command = {
  name: "usage",
  args: ["[PERIOD]"],
  options: {
    since: text("DAY", "first day, 2026-03-09 or 20260309"),
    until: text("DAY", "last day"),
    by: text("GROUP", "a row for each agent, project, model, tool or mcp-server"),
    agent: text("NAME", "only this agent"),
    project: text("FOLDER", "only this project"),
    model: text("NAME", "only this model"),
    timezone: text("ZONE", "days begin at midnight there (default: this system's)"),
    "start-of-week": text("DAY", "monday (default) or sunday"),
    csv: flag("print CSV"),
    days: text("N", "of blocks and unused: the last so many days (default 30)"),
  },
  about: "tokens and cost: daily, weekly, monthly, sessions, blocks of five hours; unused",
  load: () => import("./usage-command.ts"),
};
