/** Words that stand for each other in the search: verbs of a class, nouns of a set, and phrases. */

import { stem } from "./stem.js";
import { classRelation, VERBS_OF } from "./verbs.js";

/** What a word counts that stands for the one of the query: a verb of its class, a noun of its set. */
const VERB_WEIGHT = 0.5;
const NOUN_WEIGHT = 0.6;

/** Nouns of APIs that mean the same or nearly so, a set a line. */
const NOUNS = `repo repository
org organization organisation
company organization business
env environment
config configuration setting preference option
auth authentication
permission authorization privilege right
dir directory folder
file attachment
file document
doc document documentation
image picture photo
avatar picture
msg message
message note
sms text message
mail email
comment note remark
ticket issue
bug issue defect
card ticket
task job todo
member user
teammate member collaborator
account user
person user people
contact person
employee staff worker
customer client buyer
admin administrator
owner assignee
team group crew
dept department division
role group
label tag
category label topic
board project
workspace project
channel room
thread conversation discussion
chat conversation
call meeting conference
event appointment
calendar schedule agenda
reminder notification alert
alarm alert
invoice bill
payment charge
transaction payment
refund reimbursement
payout withdrawal
subscription plan
coupon discount voucher
price cost
fee charge
tax vat
currency money
balance funds
order purchase
product item
cart basket
shop store
shipment delivery
stock inventory
contract agreement
vm instance server machine droplet
machine server host
device phone
db database
table sheet spreadsheet
row record entry
column field attribute property
k8s kubernetes
pod container
cluster kubernetes
volume disk
bucket storage
snapshot backup
network vpc
domain hostname
cert certificate
ssl tls certificate
ip address
chart graph plot diagram
location place position
zone region datacenter
secret credential password
token key
webhook hook
url link uri
site website
page article
post article
article story
story issue
pipeline workflow
action workflow
build run
deployment release rollout
version release revision
commit changeset
diff change patch
pr pull
package library module dependency
vulnerability advisory
policy rule
app application
plugin extension addon
function lambda
log audit
history log
activity event
session login
stat statistic metric analytics
usage consumption
quota limit
info information detail
summary overview
status state
desc description
id identifier
num number
param parameter argument
ref reference
template blueprint
survey form questionnaire
answer response reply
review feedback rating
goal objective target
milestone deadline
sprint iteration
vacancy opening position
candidate applicant
salary wage
video clip movie film
song track music
vehicle car
flight trip
hotel lodging accommodation
lang language locale
translation localization
newest latest recent
current latest
favorite favourite star bookmark`;

/** What a word of a query stands for: stems, and what each counts. */
export type Synonyms = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Stems that stand for each other, with those of a project: a word, and the words that it means. */
export function synonymsWith(own: ReadonlyMap<string, readonly string[]>): Synonyms {
  const all = new Map<string, Map<string, number>>();
  const add = (words: readonly string[], weight: number): void => {
    for (const word of words)
      for (const other of words) {
        if (word === other) continue;
        const known = all.get(word) ?? new Map<string, number>();
        all.set(word, known.set(other, Math.max(weight, known.get(other) ?? 0)));
      }
  };
  for (const verbs of VERBS_OF.values()) add(verbs.map(stem), VERB_WEIGHT);
  for (const line of NOUNS.split("\n")) add(line.split(" ").map(stem), NOUN_WEIGHT);
  for (const [word, meant] of own) for (const one of meant) add([word, one], NOUN_WEIGHT);
  return all;
}

/** The classes of verbs, by stem. */
const CLASSES: ReadonlyMap<string, readonly string[]> = classesByStem();

function classesByStem(): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const [name, verbs] of VERBS_OF)
    for (const verb of new Set(verbs.map(stem))) all.set(verb, [...(all.get(verb) ?? []), name]);
  return all;
}

/** The first of these stems that is a verb. */
export const firstVerb = (stems: readonly string[]): string | undefined => stems.find((one) => CLASSES.has(one));

/** How near two verbs are, as stems: 1 if they are of one class, 0 if their classes are not related. */
export function verbRelation(verb: string, other: string): number {
  const others = CLASSES.get(other) ?? [];
  return Math.max(0, ...(CLASSES.get(verb) ?? []).flatMap((one) => others.map((two) => classRelation(one, two))));
}

/** Verbs of several words, by the word that is read in their place. They are found with `-ing` and `-ed` too. */
const PHRASAL_VERBS: Readonly<Record<string, string>> = {
  approve: "sign off",
  cancel: "call off",
  create: "set up, write up, draw up",
  delete: "get rid of, throw away, throw out, take down, wipe out, clean up, clear out",
  disable: "turn off, switch off",
  enable: "turn on, switch on",
  get: "look up, look at, find out, pull up",
  move: "hand over",
  register: "sign up",
  remove: "take away, take out, take off",
  restore: "bring back, put back, roll back",
  search: "look for",
  send: "hand in, send out, pass on",
  start: "kick off, spin up, fire up",
  stop: "shut down",
  update: "fill in, fill out",
};

/** A verb and its participles: `setting` of `set`, `wiped` of `wipe`. */
function formsOf(verb: string): readonly string[] {
  const [root, vowel] = [verb.replace(/e$/, ""), /^[^aeiou]*[aeiou][bgnpt]$/.test(verb)];
  const base = vowel ? `${root}${root.at(-1)}` : root;
  return [verb, `${base}ing`, `${base}ed`];
}

/** Phrases, and the words that are read in their place. */
const PHRASES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(PHRASAL_VERBS).flatMap(([meant, phrases]) =>
    phrases.split(", ").flatMap((phrase) => {
      const [verb = "", ...rest] = phrase.split(" ");
      return formsOf(verb).map((form) => [[form, ...rest].join(" "), meant] as const);
    }),
  ),
  ["how many", "count"],
  ["pr", "pull request"],
  ["prs", "pull request"],
  ["who am i", "get current user"],
  ...["show", "see", "get", "find", "view", "display", "fetch", "give"].flatMap((verb) => [
    [`${verb} all`, `${verb} list all`] as const,
    [`${verb} me all`, `${verb} list all`] as const,
  ]),
]);

const PHRASE = new RegExp(`\\b(?:${[...PHRASES.keys()].join("|")})\\b`, "g");

/** A text of words in lower case, with other words in place of phrases. */
export const withoutPhrases = (text: string): string => text.replace(PHRASE, (phrase) => PHRASES.get(phrase) ?? phrase);
