/** Places of secrets: environment, file, mounted folder, program; and `secrets check`, which shows no value. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { checkSecrets, printConfig } from "../../../runtime/cli/config.js";
import { secretPlaces } from "../../../runtime/config/secret-sources.js";
import { loadSecrets, maskKnownSecrets, secretsOf } from "../../../runtime/config/secrets.js";
import type { RuntimeConfig } from "../../../runtime/config/settings.js";
import { scrub } from "../../../runtime/contract/scrub.js";
import { stateSettingsIn } from "../../../runtime/gateway/open-project.js";
import { temporaryFolder } from "../../support/project.js";

const NAME = "SECRETS_TEST_ONE";

/** A root with a mounted folder, and a program that knows one secret and counts its questions. */
function rooted() {
  const root = temporaryFolder();
  for (const folder of [".onetool", "mounted"]) mkdirSync(join(root, folder), { mode: 0o700 });
  const count = join(root, "asked");
  writeFileSync(
    join(root, "ask.mjs"),
    `import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(count)}, process.argv[2] + "\\n");
if (process.argv[2] === "${NAME}") console.log("from the program");
else process.exit(1);
`,
  );
  return { root, mounted: join(root, "mounted", NAME), program: `exec: ${process.execPath} ask.mjs {name}` };
}

test("places are asked in order, and a mounted file that changes takes effect at once", () => {
  const { root, mounted, program } = rooted();
  const lookup = secretsOf(root, { from: ["file", "dir: mounted", program] });
  expect(lookup(NAME)).toBe("from the program");
  writeFileSync(mounted, "first\n");
  expect(lookup(NAME)).toBe("first");
  writeFileSync(`${mounted}.new`, "second\r\n");
  renameSync(`${mounted}.new`, mounted);
  expect(lookup(NAME)).toBe("second");
  writeFileSync(join(root, ".onetool", "secrets.yaml"), `${NAME}: from the file\n`, { mode: 0o600 });
  expect(lookup(NAME)).toBe("from the file");
});

test("a number in secrets.yaml is the text that is written", () => {
  const { root } = rooted();
  // Files of a worker share what is masked: no other test has these.
  const written = ["0123", "70918273645546372819", "1e5", "1.50", "0x1F", '"007"'];
  const lines = written.map((value, at) => `N${at}: ${value}\n`).join("");
  writeFileSync(join(root, ".onetool", "secrets.yaml"), `${lines}NONE:\n`, { mode: 0o600 });
  const lookup = secretsOf(root);
  expect(written.map((_, at) => lookup(`N${at}`))).toEqual([...written.slice(0, -1), "007"]);
  expect(lookup("NONE")).toBeUndefined();
});

test("without secrets.from, folders and programs are not asked", () => {
  const { root, mounted } = rooted();
  writeFileSync(mounted, "first");
  expect(secretsOf(root)(NAME)).toBeUndefined();
});

test.each(["../.onetool/secrets.yaml", "a/b", "--help", "", "A B", "."])(
  "no place is asked for the name %j",
  (name) => {
    const { root, program } = rooted();
    writeFileSync(join(root, ".onetool", "secrets.yaml"), "x: y\n", { mode: 0o600 });
    expect(secretsOf(root, { from: ["dir: mounted", program] })(name)).toBeUndefined();
  },
);

test("a folder in place of a file and a program that cannot run are UNAVAILABLE; a long secret is refused", () => {
  const { root, mounted } = rooted();
  mkdirSync(mounted);
  const from = (text: string) => () => secretsOf(root, { from: [text] })(NAME);
  expect(from("dir: mounted")).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  expect(from("exec: no-such-program-here {name}")).toThrow(/no-such-program-here, fails with ENOENT/);
  mkdirSync(join(root, "long"));
  writeFileSync(join(root, "long", NAME), "x".repeat(70_000));
  expect(from("dir: long")).toThrow(/more than 65536 bytes/);
});

/** A program that answers once the file `go` is there, so that a caller that waits for it waits in vain. */
function slow() {
  const root = temporaryFolder();
  writeFileSync(
    join(root, "ask.mjs"),
    `import { appendFileSync, existsSync } from "node:fs";
appendFileSync("asked", process.argv[2] + "\\n");
const timer = setInterval(() => {
  if (!existsSync("go")) return;
  clearInterval(timer);
  console.log("told " + process.argv[2]);
}, 5);
`,
  );
  const config = { secrets: { from: [`exec: ${process.execPath} ask.mjs {name}`], names: [NAME] } };
  const asked = () => readFileSync(join(root, "asked"), "utf8").split("\n").slice(0, -1).sort();
  return { root, config, asked, go: () => writeFileSync(join(root, "go"), "") };
}

