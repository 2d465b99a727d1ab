// The thread that holds the indexes of JSON documents: 50 MB take some 200 ms, which nobody else is to wait for.
import { parentPort } from "node:worker_threads";
import { isAppError, type ErrorCode } from "#lib/kernel/errors.ts";
import { answerJson } from "./json-index-task.ts";
import type { JsonAnswer, JsonAsk, JsonFile } from "./json-index-types.ts";

export type ToJsonIndex =
  | { readonly id: number; readonly file: JsonFile; readonly ask: JsonAsk }
  | { readonly id: number; readonly stop: true };

export type FromJsonIndex =
  | { readonly id: number; readonly answer: JsonAnswer }
  | { readonly id: number; readonly failure: { readonly code: ErrorCode; readonly message: string } };

const stopped = new Set<number>();
const say = (message: FromJsonIndex): void => parentPort!.postMessage(message);

parentPort!.on("message", async (message: ToJsonIndex) => {
  const { id } = message;
  if ("stop" in message) {
    stopped.add(id);
    return;
  }
  try {
    say({ id, answer: await answerJson(message.file, message.ask, () => !stopped.has(id)) });
  } catch (error) {
    if (isAppError(error)) say({ id, failure: { code: error.code, message: error.message } });
    else if ((error as NodeJS.ErrnoException).code === "ENOENT")
      say({
        id,
        failure: { code: "not_found", message: "The bytes no longer exist. They may have been deleted." },
      });
    // Anything else ends the thread, and whoever waits is told.
    else throw error;
  } finally {
    stopped.delete(id);
  }
});
