// iFlow CLI writes records of Claude Code's shape. Its sessions have a name that no other agent gives them.
import { asText, type Json } from "../json.ts";

const NAME = /^session-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isIFlowRecord = (record: Json): boolean =>
  NAME.test(asText(record["sessionId"]) ?? "") && "uuid" in record && "message" in record;
