/**
 * The files of `deploy/`: that their tools accept them, as far as those are here, and that they fit each other, the
 * command line and the routes of the server.
 */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { COMMANDS } from "../generator/cli/commands.js";
import { installInto } from "./support/installed.js";
import { freePort } from "./support/ports.js";
import { CHECKOUT, type Json, temporaryFolder } from "./support/project.js";

const text = (name: string): string => readFileSync(join(CHECKOUT, "deploy", name), "utf8");
const STRICT = { strict: true, uniqueKeys: true } as const;

/** What a server gets before it is killed, with the drain that docs/operating.md advises. */
const page = readFileSync(join(CHECKOUT, "docs", "operating.md"), "utf8");
const [, delayMs, graceMs] = /drain: \{ delay_ms: (\d+), grace_ms: (\d+) \}/.exec(page) ?? [];
const DRAIN_S = (Number(delayMs) + Number(graceMs)) / 1000;

/** Instructions of the Dockerfile, by stage. */
const stages = ((): readonly (readonly (readonly [word: string, rest: string])[])[] => {
  const joined = text("Dockerfile")
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "");
  const all = joined
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => [line.split(" ")[0] ?? "", line.slice(line.indexOf(" ") + 1)] as const);
  const starts = all.flatMap(([word], i) => (word === "FROM" ? [i] : []));
  return starts.map((start, i) => all.slice(start, starts[i + 1]));
})();
const [build = [], last = []] = stages;
const of = (stage: typeof last, word: string): readonly string[] =>
  stage.filter(([one]) => one === word).map(([, rest]) => rest);
const command = (word: string): readonly string[] => JSON.parse(of(last, word)[0] ?? "null");
const healthCheck = (): readonly string[] =>
  JSON.parse(/CMD (\[.*\])$/.exec(of(last, "HEALTHCHECK")[0] ?? "")?.[1] ?? "");

const INSTRUCTIONS = "FROM RUN CMD EXPOSE ENV COPY ENTRYPOINT VOLUME USER WORKDIR STOPSIGNAL HEALTHCHECK".split(" ");

