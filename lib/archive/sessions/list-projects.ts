// The folders that sessions began in, as budgets and filters name them.
import type { Connection } from "#db/connection.ts";
import { scalar } from "#db/statement.ts";

export const listProjects = ({ sqlite }: Connection): string[] =>
  scalar(sqlite, "sessions.cwd!", "SELECT DISTINCT cwd FROM sessions WHERE cwd IS NOT NULL").all();
