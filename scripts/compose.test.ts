// What compose.yaml promises, as text: no container is started here. The lists are as long as the file's.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "#bin/commands/index.ts";

const ROOT = join(import.meta.dirname, "..");
const COMPOSE = readFileSync(join(ROOT, "compose.yaml"), "utf8");
const DOCS = readFileSync(join(ROOT, "docs", "fleet.md"), "utf8");
const NODES = ["node-1", "node-2", "node-3"];

/** Lines below a key, deeper than it. */
function block(text: string, key: string, indent: number): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`${" ".repeat(indent)}${key}:`)) + 1;
  expect(first, `${key}: in compose.yaml`).toBeGreaterThan(0);
  const deeper = " ".repeat(indent + 1);
  const end = lines.findIndex((line, at) => at >= first && line !== "" && !line.startsWith(deeper));
  return lines.slice(first, end === -1 ? undefined : end).join("\n");
}

const keysOf = (text: string, indent: number): string[] =>
  text.split("\n").flatMap((line) => new RegExp(`^ {${indent}}([\\w-]+):`).exec(line)?.[1] ?? []);

const services = block(COMPOSE, "services", 0);
const service = (name: string): string => block(services, name, 2);
const node = block(COMPOSE, "x-node", 0);

const secondsOf = (text: string): number => {
  const [, count, unit] = /^\s+stop_grace_period: (\d+)(s|m)$/m.exec(text)!;
  return Number(count) * (unit === "m" ? 60 : 1);
};

test("three nodes, PostgreSQL and a gateway; the nodes are alike but for their port and volume", () => {
  expect(keysOf(services, 2)).toEqual(["database", "gateway", ...NODES]);
  for (const [at, name] of NODES.entries()) {
    const text = service(name);
    expect(text).toContain("<<: *node");
    expect(text).toContain(`command: ["plimsoll fleet init && exec plimsoll start --no-open --port ${4571 + at}"]`);
    expect(text).toContain(`volumes: ["${name}:/home/node/.local/share/plimsoll"]`);
    expect(DOCS).toContain(String(4571 + at));
  }
  expect(COMMANDS.map(({ name }) => name)).toEqual(expect.arrayContaining(["fleet", "start"]));
});

test("nothing listens on another address than 127.0.0.1", () => {
  expect(service("database")).toContain("listen_addresses=127.0.0.1");
  expect(service("gateway")).toContain('--address, "127.0.0.1:9200"');
  // MinIO's console takes any free port of all addresses.
  expect(service("gateway")).toMatch(/^ +MINIO_BROWSER: "off"$/m);
  expect(COMPOSE).not.toContain("ports:");
});

test("each service has the time that it needs to end, and starts again after the machine did", () => {
  for (const text of [node, service("database"), service("gateway")])
    expect(text).toMatch(/^ +restart: unless-stopped$/m);
  // bin/shutdown.ts: 5 seconds, and whatever closes after them.
  expect(secondsOf(node)).toBeGreaterThanOrEqual(10);
  expect(secondsOf(service("database"))).toBeGreaterThanOrEqual(30);
  expect(secondsOf(service("gateway"))).toBeGreaterThanOrEqual(10);
});

test("services wait for what can be checked, and for none that waits itself", () => {
  expect(keysOf(block(node, "depends_on", 2), 4)).toEqual(["database", "gateway"]);
  expect(node.match(/condition: service_healthy/g)).toHaveLength(2);
  expect(services).not.toContain("depends_on");
  for (const name of ["database", "gateway"]) expect(service(name)).toContain("healthcheck:");
});

test("the image is built once; the others have a version", () => {
  expect(COMPOSE.match(/^ +build:$/gm)).toHaveLength(1);
  expect([...COMPOSE.matchAll(/^ +image: (.+)$/gm)].map(([, name]) => name)).toEqual([
    "plimsoll",
    "docker.io/library/postgres:18",
    "quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z",
  ]);
});

// From 18 on the image has its data in a folder of the version below, and refuses a volume at /var/lib/postgresql/data.
test("the database's volume is where PostgreSQL 18 has its data", () => {
  expect(service("database")).toContain('volumes: ["database:/var/lib/postgresql"]');
});

test("nodes can do no more than they need", () => {
  for (const line of ["read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]'])
    expect(node).toContain(line);
});

test("what the nodes are given is what the services have", () => {
  expect(node).toContain("postgres://plimsoll:${DATABASE_PASSWORD:-only-here}@127.0.0.1:54320/plimsoll");
  expect(service("database")).toContain("POSTGRES_PASSWORD: ${DATABASE_PASSWORD:-only-here}\n");
  expect(service("database")).toContain("port=54320");
  expect(node).toContain("s3+http://plimsoll:${BUCKET_SECRET:-only-here-too}@127.0.0.1:9200/plimsoll");
  expect(service("gateway")).toContain("MINIO_ROOT_PASSWORD: ${BUCKET_SECRET:-only-here-too}\n");
});

// In a container without root, only keep-id lets the user of the image read files of mode 600.
test("the image does not run as root, and its first lines map the person to its user", () => {
  const text = readFileSync(join(ROOT, "Containerfile"), "utf8");
  expect(text).toMatch(/^USER node$/m);
  expect(text).toMatch(/^#   podman run .*--userns keep-id:uid=1000,gid=1000/m);
});