describe("Dockerfile", () => {
  test("two stages of known instructions; the last one takes from the first, and builds nothing", () => {
    expect(stages).toHaveLength(2);
    expect(stages.flat().filter(([word]) => !INSTRUCTIONS.includes(word))).toEqual([]);
    expect(of(build, "FROM")).toEqual([`${of(last, "FROM")[0]} AS build`]);
    expect(of(last, "COPY")).toEqual(["--from=build /app ./"]);
    expect(of(last, "RUN").join("\n")).not.toMatch(/\b(?:npm (?:ci|install)|apt|apk|curl)\b/);
    expect(of(last, "RUN").join("\n")).toMatch(/rm -rf .*\/npm\b.*\/npx\b.*\/corepack\b/);
  });

  test("its user is a number other than root, and owns the state directory", () => {
    const [user = ""] = of(last, "USER");
    expect(user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(of(last, "RUN").join("\n")).toContain(`chown ${user} .onetool`);
    expect(of(last, "VOLUME")).toEqual(["/app/.onetool"]);
    expect(last.findIndex(([word]) => word === "USER")).toBeGreaterThan(last.findLastIndex(([word]) => word === "RUN"));
  });

  test("it starts without a shell, which would not pass signals on, and its port is that of the health check", () => {
    const [name = "", ...flags] = command("CMD");
    expect(Object.keys(COMMANDS)).toContain(name);
    expect(flags).toEqual(["--http", "0.0.0.0:8080"]);
    expect(of(last, "EXPOSE")).toEqual(["8080"]);
    expect(healthCheck().join(" ")).toContain("http://127.0.0.1:8080/healthz");
    const { bin } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    expect(command("ENTRYPOINT")).toEqual(["node", `node_modules/toolwright/${bin.toolwright}`]);
  });

  test("what it copies is what .dockerignore lets through", () => {
    const copied = of(build, "COPY").flatMap((one) => one.split(" ").slice(0, -1));
    const passed = text(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"));
    expect(copied.map((one) => `!${one === "*.tgz*" ? "*.tgz" : one}`).sort()).toEqual(passed.sort());
    expect(text(".dockerignore")).toMatch(/^\*$/m);
  });

  test("its commands give a server that is healthy, from the packed package", {
    tags: "full",
    timeout: 300_000,
  }, async () => {
    const root = temporaryFolder();
    installInto(root);
    mkdirSync(join(root, "definitions"));
    writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: [ot]\nsources: []\n");
    const [node = "", program = ""] = command("ENTRYPOINT");
    const run = (...args: readonly string[]) => execFileSync(node, [program, ...args], { cwd: root, encoding: "utf8" });
    run("generate");
    const [, check = ""] = of(build, "RUN");
    execFileSync("sh", ["-c", check], { cwd: root });
    run("keys", "init", "--out", "admin.key");
    const port = String(await freePort());
    const flags = command("CMD").map((one) => one.replace("8080", port));
    const child = spawn(node, [program, ...flags], { cwd: root, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [, ...health] = healthCheck().map((one) => one.replace("8080", port));
    const isHealthy = (): boolean => {
      try {
        execFileSync(node, health, { stdio: "ignore" });
        return true;
      } catch {
        return false;
      }
    };
    await expect.poll(isHealthy, { timeout: 60_000, interval: 500 }).toBe(true);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(isHealthy()).toBe(false);
  });
});

/** The keys that may stand at a place; `true`: anything. */
type Keys = true | { readonly [key: string]: Keys } | readonly [Keys];

function strangers(value: unknown, keys: Keys, path = ""): readonly string[] {
  if (keys === true) return [];
  if (Array.isArray(keys))
    return Array.isArray(value) ? value.flatMap((one, i) => strangers(one, keys[0], `${path}[${i}]`)) : [path];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  const known = keys as Readonly<Record<string, Keys>>;
  return Object.entries(value).flatMap(([key, one]) =>
    Object.hasOwn(known, key) ? strangers(one, known[key] as Keys, `${path}.${key}`) : [`${path}.${key}`],
  );
}

const names = (list: string): Readonly<Record<string, true>> =>
  Object.fromEntries(list.split(" ").map((one) => [one, true]));

const SERVICE: Keys = {
  ...names("build image restart init depends_on environment ports read_only tmpfs volumes cap_drop security_opt"),
  ...names("stop_grace_period command user env_file networks expose labels"),
  deploy: { resources: { limits: names("cpus memory pids"), reservations: names("cpus memory") } },
  healthcheck: names("test interval timeout retries start_period disable"),
};

describe("compose.yaml", () => {
  const file: Json = parse(text("compose.yaml"), STRICT);

  test("has keys of the Compose specification only", () => {
    const services = Object.fromEntries(Object.keys(file.services).map((name) => [name, SERVICE]));
    expect(strangers(file, { services, volumes: true })).toEqual([]);
  });

  test("its parts name each other, and the server has time for its drain", () => {
    const { toolwright, postgres } = file.services as Record<string, Json>;
    expect(Object.keys(toolwright?.depends_on)).toEqual(["postgres"]);
    expect(postgres?.healthcheck.test[0]).toBe("CMD-SHELL");
    const used = [toolwright, postgres].flatMap((one) => one?.volumes.map((volume: string) => volume.split(":")[0]));
    expect(used.sort()).toEqual(Object.keys(file.volumes).sort());
    const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = postgres?.environment ?? {};
    expect(toolwright?.environment.TOOLWRIGHT_STATE).toBe(`postgres://${user}:${password}@postgres:5432/${database}`);
    expect(toolwright?.ports).toEqual(["127.0.0.1:8080:8080"]);
    expect(Number.parseInt(toolwright?.stop_grace_period, 10)).toBeGreaterThan(DRAIN_S);
  });
});

const META: Keys = { name: true, labels: true };
const PROBE: Keys = {
  ...names("periodSeconds timeoutSeconds failureThreshold initialDelaySeconds successThreshold"),
  httpGet: names("path port scheme"),
};
const POD: Keys = {
  ...names("automountServiceAccountToken enableServiceLinks terminationGracePeriodSeconds"),
  securityContext: { ...names("runAsNonRoot runAsUser runAsGroup fsGroup"), seccompProfile: names("type") },
  topologySpreadConstraints: [
    { ...names("maxSkew topologyKey whenUnsatisfiable"), labelSelector: { matchLabels: true } },
  ],
  containers: [
    {
      ...names("name image"),
      ports: [names("name containerPort protocol")],
      envFrom: [{ secretRef: names("name optional") }],
      ...{ startupProbe: PROBE, livenessProbe: PROBE, readinessProbe: PROBE },
      resources: { requests: names("cpu memory"), limits: names("cpu memory") },
      securityContext: {
        ...names("allowPrivilegeEscalation readOnlyRootFilesystem"),
        capabilities: names("drop"),
      },
      volumeMounts: [names("name mountPath readOnly")],
    },
  ],
  volumes: [{ name: true, emptyDir: names("sizeLimit medium") }],
};
/** Versions and kinds with their keys, of the API reference of Kubernetes 1.34. */
const KINDS: Readonly<Record<string, Keys>> = {
  "v1 Secret": { metadata: META, type: true, stringData: true },
  "apps/v1 Deployment": {
    metadata: META,
    spec: {
      replicas: true,
      selector: { matchLabels: true },
      strategy: { type: true, rollingUpdate: names("maxUnavailable maxSurge") },
      template: { metadata: META, spec: POD },
    },
  },
  "v1 Service": { metadata: META, spec: { selector: true, ports: [names("name port targetPort protocol")] } },
  "policy/v1 PodDisruptionBudget": {
    metadata: META,
    spec: { maxUnavailable: true, minAvailable: true, selector: { matchLabels: true } },
  },
};

describe("kubernetes.yaml", () => {
  const documents = parseAllDocuments(text("kubernetes.yaml"), STRICT);
  const objects: readonly Json[] = documents.map((one) => one.toJS());
  const object = (kind: string): Json => objects.find((one) => one.kind === kind) ?? {};

  test("has the kinds and keys of the API only", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(Object.keys(KINDS));
    for (const { apiVersion, kind, ...rest } of objects)
      expect(strangers(rest, KINDS[`${apiVersion} ${kind}`] as Keys, kind)).toEqual([]);
  });

  test("selectors, ports and the secret are those of the pods", () => {
    const { spec, metadata } = object("Deployment");
    const labels = spec.template.metadata.labels;
    const pod = spec.template.spec;
    const [container] = pod.containers;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(object("Service").spec.selector).toEqual(labels);
    expect(object("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
    expect(container.envFrom[0].secretRef.name).toBe(object("Secret").metadata.name);
    expect(object("Service").spec.ports[0].targetPort).toBe(container.ports[0].name);
    expect(container.ports[0].containerPort).toBe(8080);
    expect(container.volumeMounts.map(({ name }: Json) => name)).toEqual(pod.volumes.map(({ name }: Json) => name));
    expect(metadata.name).toBe("toolwright");
    expect(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`).toBe(of(last, "USER")[0]);
  });

  test("probes ask what the server answers, and a pod has time for its drain", () => {
    const { template } = object("Deployment").spec;
    const [{ startupProbe, livenessProbe, readinessProbe }] = template.spec.containers;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: "/healthz", port: "http" },
      { path: "/healthz", port: "http" },
      { path: "/readyz", port: "http" },
    ]);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(DRAIN_S);
    // The pod is out of the service before it stops accepting.
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeLessThan(Number(delayMs) / 1000);
  });
});

describe("toolwright.service", () => {
  const unit = text("toolwright.service");

  test.skipIf(!existsSync("/usr/bin/systemd-analyze"))("systemd has nothing to say about it", () => {
    const told = (file: string): string => {
      const script = 'systemd-analyze verify --man=no "$1" 2>&1; true';
      return execFileSync("sh", ["-c", script, "sh", file], { encoding: "utf8" });
    };
    expect(told(join(CHECKOUT, "deploy", "toolwright.service"))).toBe("");
    // It ends with 0 for misspelt directives too, and only says so.
    const misspelt = join(temporaryFolder(), "toolwright.service");
    writeFileSync(misspelt, unit.replace("ProtectHome", "ProtectHomes"));
    expect(told(misspelt)).toContain("ProtectHomes");
  });

  test("it starts what the package installs, and has time for its drain", () => {
    expect(unit).toContain(`node ${command("ENTRYPOINT")[1]} serve --http 127.0.0.1:8080`);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(DRAIN_S);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
  });
});
