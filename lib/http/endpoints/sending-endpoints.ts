// Sending this machine's sessions to a fleet: what is set, a dry run, and how it goes. For a person at the browser alone: what is
// sent leaves this machine.
import { sendingAnswer, sendingPreview, sendingRequest } from "#lib/wire/sending-schema.ts";
import { get, post, put } from "../endpoint.ts";

export const sendingEndpoints = [
  get("/api/sending", { auth: "browser", answer: sendingAnswer, run: ({ app }) => app.sending.read() }),
  put("/api/sending", {
    auth: "browser",
    body: sendingRequest,
    answer: sendingAnswer,
    run: ({ app, body }) => app.sending.save(body),
  }),
  /** Asks the node which objects it lacks; sends nothing, saves nothing. */
  post("/api/sending/preview", {
    auth: "browser",
    body: sendingRequest,
    answer: sendingPreview,
    run: ({ app, body, signal }) => app.sending.preview(body, signal),
  }),
  post("/api/sending/now", { auth: "browser", answer: sendingAnswer, run: ({ app }) => app.sending.sendNow() }),
];
