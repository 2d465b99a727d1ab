// At any event of any log a provider is sent a request that it takes, each call with one result.
import fc from "fast-check";
import { contextMessages, type ContextEvent } from "./from-events.ts";
import { render } from "./render.ts";
import { REQUESTS } from "./renderers/testing-schemas.ts";
import type { RendererId } from "./renderers/renderer-types.ts";
import { anyLog } from "./testing-events.ts";

export const requestProperty = (...ids: readonly RendererId[]): fc.IProperty<[ContextEvent[], number, boolean]> =>
  fc.property(anyLog, fc.nat({ max: 21 }), fc.boolean(), (log, seq, asSent) => {
    const messages = contextMessages(log, seq, { asSent });
    for (const id of ids) {
      const { request } = render(messages, id);
      const read = REQUESTS[id]!.safeParse(JSON.parse(JSON.stringify(request)));
      if (!read.success) throw new Error(`${id}: ${read.error.message}\n${JSON.stringify(request, null, 1)}`);
    }
  });
