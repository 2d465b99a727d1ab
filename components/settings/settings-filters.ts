// What the reader chose on the settings page, as it stands in the URL.
import { parseAsStringLiteral } from "nuqs/server";

export const SECTIONS = ["policy", "models", "calibration", "summarizer", "retention", "tokens", "limits"] as const;
export type Section = (typeof SECTIONS)[number];

export const sectionParsers = { tab: parseAsStringLiteral(SECTIONS).withDefault("policy") };
