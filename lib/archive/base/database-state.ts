import { scalar } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";

/** Another text after each commit of another connection, and after each row that this one writes. */
export function databaseState({ sqlite }: Pick<Archive, "sqlite">): string {
  const others = scalar(sqlite, "integer", "PRAGMA data_version").get()!;
  return `${others} ${scalar(sqlite, "integer", "SELECT total_changes()").get()!}`;
}
