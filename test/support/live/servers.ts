/** Real MCP servers from npm that work offline, with the arguments of varied calls. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../../runtime/contract/registry.js";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { npmServer } from "../upstream/npm.js";
import { type ArgumentsOf, type GoodValues, madeArguments, phrase, pick } from "./arguments.js";

/** A server that is called. */
export interface LiveServer {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly argumentsOf: ArgumentsOf;
  /** Calls that wait for their answers at a time; 1: each call may need what the one before did. */
  readonly inFlight: number;
}

/** Numbers of files and folders, so that calls meet different ones. */
const FILES = 40;

/** The four reference servers. @param root an empty folder for what they work on */
export function referenceServers(root: string): readonly LiveServer[] {
  const env = { MEMORY_FILE_PATH: join(root, "memory.jsonl") };
  const files = join(root, "files");
  makeFiles(files);
  return [
    { name: "filesystem", entry: npmServer("filesystem", [files]), argumentsOf: filesystem(files), inFlight: 8 },
    { name: "memory", entry: npmServer("memory", [], { env }), argumentsOf: memory, inFlight: 1 },
    { name: "thinking", entry: npmServer("sequential-thinking"), argumentsOf: madeArguments(THINKING), inFlight: 8 },
    { name: "everything", entry: npmServer("everything"), argumentsOf: everything, inFlight: 8 },
  ];
}

/** Files, and folders of different sizes. */
function makeFiles(root: string): void {
  for (let at = 0; at < FILES; at++) {
    const folder = join(root, `folder${at}`, ...(at % 3 === 0 ? ["inner"] : []));
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < at % 4; file++)
      writeFileSync(join(folder, `note${file}.txt`), `note ${file}\n`.repeat(at));
    writeFileSync(join(root, `file${at}.txt`), `line of ${at}\n`.repeat(1 + (at % 9)));
    writeFileSync(join(root, `dot${at}.png`), Buffer.from([0x89, 0x50, 0x4e, 0x47, at]));
  }
}

const filesystem =
  (root: string): ArgumentsOf =>
  (tool, _schema, at, random) => {
    const file = join(root, `file${at % FILES}.txt`);
    const folder = join(root, `folder${at % FILES}`);
    const all: Readonly<Record<string, JsonObject>> = {
      read_media_file: { path: join(root, `dot${at % FILES}.png`) },
      read_multiple_files: { paths: [file, join(root, `file${Math.floor(random() * FILES)}.txt`)] },
      write_file: { path: join(root, `new${at}.txt`), content: phrase(random) },
      edit_file: { path: file, edits: [{ oldText: `line of ${at % FILES}\n`, newText: phrase(random) }], dryRun: true },
      create_directory: { path: join(root, `made${at}`) },
      list_directory: { path: folder },
      list_directory_with_sizes: { path: folder, sortBy: pick(["name", "size"], random) },
      directory_tree: { path: folder },
      move_file: { source: join(root, `made${at}`), destination: join(root, `moved${at}`) },
      search_files: { path: folder, pattern: `**/*${Math.floor(random() * 4)}*` },
      list_allowed_directories: {},
    };
    return all[tool] ?? { path: file, ...(random() < 0.5 ? { head: 1 + Math.floor(random() * 9) } : {}) };
  };

/** Entities of the graph. */
const ENTITIES = 60;

const memory: ArgumentsOf = (tool, _schema, at, random) => {
  const [name, other] = [`node ${at % ENTITIES}`, `node ${Math.floor(random() * ENTITIES)}`];
  const relations = [{ from: name, to: other, relationType: "follows" }];
  const all: Readonly<Record<string, JsonObject>> = {
    create_entities: { entities: [{ name, entityType: "thing", observations: at % 2 ? ["seen"] : [] }] },
    create_relations: { relations },
    add_observations: { observations: [{ entityName: name, contents: [`seen ${at}`] }] },
    delete_observations: { deletions: [{ entityName: name, observations: [`seen ${at}`] }] },
    search_nodes: { query: name },
    open_nodes: { names: [name, other] },
    delete_relations: { relations },
    delete_entities: { entityNames: [at % 3 === 0 ? name : `none ${at}`] },
    read_graph: {},
  };
  return all[tool];
};

const THINKING: GoodValues = {
  nextThoughtNeeded: (random) => random() < 0.5,
  isRevision: (random) => random() < 0.5,
  needsMoreThoughts: (random) => random() < 0.5,
};

