import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  readDeliveries,
  removeWebhook,
  testWebhook,
} from "#lib/archive/settings/webhooks.ts";
import {
  webhookKind,
  WEBHOOK_KINDS,
  type AddWebhookRequest,
  type ChangeWebhookRequest,
  type DeliveriesAnswer,
  type SavedWebhook,
  type WebhookDelivery,
  type WebhookKind,
  type WebhookRow,
} from "#lib/wire/webhooks-schema.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { requireMachine } from "./node-cache.ts";
import { reading, writing } from "./open-archive.ts";
import { oneLine, plain, printJson, table } from "./print.ts";

/** Where the webhooks are: in an archive, or in the database of a fleet. */
export type WebhookStore = {
  list(): Promise<readonly WebhookRow[]>;
  add(request: AddWebhookRequest): Promise<SavedWebhook>;
  change(webhook: string, request: ChangeWebhookRequest): Promise<SavedWebhook>;
  remove(webhook: string): Promise<WebhookRow>;
  test(webhook: string): Promise<WebhookDelivery>;
  deliveries(webhook: string): Promise<DeliveriesAnswer>;
};

/** The words of a command, and where its webhooks are. */
type Asked = { readonly words: Words; readonly store: WebhookStore; readonly command: string };

const ACTIONS: Readonly<Record<string, (asked: Asked, webhook: string, url: string) => Promise<number | void>>> = {
  add,
  change,
  remove,
  test,
  log,
};

export const run: Run = async (words) => {
  requireMachine(words, "webhooks");
  return runWebhooks(words, words.args, ofArchive(words), "plimsoll webhook");
};

export function runWebhooks(
  words: Words,
  [action = "", webhook, url]: readonly string[],
  store: WebhookStore,
  command: string,
): Promise<number | void> {
  const asked = { words, store, command };
  if (action === "list" && webhook === undefined) return list(asked);
  const found = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (found === undefined)
    throw new WrongWords(`${command} takes add, list, change, remove, test or log, not "${action}".`);
  if (webhook === undefined) throw new WrongWords(`${command} ${action} needs the webhook's name.`);
  if (action === "add" && url === undefined) throw new WrongWords(`${command} add needs a name and an address.`);
  if (action !== "add" && url !== undefined)
    throw new WrongWords(`Unexpected argument "${url}" for ${command} ${action}.`);
  return found(asked, webhook, url ?? "");
}

const ofArchive = (words: Words): WebhookStore => ({
  list: () => reading(words, async (archive) => listWebhooks(archive)),
  add: (request) => writing(words, "webhook-add", request, (archive) => addWebhook(archive, request)),
  change: (webhook, request) =>
    writing(words, "webhook-change", { webhook, ...request }, (archive) => changeWebhook(archive, webhook, request)),
  remove: (webhook) => writing(words, "webhook-remove", { webhook }, (archive) => removeWebhook(archive, webhook)),
  test: (webhook) => writing(words, "webhook-test", { webhook }, (archive) => testWebhook(archive, webhook)),
  deliveries: (webhook) => reading(words, async (archive) => readDeliveries(archive, webhook)),
});

async function add({ words, store }: Asked, name: string, address: string): Promise<void> {
  const { url: _, ...shared } = sharedIn(words);
  const secret = textOption(words, "secret");
  const request: AddWebhookRequest = {
    kinds: [...WEBHOOK_KINDS],
    ...shared,
    name,
    url: address,
    ...(secret !== undefined && { secret }),
  };
  const saved = await store.add(request);
  if (words.options["json"] === true) return printJson(saved);
  console.log(saved.secret);
  console.error(`${sentenceOf(saved)} The secret above is shown once.`);
}

