import { createToken, listTokens, revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { toolOf } from "#lib/tools/run-tool.ts";
import {
  createTokenRequest,
  tokenScope,
  TOKEN_SCOPES,
  type CreatedToken,
  type CreateTokenRequest,
  type PinnedArguments,
  type TokenRow,
} from "#lib/wire/tokens-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { oneLine, plain, printJson, table } from "./print.ts";
import { numberOption, readRequest, textOption, textsOption, WrongWords, type Run, type Words } from "./args.ts";

export const run: Run = (words) => {
  const [action, id] = words.args;
  if (action === "create") return create(words);
  if (action === "list") return list(words);
  if (action === "revoke" && id !== undefined) return revoke(words, id);
  throw new WrongWords(
    action === "revoke"
      ? "plimsoll token revoke needs the token's id."
      : `plimsoll token takes create, list or revoke, not "${action}".`,
  );
};

async function create(words: Words): Promise<void> {
  const scope = tokenScope.safeParse(textOption(words, "scope") ?? "write");
  if (!scope.success) throw new WrongWords(`--scope takes ${TOKEN_SCOPES.join(", ")}.`);
  if ((scope.data === "admin" || scope.data === "telemetry") && textOption(words, "session") !== undefined)
    throw new WrongWords(`--session does not work with --scope ${scope.data}. Use read or write.`);
  const days = numberOption(words, "days", 90);
  if (days > 3650) throw new WrongWords("--days takes at most 3650 (0: never expires).");
  const request: CreateTokenRequest = readRequest(createTokenRequest, {
    name: textOption(words, "name") ?? "agent",
    scope: scope.data,
    session: textOption(words, "session") ?? null,
    days: days === 0 ? null : days,
    arguments: pinnedIn(words),
  });
  const made = await writing<CreatedToken>(words, "token-create", request, (archive) => createToken(archive, request));
  if (words.options["json"] === true) return printJson(made);
  console.log(made.token);
  console.error(`${sentenceOf(made)} It is shown once. Revoke it with: plimsoll token revoke ${made.id}`);
}

/** `--pin TOOL.ARGUMENT=VALUE`: the value as JSON, or as the text that it is. */
function pinnedIn(words: Words): PinnedArguments {
  const pinned: PinnedArguments = {};
  for (const pin of textsOption(words, "pin")) {
    const [, tool, argument, value] = /^([^.=]+)\.([^.=]+)=(.*)$/s.exec(pin) ?? [];
    if (tool === undefined || argument === undefined || value === undefined)
      throw new WrongWords(`--pin takes TOOL.ARGUMENT=VALUE, not "${pin.slice(0, 80)}".`);
    (pinned[toolOf(tool).name] ??= {})[argument] = valueOf(value);
  }
  return pinned;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function list(words: Words): Promise<void> {
  const tokens = await reading(words, listTokens);
  if (words.options["json"] === true) return printJson({ tokens });
  if (tokens.length === 0) return console.log("No tokens. Create one: plimsoll token create");
  const day = (at: string | null): string => at?.slice(0, 10) ?? "–";
  console.log(
    table(
      ["token", "name", "scope", "session", "state", "expires", "last used"],
      tokens.map((row) => [
        row.id,
        oneLine(row.name, 30),
        row.scope,
        row.session ?? "all",
        row.state,
        day(row.expiresAt),
        row.usedAt?.slice(0, 16).replace("T", " ") ?? "never",
      ]),
      new Set([0, 1, 2, 3, 4, 5, 6]),
    ),
  );
}

async function revoke(words: Words, id: string): Promise<void> {
  const row = await writing<TokenRow>(words, "token-revoke", { id }, (archive) => revokeToken(archive, id));
  if (words.options["json"] === true) return printJson(row);
  console.log(`Revoked ${row.id} (${plain(row.name)}).`);
}

const sentenceOf = ({ scope, session, expiresAt }: TokenRow): string =>
  `Scope ${scope}, ${session === null ? "all sessions" : `session ${session}`}, ${expiresAt === null ? "never expires" : `until ${expiresAt.slice(0, 10)}`}.`;
