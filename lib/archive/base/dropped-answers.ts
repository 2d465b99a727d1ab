// Answers that are kept for requests that come again may quote what somebody deletes.
import { command } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";

/** Part of every write that deletes content: that the requests were carried out stays known. */
export function dropAnswers({ sqlite }: Connection): void {
  command(sqlite, "UPDATE idempotency_keys SET answer = NULL WHERE answer IS NOT NULL").run();
}
