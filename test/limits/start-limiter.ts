import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What stands in front of a service and refuses what is too much. */
export type Limiter =
  /** `zones` and `rules` are directives of its `http` and its `location`. */
  | { readonly program: "nginx"; readonly zones: string; readonly rules: string }
  /** `rules` are lines of its `frontend`; `server` ends that of the service. */
  | { readonly program: "haproxy"; readonly rules?: string; readonly server?: string }
  | { readonly program: "node"; readonly limiter: string; readonly settings: object };

export interface RunningLimiter {
  readonly url: string;
  /** When it answered, in seconds, and with which status. */
  answers(): Promise<readonly { readonly atS: number; readonly status: number }[]>;
  stop(): Promise<void>;
}

interface Surroundings {
  readonly folder: string;
  readonly port: number;
  readonly servicePort: number;
  readonly latencyMs: number;
}

// Debian has both in a folder that only the path of root has.
const programs = { nginx: "/usr/sbin/nginx", haproxy: "/usr/sbin/haproxy", node: process.execPath };

/** Why a limiter cannot be started here; undefined if it can. */
export async function whyMissing({ program }: Limiter): Promise<string | undefined> {
  if (program !== "node") {
    return existsSync(programs[program]) ? undefined : `${program} is not installed`;
  }
  const isThere = (await packages()) !== undefined;
  return isThere ? undefined : "express and limiters for it do not install from npm";
}

let installed: Promise<string | undefined> | undefined;

/** Installs limiters from npm into a folder of their own. */
function packages(): Promise<string | undefined> {
  const install = async () => {
    const folder = await mkdtemp(join(tmpdir(), "limiters-"));
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    const wanted = ["express@5", "express-rate-limit@8", "rate-limiter-flexible@11"];
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...wanted];
    return promisify(execFile)("npm", args, { cwd: folder, timeout: 100_000 }).then(
      () => folder,
      () => undefined,
    );
  };
  installed ??= install();
  return installed;
}

/** Starts a limiter in front of a service that accepts every event after a while. */
export async function startLimiter(limiter: Limiter, latencyMs: number): Promise<RunningLimiter> {
  const folder = await mkdtemp(join(tmpdir(), "limiter-"));
  const service = createHttpServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(202).end(), latencyMs);
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port: servicePort } = service.address() as AddressInfo;
  const port = await freePort();
  const args = await argumentsOf(limiter, { folder, port, servicePort, latencyMs });
  const log = openSync(join(folder, "answers"), "a");
  const errors = openSync(join(folder, "errors"), "a");
  const child = spawn(programs[limiter.program], args, { stdio: ["ignore", log, errors] });
  const exited = once(child, "exit");
  // If the tests are ended by force, nothing else would end it.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(kill, 5000);
    await exited;
    clearTimeout(timer);
    process.removeListener("exit", kill);
    service.closeAllConnections();
    service.close();
  };
  const url = `http://127.0.0.1:${port}`;
  for (let look = 0; !(await isAnswered(url)); look++) {
    if (look === 100 || child.exitCode !== null) {
      await stop();
      throw new Error(await readFile(join(folder, "errors"), "utf8"));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    stop,
    async answers() {
      const text = await readFile(join(folder, "answers"), "utf8");
      return [...text.matchAll(/^(\d+\.\d+) (\d{3})$/gm)].map(([, atS, status]) => {
        return { atS: Number(atS), status: Number(status) };
      });
    },
  };
}

async function argumentsOf(limiter: Limiter, around: Surroundings): Promise<string[]> {
  const { folder, port, latencyMs } = around;
  const file = join(folder, "configuration");
  switch (limiter.program) {
    case "nginx":
      await writeFile(file, nginxFile(limiter, around));
      return ["-p", folder, "-e", "stderr", "-c", file];
    case "haproxy":
      await writeFile(file, haproxyFile(limiter, around));
      return ["-f", file];
    case "node": {
      const program = fileURLToPath(new URL("node-limiter.mjs", import.meta.url));
      const settings = JSON.stringify(limiter.settings);
      const packagesIn = (await packages()) ?? "";
      return [program, packagesIn, limiter.limiter, settings, String(latencyMs), String(port)];
    }
    default:
      return limiter satisfies never;
  }
}

function nginxFile(
  { zones, rules }: Extract<Limiter, { program: "nginx" }>,
  { folder, port, servicePort }: Surroundings,
): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${folder}/pid;
events {}
http {
  log_format answer '$msec $status';
  access_log ${folder}/answers answer;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
  ${zones}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      ${rules}
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

function haproxyFile(
  { rules = "", server = "" }: Extract<Limiter, { program: "haproxy" }>,
  { port, servicePort }: Surroundings,
): string {
  return `global
  log stdout format raw local0
defaults
  mode http
  log global
  log-format "%Ts.%ms %ST"
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout queue 100ms
frontend clients
  bind 127.0.0.1:${port}
  ${rules}
  default_backend service
backend service
  server service 127.0.0.1:${servicePort} ${server}
`;
}

function isAnswered(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(url, (response) => {
      response.resume().once("end", () => resolve(true));
    });
    asked.once("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
