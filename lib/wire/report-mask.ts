// Which findings a report masks where nobody decides on one singly: the page that asks and the server that writes agree.
import type { PrivateKind } from "#lib/kernel/private-spans.ts";
import type { ReportMask } from "./report-schema.ts";

export const masksKind = (mask: ReportMask, kind: PrivateKind): boolean =>
  mask === "all" || (mask === "secrets" && kind === "secret");
