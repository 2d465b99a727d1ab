// What the model of the examples in docs/frameworks says: it lists orders, reads the artifact that they became, and answers.
import { hash } from "node:crypto";
import type { Script } from "./agents/script-types.ts";

export const ORDERS = JSON.stringify(
  Array.from({ length: 2000 }, (_, id) => ({ id, year: 2026, total: (id * 37) % 500 })),
);
export const ARTIFACT = `art_${hash("sha256", ORDERS, "hex").slice(0, 16)}`;
export const ANSWER = "Order 473 is the largest.";
export const ORDERS_SCRIPT: Script = {
  lanes: {
    main: [
      { tools: [{ name: "list_orders", input: { year: 2026 } }] },
      { tools: [{ name: "artifact_read", input: { artifact_id: ARTIFACT, start_line: 1, start_char: 0 } }] },
      { text: ANSWER },
    ],
  },
};
