// What a menu offers. The menu and its layer, which is fetched later, both know it.
import type { ReactNode } from "react";

export type MenuItem = {
  readonly id: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Given: the item is a choice, with a check when it holds. */
  readonly checked?: boolean;
  /** The menu stays open, for several choices in a row. */
  readonly stays?: boolean;
  readonly onPick: () => void;
};
