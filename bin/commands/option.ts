// What an option of a command takes, and the line of help that says what it does.

export type Option = {
  /** `texts`: may be given more than once. `pairs`: the same, with a name and a value each. */
  readonly kind: "text" | "texts" | "flag" | "pairs";
  /** The value as the help names it; empty for a flag. */
  readonly value: string;
  readonly help: string;
  readonly letter?: string;
};

export const text = (value: string, help: string): Option => ({ kind: "text", value, help });
export const texts = (value: string, help: string): Option => ({ kind: "texts", value, help });
export const pairs = (value: string, help: string): Option => ({ kind: "pairs", value, help });
export const flag = (help: string, letter?: string): Option => ({
  kind: "flag",
  value: "",
  help,
  ...(letter !== undefined && { letter }),
});
