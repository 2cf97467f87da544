/** The rules about requests: where calls go and how, what the API demands for them and answers, and what it says of their future. */

import { breakingRule, type CataloguedRule } from "../../generator/core/breaking-rule.js";
import { opValueMessage, valueOrNothing } from "./messages.js";

/** Rules about requests by their codes. */
export const REQUEST_RULES = {
  "request-host-changed": breakingRule(
    "error",
    "wire",
    "calls go to another host, port or scheme, which gets the credentials of the op",
    opValueMessage("address"),
    ["", "https://api.example.com", "https://api.example.net", "; it gets bearer ${API_TOKEN}"],
  ),
  "request-program-changed": breakingRule(
    "error",
    "wire",
    "a server is another program, which gets the credentials of the op; a warning where its version alone changed",
    opValueMessage("program"),
    ["", "npx -y tasks-mcp", "npx -y other-mcp", "; it gets env API_TOKEN: ${API_TOKEN}"],
  ),
  "request-path-changed": breakingRule(
    "warning",
    "wire",
    "calls go to another path of the same host",
    opValueMessage("path"),
    ["", "/v1/tasks", "/v2/tasks"],
  ),
  "request-method-changed": breakingRule(
    "warning",
    "wire",
    "calls use another method; an error where a method that only reads became another one",
    opValueMessage("method"),
    ["", "PUT", "PATCH"],
  ),
  "request-auth-changed": breakingRule(
    "warning",
    "wire",
    "other credentials or settings go along",
    opValueMessage("what goes along"),
    ["", "bearer ${API_TOKEN}", "basic ${USER}:${PASSWORD}"],
  ),
  "request-argument-changed": breakingRule(
    "warning",
    "wire",
    "an argument is sent in another place, under another name or in another style",
    (f) => `${f.at} was sent as ${valueOrNothing(f.before)}, is sent as ${valueOrNothing(f.after)}`,
    ["tags", "query", "query pipeDelimited"],
  ),
  "request-body-changed": breakingRule("warning", "wire", "the body has another media type", opValueMessage("body"), [
    "",
    "application/json",
    "application/x-www-form-urlencoded form",
  ]),
  "request-accept-changed": breakingRule(
    "warning",
    "wire",
    "another media type is asked for",
    opValueMessage("media type of the result"),
    ["", "JSON", "application/xml"],
  ),
  "security-added": breakingRule(
    "error",
    "wire",
    "an op demands credentials that it did not demand",
    opValueMessage("security"),
    ["", "", "bearer"],
  ),
  "security-widened": breakingRule(
    "error",
    "wire",
    "an op demands other credentials or more scopes",
    opValueMessage("security"),
    ["", "oauth2 login: read", "oauth2 login: read write"],
  ),
  "security-narrowed": breakingRule("info", "wire", "an op demands less", opValueMessage("security"), [
    "",
    "oauth2 login: read write",
    "oauth2 login: read",
  ]),
  "result-answer-added": breakingRule(
    "warning",
    "code",
    "an op has one more success answer, in another form",
    (f) => {
      return `may also answer with ${f.after}, in a form that the result does not describe`;
    },
    ["", "", "202"],
  ),
  "result-answer-changed": breakingRule(
    "warning",
    "code",
    "a further success answer has another form",
    (f) => {
      return `the further answer ${f.after} has another form`;
    },
    ["", "", "202"],
  ),
  "result-answer-removed": breakingRule(
    "info",
    "code",
    "a further success answer is gone",
    (f) => {
      return `never answers with ${f.before} any more`;
    },
    ["", "202", ""],
  ),
  "sunset-added": breakingRule(
    "warning",
    "agent",
    "an op has a day from which it may be gone",
    (f) => {
      return `${f.at} may be gone from ${f.after} on`;
    },
    ["the op", "", "2027-03-01"],
  ),
  "sunset-sooner": breakingRule(
    "error",
    "agent",
    "an op may be gone sooner than was said",
    (f) => {
      return `${f.at} may be gone from ${f.after} on, not from ${f.before} on`;
    },
    ["the op", "2027-03-01", "2026-12-01"],
  ),
  "sunset-later": breakingRule(
    "info",
    "agent",
    "an op stays longer than was said",
    (f) => {
      return f.after === ""
        ? `${f.at} stays, was said to end on ${f.before}`
        : `${f.at} stays until ${f.after}, not ${f.before}`;
    },
    ["the op", "2027-03-01", "2027-09-01"],
  ),
  "stability-lowered": breakingRule(
    "error",
    "agent",
    "an op is less stable than was said",
    opValueMessage("stability"),
    ["", "beta", "alpha"],
  ),
  "stability-raised": breakingRule("info", "agent", "an op is more stable than was said", opValueMessage("stability"), [
    "",
    "beta",
    "stable",
  ]),
} as const satisfies Readonly<Record<string, CataloguedRule>>;
