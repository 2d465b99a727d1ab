// Which models read the reasoning of earlier turns again, by the providers' documentation:
// Anthropic, "Extended thinking", Thinking block preservation: from Claude Opus 4.5 on they stay in the context by default,
// in the later models of every size; the API takes them out for earlier ones, so for Sonnet 4.5 and Haiku 4.5.
// OpenAI, "Reasoning models": items of reasoning are discarded when a turn of the person starts.
// It is the model that is called that decides, whatever agent calls it.

/** The first version of each size that keeps the reasoning of earlier turns. */
const KEEPS_FROM: Readonly<Record<string, number>> = { opus: 4.5, sonnet: 4.6, haiku: 4.6 };

/** True when the provider leaves the reasoning of earlier turns out of a prompt to this model. */
export function dropsEarlierReasoning(model: string | null): boolean {
  if (model === null) return false;
  if (/claude/i.test(model)) {
    // Three and before are named the other way round: claude-3-7-sonnet.
    if (/claude-(?:instant|[0-3])\b/i.test(model)) return true;
    const [, size, major, minor] = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i.exec(model) ?? [];
    if (size === undefined) return false;
    return Number(`${major}.${minor ?? 0}`) < (KEEPS_FROM[size.toLowerCase()] ?? 0);
  }
  return /gpt|codex|^o\d/i.test(model);
}