test("a server has programs tell the secrets of its configuration at its start, each once for the process", async () => {
  const { root, config, asked, go } = slow();
  go();
  await loadSecrets(root, { ...config, llm: { url: "https://${SECRETS_TEST_HOST}/" } } as object);
  expect(secretsOf(root, config.secrets)(NAME)).toBe(`told ${NAME}`);
  expect(secretsOf(root, config.secrets)("SECRETS_TEST_HOST")).toBe("told SECRETS_TEST_HOST");
  expect(asked()).toEqual(["SECRETS_TEST_HOST", NAME, "TOOLWRIGHT_STATE"]);
});

test.each([{}, { state: { pool: 5 } }])(
  "a server whose programs have no secret for the state database starts with %j, and keeps it in its file",
  async (config) => {
    const root = temporaryFolder();
    const secrets = { from: ["env", `exec: ${process.execPath} -e process.exit(1) {name}`] };
    await loadSecrets(root, { ...config, secrets } as object);
    const start = { root, config: { sources: [], ...config, secrets }, overrides: {} };
    expect(stateSettingsIn(start)).toMatchObject({ url: "" });
  },
);

test("a server never waits for a program: another secret is UNAVAILABLE until the program has told it", async () => {
  const { root, config, asked, go } = slow();
  await loadSecrets(root, { secrets: { from: config.secrets.from }, state: "" } as object);
  const lookup = secretsOf(root, config.secrets);
  expect(() => lookup(NAME)).toThrow(/is being looked up .* call again/);
  expect(() => lookup(NAME)).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  go();
  await vi.waitFor(() => expect(lookup(NAME)).toBe(`told ${NAME}`), 20_000);
  expect(asked()).toEqual([NAME]);
});

test("what a program has told is used until it tells it again, and while it fails", async () => {
  const { root, config, asked, go } = slow();
  go();
  await loadSecrets(root, config);
  const lookup = secretsOf(root, config.secrets);
  writeFileSync(
    join(root, "ask.mjs"),
    'import { appendFileSync } from "node:fs"; appendFileSync("asked", "again\\n"); process.kill(process.pid, "SIGKILL");',
  );
  const later = performance.now() + 3_600_000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(later);
  expect(lookup(NAME)).toBe(`told ${NAME}`);
  clock.mockRestore();
  await vi.waitFor(() => expect(asked()).toContain("again"), 20_000);
  expect(lookup(NAME)).toBe(`told ${NAME}`);
});

test("values from files, folders and programs are masked from then on, those of the environment by their name", () => {
  const { root, mounted } = rooted();
  writeFileSync(mounted, "mounted value 7f3a");
  vi.stubEnv("SECRETS_TEST_TOKEN", "token value 7f3b");
  vi.stubEnv("SECRETS_TEST_REGION", "region value 7f3c");
  writeFileSync(mounted.replace(NAME, "SECRETS_TEST_BASE"), "https://api-7f3d.example.com/v1");
  const lookup = secretsOf(root, { from: ["env", "dir: mounted"] });
  for (const name of [NAME, "SECRETS_TEST_TOKEN", "SECRETS_TEST_REGION", "SECRETS_TEST_BASE"])
    expect(lookup(name)).toBeDefined();
  vi.unstubAllEnvs();
  expect(scrub("mounted value 7f3a, token value 7f3b, region value 7f3c, https://api-7f3d.example.com/v1")).toBe(
    "***, ***, region value 7f3c, https://api-7f3d.example.com/v1",
  );
});

test("what is known at the start is masked before any look-up: files, folders, and names that are listed", async () => {
  const { root, mounted, program } = rooted();
  writeFileSync(mounted.replace(NAME, "SECRETS_TEST_FOLDER"), "folder value 8f3a");
  writeFileSync(mounted.replace(NAME, "SECRETS_TEST_HOME"), "https://api-8f3d.example.com/v1");
  mkdirSync(mounted.replace(NAME, "SECRETS_TEST_SUB"));
  writeFileSync(
    join(root, ".onetool", "secrets.yaml"),
    "SECRETS_TEST_FILE: file value 8f3b\nSECRETS_TEST_NUMBER: 818283848586\nSECRETS_TEST_LIST: [a]\n",
    { mode: 0o600 },
  );
  writeFileSync(join(root, "ask.mjs"), 'console.log("program value 8f3e")');
  vi.stubEnv("SECRETS_TEST_LISTED", "listed value 8f3c");
  vi.stubEnv("SECRETS_TEST_OTHER", "other value 8f3f");
  const from = ["env", "file", "dir: mounted", "dir: not-there", program];
  const secrets = { from, names: ["SECRETS_TEST_LISTED", "SECRETS_TEST_PROGRAM"] };
  maskKnownSecrets(root, secrets);
  const text =
    "folder value 8f3a, file value 8f3b, 818283848586, listed value 8f3c, other value 8f3f, https://api-8f3d.example.com/v1";
  const clean = "***, ***, ***, ***, other value 8f3f, https://api-8f3d.example.com/v1";
  expect(scrub(text)).toBe(clean);
  expect(scrub("program value 8f3e")).toBe("program value 8f3e");
  await loadSecrets(root, { secrets, state: "" } as object);
  expect(scrub("program value 8f3e")).toBe("***");
  vi.unstubAllEnvs();
});