async function change({ words, store, command }: Asked, webhook: string): Promise<void> {
  const name = textOption(words, "name");
  const enabled = yesOrNo(words, "enabled");
  const request: ChangeWebhookRequest = {
    ...sharedIn(words),
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled }),
    ...(words.options["new-secret"] === true && { newSecret: true }),
  };
  if (Object.keys(request).length === 0) throw new WrongWords(`${command} change needs an option with a change.`);
  const saved = await store.change(webhook, request);
  if (words.options["json"] === true) return printJson(saved);
  if (saved.secret !== null) console.log(saved.secret);
  console.error(sentenceOf(saved));
}

async function remove({ words, store }: Asked, webhook: string): Promise<void> {
  const row = await store.remove(webhook);
  if (words.options["json"] === true) return printJson(row);
  const waited = row.waiting === 0 ? "" : `, with ${row.waiting} that waited`;
  console.log(`Removed ${plain(row.name)}${waited}.`);
}

/** 1 where it did not arrive. */
async function test({ words, store }: Asked, webhook: string): Promise<number> {
  const sent = await store.test(webhook);
  if (words.options["json"] === true) printJson(sent);
  else if (sent.state === "delivered") console.log(`Delivered: ${sent.status}.`);
  else console.error(`Not delivered. ${sent.error ?? ""}`);
  return sent.state === "delivered" ? 0 : 1;
}

async function list({ words, store, command }: Asked): Promise<void> {
  const webhooks = await store.list();
  if (words.options["json"] === true) return printJson({ webhooks });
  if (webhooks.length === 0) return console.log(`No webhooks. Add one: ${command} add NAME URL`);
  const rows = webhooks.map((row) => [
    oneLine(row.name, 30),
    row.enabled ? "on" : "off",
    row.kinds.join(","),
    row.titles ? "yes" : "no",
    String(row.waiting),
    row.last === null ? "–" : `${row.last.state} ${row.last.at.slice(0, 16).replace("T", " ")}`,
    oneLine(row.url, 80),
  ]);
  console.log(
    table(["name", "state", "on", "titles", "waiting", "last", "address"], rows, new Set([0, 1, 2, 3, 5, 6])),
  );
}

async function log({ words, store }: Asked, webhook: string): Promise<void> {
  const answer = await store.deliveries(webhook);
  if (words.options["json"] === true) return printJson(answer);
  if (answer.deliveries.length === 0) return console.log("Nothing was sent yet.");
  const rows = answer.deliveries.map((row) => [
    (row.sentAt ?? row.createdAt).slice(0, 19).replace("T", " "),
    row.type,
    row.session ?? "–",
    row.state,
    String(row.attempts),
    row.status === null ? "–" : String(row.status),
    row.error ?? "",
  ]);
  console.log(
    table(["time", "type", "session", "state", "attempts", "status", "error"], rows, new Set([0, 1, 2, 3, 6])),
  );
}

function sharedIn(words: Words): { kinds?: WebhookKind[]; url?: string; titles?: boolean } {
  const on = textOption(words, "on");
  const url = textOption(words, "url");
  const titles = yesOrNo(words, "titles");
  return {
    ...(on !== undefined && { kinds: kindsIn(on) }),
    ...(url !== undefined && { url }),
    ...(titles !== undefined && { titles }),
  };
}

function kindsIn(text: string): WebhookKind[] {
  return text.split(",").map((word) => {
    const kind = webhookKind.safeParse(word.trim());
    if (!kind.success) throw new WrongWords(`--on takes ${WEBHOOK_KINDS.join(", ")}, not "${word.slice(0, 40)}".`);
    return kind.data;
  });
}

function yesOrNo(words: Words, name: string): boolean | undefined {
  const value = textOption(words, name);
  if (value === undefined) return undefined;
  if (value !== "yes" && value !== "no")
    throw new WrongWords(`--${name} takes yes or no, not "${value.slice(0, 40)}".`);
  return value === "yes";
}

const sentenceOf = ({ name, url, kinds, enabled, local }: SavedWebhook): string =>
  `${plain(name)} is ${enabled ? "on" : "off"}: ${kinds.join(", ")} to ${plain(url)}.${local ? "" : " What is sent leaves this machine."}`;
