// A receiver of Plimsoll's webhooks: checks the signature, takes each message once, prints a line.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const seen = new Set();

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const id = request.headers["webhook-id"];
  const timestamp = request.headers["webhook-timestamp"];
  if (!isSigned(id, timestamp, body, request.headers["webhook-signature"] ?? "")) return response.writeHead(401).end();
  // Answer first: what takes long comes after.
  response.writeHead(204).end();
  if (seen.has(id)) return;
  seen.add(id);
  const { type, data } = JSON.parse(body);
  console.log(`${type}: ${data.title ?? data.session ?? data.message}, load ${data.load ?? "unknown"}`);
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log("listening"));

function isSigned(id, timestamp, body, header) {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return header.split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""), "base64");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