/** Without the tools that download, wait for seconds, or begin to send messages by themselves. */
const everything: ArgumentsOf = (tool, schema, at, random) =>
  /gzip|long-running|simulate|toggle|trigger/.test(tool)
    ? undefined
    : madeArguments({ messageType: ["error", "success", "debug"], resourceId: [1, 2, 3, 4, 5] })(
        tool,
        schema,
        at,
        random,
      );

/** Packages of two more servers, which are not among the dependencies. */
export const FURTHER_PACKAGES = { "@coo-quack/calc-mcp": "2.1.1", "time-mcp": "1.0.6" } as const;

/** The servers of {@link FURTHER_PACKAGES}. @param folderOf where a package is */
export const furtherServers = (folderOf: (name: keyof typeof FURTHER_PACKAGES) => string): readonly LiveServer[] =>
  (
    [
      ["calc", "@coo-quack/calc-mcp", CALC],
      ["time", "time-mcp", TIME],
    ] as const
  ).map(([name, one, good]) => ({
    name,
    entry: { command: process.execPath, args: [join(folderOf(one), "dist", "index.js")], timeout: 60 },
    argumentsOf: madeArguments(good),
    inFlight: 8,
  }));

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Sydney"] as const;
const two = (random: Random, most: number): string => String(1 + Math.floor(random() * most)).padStart(2, "0");
type Random = Parameters<Exclude<GoodValues[string], readonly JsonValue[]>>[0];
const day = (random: Random): string => `20${two(random, 29)}-${two(random, 12)}-${two(random, 28)}`;
const moment = (random: Random): string => `${day(random)} ${two(random, 23)}:${two(random, 59)}:00`;
const number = (random: Random): number => Math.floor(random() * 1000);
const address = (random: Random): string => `10.${two(random, 9)}.${number(random) % 256}.7`.replace(".0", ".");
const version = (random: Random): string => `${number(random) % 9}.${number(random) % 20}.${number(random)}`;

const CALC: GoodValues = {
  "random.min": [0, 1, 5],
  "random.max": [10, 100, 1000],
  "random.charset": ["abcdef", "01"],
  "random.excludeChars": ["l1"],
  "random.length": [8, 12, 20],
  "base64.input": (random) => base64(phrase(random)),
  timezone: ZONES,
  fromTimezone: ZONES,
  toTimezone: ZONES,
  datetime: (random) => moment(random).replace(" ", "T"),
  "datetime.format": ["iso", "date", "time", "full", "short", "yyyy/MM/dd"],
  "math.expression": (random) => `${number(random)} ${pick(["+", "*", "-"], random)} ${number(random)}`,
  date: day,
  date2: day,
  "date.amount": number,
  "regex.pattern": ["[a-z]+", "\\d+", "(\\w)(\\w)", "none at all"],
  "regex.flags": ["g", "i", "gi"],
  "base.value": (random) => String(10 + (number(random) % 2)),
  "base.from": [2, 8, 10, 16],
  "base.to": [2, 8, 10, 16, 36],
  "format_validate.input": (random) =>
    pick(['{"a": 1}', "a,b\n1,2", "<a><b>1</b></a>", "a: 1\nb: [2]", "{", phrase(random)], random),
  "cron_parse.expression": (random) => `${number(random) % 60} ${number(random) % 24} * * *`,
  "cron_parse.count": [1, 3, 5],
  "luhn.number": (random) => pick(["4539578763621486", "79927398713", String(number(random))], random),
  "ip.ip": address,
  "ip.target": address,
  "ip.cidr": (random) => `${address(random)}/${8 + (number(random) % 20)}`,
  color: (random) =>
    pick(["red", "rgb(1, 2, 3)", `#${String(100_000 + number(random))}`, "hsl(120, 50%, 50%)"], random),
  "convert.from": ["m", "km", "cm"],
  "convert.to": ["m", "km", "cm", "mi"],
  "convert.category": ["length"],
  "char_info.char": (random) => phrase(random).charAt(0),
  "jwt_decode.token": (random) => `${base64('{"alg":"none"}')}.${base64(`{"sub":"${number(random)}"}`)}.x`,
  url: (random) => `https://example.com/${number(random)}${pick(["", "?a=1&b=2", "#top"], random)}`,
  version,
  version2: version,
  range: ["^1.0.0", ">=2.1.0", "~3.4.0"],
};

const TIME: GoodValues = { timezone: ZONES, sourceTimezone: ZONES, targetTimezone: ZONES, time: moment, date: day };