test("a secrets.yaml that cannot be used stops no start", () => {
  const { root } = rooted();
  writeFileSync(join(root, ".onetool", "secrets.yaml"), "A: [", { mode: 0o600 });
  expect(() => maskKnownSecrets(root)).not.toThrow();
});

test.each(["vault", "exec: pass show", "dir:", "env "])("an unknown place is refused: %j", (text) => {
  expect(() => secretsOf(temporaryFolder(), { from: [text] })).toThrow("secrets.from holds");
});

test("secrets check names where each variable comes from, and never its value", () => {
  const { root, mounted, program } = rooted();
  writeFileSync(mounted.replace(NAME, "SECRETS_TEST_TWO"), "hidden value");
  const out: string[] = [];
  const start = (names: readonly string[]) => ({
    root,
    config: {
      sources: [],
      secrets: { from: ["env", "dir: mounted", program] },
      llm: { url: names.map((one) => `\${${one}}`).join("") },
    } as RuntimeConfig,
    overrides: {},
    out: (text: string) => void out.push(text),
    paint: (_: string, text: string) => text,
  });
  expect(checkSecrets(start([NAME, "SECRETS_TEST_TWO"]), {})).toBe(0);
  expect(out.slice(0, 2).join("")).toBe(
    `ok   ${NAME} from a program of secrets.from\nok   SECRETS_TEST_TWO from a folder of secrets.from\n`,
  );
  expect(checkSecrets(start(["SECRETS_TEST_NONE"]), { json: true })).toBe(1);
  expect(JSON.parse(out.at(-1) ?? "")).toMatchObject({
    ok: false,
    secrets: [{ name: "SECRETS_TEST_NONE", from: "missing" }, {}],
  });
  expect(out.join("")).not.toMatch(/hidden value|from the program/);
});

test.each([
  [
    "a program that cannot run",
    "exec: ./nope.sh {name}",
    "cannot be looked up: the program of secrets.from, ./nope.sh, fails with ENOENT.",
  ],
  [
    "a file that others may read",
    "file",
    "is not set, and .onetool/secrets.yaml has mode 0644, so that others may reach it: chmod 600 .onetool/secrets.yaml.",
  ],
  ["a file that is a folder", "dir: folders", "cannot be read: its file in folders is no regular file."],
])("secrets check says why a look-up fails, and so does config: %s", async (_, from, why) => {
  const { root } = rooted();
  writeFileSync(join(root, ".onetool", "secrets.yaml"), "x: y\n", { mode: 0o644 });
  for (const name of ["TOOLWRIGHT_STATE", NAME]) mkdirSync(join(root, "folders", name), { recursive: true });
  const out: string[] = [];
  const say = (text: string): void => void out.push(text);
  const config = { sources: [], secrets: { from: [from] }, llm: { url: `\${${NAME}}` } } as RuntimeConfig;
  const start = { root, config, overrides: {}, out: say, err: say, paint: (__: string, text: string) => text };
  expect(checkSecrets(start, {})).toBe(1);
  expect(out).toEqual([`FAIL ${NAME} ${why}\n`, `FAIL TOOLWRIGHT_STATE ${why}\n`]);
  expect(checkSecrets(start, { json: true })).toBe(1);
  expect(JSON.parse(out.at(-1) ?? "").secrets[0]).toEqual({ name: NAME, from: "failed", why });
  out.length = 0;
  expect(await printConfig({ ...start, faults: async () => [] }, {})).toBe(1);
  expect(out.join("")).toContain(`warning ${NAME} ${why}\n`);
});

test("secrets check lists secrets.names, and fails for one that no place has", () => {
  const { root, program } = rooted();
  const out: string[] = [];
  const check = (names: readonly string[]) => {
    const config = { sources: [], secrets: { from: ["env", program], names }, state: "" } as RuntimeConfig;
    const paint = (_: string, text: string) => text;
    return checkSecrets({ root, config, overrides: {}, out: (text) => void out.push(text), paint }, {});
  };
  expect(check([NAME])).toBe(0);
  expect(check([NAME, "SECRETS_TEST_NONE"])).toBe(1);
  expect(out.slice(-2)).toEqual(["FAIL SECRETS_TEST_NONE not set\n", `ok   ${NAME} from a program of secrets.from\n`]);
});

test.each([
  [{}, "in the environment or in .onetool/secrets.yaml"],
  [{ from: ["dir: /run/secrets"] }, "in the folder /run/secrets"],
  [
    { from: ["env", "dir: a\u001b", "exec: pass show --token x {name}"] },
    "in the environment, in the folder a\\u001b or with the program pass",
  ],
  [{ from: [] }, "nowhere, since secrets.from is empty"],
])("messages say where %j looks", (config, said) => {
  expect(secretPlaces(config)).toBe(said);
  expect(secretsOf(temporaryFolder(), config).places).toBe(said);
});
