// What secrets look like. Every pattern takes linear time: it ends where its run of characters ends, so that nothing is
// read twice; what must follow is looked at by `accepts`. No pattern comes from a user.

export type SecretKind =
  | "exact_value"
  | "private_key"
  | "known_token"
  | "json_web_token"
  | "authorization"
  | "url_password"
  | "cookie"
  | "assignment";

export type SecretRule = {
  readonly kind: SecretKind;
  /** In small letters: a text with none of these holds no such secret, whatever its case. Looked for before the pattern. */
  readonly needs?: readonly string[];
  /** Global, with indices: group 1 is the secret. */
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
};

/** Where a token may begin: not inside a word; behind the n of an escaped line end too. */
export const EDGE = String.raw`(?:(?<=\\[nrt])|(?<![A-Za-z0-9]))`;

/** Tokens that say whose they are by how they begin. */
const KNOWN = [
  "gh[pousr]_[A-Za-z0-9]{36,255}",
  "github_pat_[A-Za-z0-9_]{22,255}",
  "gl(?:pat|rt|ptt|dt|soat)-[A-Za-z0-9_-]{20,255}",
  "sk-ant-[A-Za-z0-9_-]{20,255}",
  "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
  "xox[abeoprs]-[A-Za-z0-9-]{10,255}",
  "xapp-[A-Za-z0-9-]{10,255}",
  "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}",
  "whsec_[A-Za-z0-9+/=]{16,255}",
  "AIza[A-Za-z0-9_-]{35}",
  "ya29\\.[A-Za-z0-9_-]{20,2048}",
  "GOCSPX-[A-Za-z0-9_-]{20,64}",
  "npm_[A-Za-z0-9]{36}",
  "pypi-[A-Za-z0-9_-]{50,512}",
  "rubygems_[a-f0-9]{48}",
  "SG\\.[A-Za-z0-9_.-]{32,128}",
  "do[opr]_v1_[a-f0-9]{64}",
  "hf_[A-Za-z0-9]{30,64}",
  "hv[sbr]\\.[A-Za-z0-9_-]{24,512}",
  "gl(?:sa|c)_[A-Za-z0-9_=]{32,512}",
  "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
  "dckr_pat_[A-Za-z0-9_-]{20,64}",
  "lin_api_[A-Za-z0-9]{32,64}",
  "ATATT3[A-Za-z0-9_=-]{50,512}",
  "xkeysib-[a-f0-9]{32,128}",
  "AGE-SECRET-KEY-1[A-Z0-9]{40,80}",
  "figd_[A-Za-z0-9_-]{32,64}",
  "sq0(?:csp|atp)-[A-Za-z0-9_-]{20,64}",
  "PMAK-[a-f0-9-]{40,80}",
  "NRAK-[A-Z0-9]{20,40}",
  // Ours.
  "pl[fm]_[A-Za-z0-9_-]{40,64}",
  // Twilio: an account, a key.
  "(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])",
  // Discord: a bot.
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
  "gsk_[A-Za-z0-9]{40,64}",
  "r8_[A-Za-z0-9]{37,40}",
  "xai-[A-Za-z0-9]{60,100}",
  "pplx-[A-Za-z0-9]{40,64}",
  "sbp_[a-f0-9]{40}",
  "nfp_[A-Za-z0-9]{36,40}",
  "ntn_[A-Za-z0-9]{40,50}",
  "ATBB[A-Za-z0-9]{32}",
  "dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9._-]{40,80}",
  "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}",
  "dapi[a-f0-9]{32}",
  "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,70}",
  "pul-[a-f0-9]{40}",
  "key-[0-9a-f]{32}(?![A-Za-z0-9])",
  "[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])",
].join("|");

export const hasDigit = (text: string): boolean => /[0-9]/.test(text);

/** A value, and no word of a program: a digit, signs, or both cases; no call, no placeholder. */
export function looksSecret(text: string): boolean {
  if (/^(?:\$\{|\{\{|<|%\(|process\.env|os\.environ|env\.)/.test(text)) return false;
  if (/^(.)\1*$/su.test(text)) return false;
  return hasDigit(text) || /[!@#$%^&*+=]/.test(text) || (/[a-z][A-Z]/.test(text) && text.length >= 20);
}

export const NAMES =
  "(?:api|access|secret|private|signing|encryption|account|auth|master|service|storage|license)[_-]?key|" +
  "token|secret|passw(?:or)?d|passphrase|pwd|credential";
const NAME_WORDS = ["key", "token", "secret", "passw", "passphrase", "pwd", "credential"];
/** What may follow in the name: `token_v2`, but not `tokenizer`. */
export const REST = "(?:[_-][A-Za-z0-9_-]{0,32}|[0-9]{1,4})?";
/** Between a name and its value: quotes that may be escaped, and one sign. */
export const IS = String.raw`\\{0,3}["']?\s{0,4}(?:=>|:=|[:=])\s{0,4}`;

export const SECRET_RULES: readonly SecretRule[] = [
  {
    kind: "private_key",
    needs: ["private key"],
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:[A-Za-z0-9+/=\s\\:,.()]|-(?!-))+)/dg,
    accepts: (body) => body.trim() !== "" && body.trim() !== "\\n",
  },
  { kind: "known_token", pattern: new RegExp(`${EDGE}(${KNOWN})`, "dg") },
  {
    kind: "known_token",
    needs: ["sk-"],
    pattern: new RegExp(`${EDGE}(sk-[A-Za-z0-9_-]{20,255})`, "dg"),
    accepts: (token) => hasDigit(token) && /[A-Za-z0-9]{16}/.test(token),
  },
  // A bot of Telegram, which stands behind `/bot` in an address.
  {
    kind: "known_token",
    needs: [":aa"],
    pattern: /(?<![0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/dg,
  },
  {
    kind: "known_token",
    needs: ["hooks.slack.com/"],
    pattern: /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9_/-]{20,200})/dgi,
  },
  {
    kind: "known_token",
    needs: ["/webhooks/"],
    pattern: /\bdiscord(?:app)?\.com\/api(?:\/v[0-9]{1,2})?\/webhooks\/[0-9]{15,21}\/([A-Za-z0-9_-]{40,100})/dgi,
  },
  {
    kind: "json_web_token",
    needs: ["eyj"],
    pattern: /(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)*)/dg,
    accepts: (token) => token.split(".").length >= 3,
  },
  {
    kind: "authorization",
    needs: ["authorization"],
    pattern: new RegExp(
      String.raw`\bauthorization${IS}\\{0,3}["']?(?:basic|bearer|token|apikey|digest)\s{1,4}([A-Za-z0-9._~+/=-]{8,4096})`,
      "dgi",
    ),
  },
  {
    kind: "authorization",
    needs: ["bearer"],
    pattern: /\bbearer\s{1,4}([A-Za-z0-9._~+/=-]{16,4096})/dgi,
    accepts: hasDigit,
  },
  {
    kind: "url_password",
    needs: ["://"],
    pattern: /:\/\/[^\s/:@"'<>\\]{0,128}:([^\s/@"'<>\\…]{1,256})@/dg,
    accepts: (password) => !/^(?:\$|\{|%\(|<|\*+$)/.test(password),
  },
  // `curl -u name:password`; numbers alone are the user and group of a container.
  {
    kind: "url_password",
    needs: ["-u", "--user"],
    pattern: /\s(?:-u|--user)[\s=]\s{0,2}\\{0,3}["']?[^\s:"'\\]{1,128}:([^\s"'\\…]{6,256})/dg,
    accepts: (password) => looksSecret(password) && !/^[\d.]+$/.test(password),
  },
  {
    kind: "assignment",
    needs: ["password"],
    pattern: /\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}([^\s…]{4,256})/dgi,
  },
  {
    kind: "assignment",
    needs: NAME_WORDS,
    pattern: new RegExp(String.raw`(?:${NAMES})${REST}${IS}\\{0,3}"([^\s"\\…]{8,4096})`, "dgi"),
    accepts: looksSecret,
  },
  {
    kind: "assignment",
    needs: NAME_WORDS,
    pattern: new RegExp(String.raw`(?:${NAMES})${REST}${IS}\\{0,3}'([^\s'\\…]{8,4096})`, "dgi"),
    accepts: looksSecret,
  },
  {
    kind: "assignment",
    needs: NAME_WORDS,
    pattern: new RegExp(String.raw`(?:${NAMES})${REST}${IS}([A-Za-z0-9_~+/=!@#$%^&*.-]{8,4096})(?![(\[…])`, "dgi"),
    accepts: (value) => hasDigit(value) && looksSecret(value) && !/^[\d.]+$/.test(value),
  },
];

/** A run that may be base64, its lines joined: what it says is looked through. */
export const BASE64_RUN = /[A-Za-z0-9+/_-]{20,}(?:(?:\\n|\r?\n)[A-Za-z0-9+/_-]+)*={0,2}/dg;

/** A header of cookies: each value in it is a secret. */
export const COOKIE_HEADER = /\b(?:set-)?cookie\\{0,3}["']?\s{0,2}[:=]\s{0,2}\\{0,3}["']?([^\r\n"'\\]{1,8192})/dgi;
export const COOKIE_VALUE = /=([^;\s,…]{8,4096})/dg;
