/** Ops beside the ontology: field information, the web, help about the product. */

import type { ChatToolDefinition } from "toolwright/codegen";
import { FIELD_ENTITIES } from "./backend/model.js";

const DOMAIN = { type: "string", minLength: 1, maxLength: 253 } as const;

export const UTILITY_TOOL_DEFINITIONS = [
  {
    type: "function",
    function: {
      name: "get_field_info",
      description: "Get the fields of an entity type. Each has its type, values, default and the ops that write it.",
      parameters: {
        type: "object",
        properties: {
          entity_type: { type: "string", enum: FIELD_ENTITIES, description: "Entity type." },
          field_name: { type: "string", minLength: 1, maxLength: 60, description: "Only this field." },
        },
        required: ["entity_type"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_buildos_overview",
      description: "Get what BuildOS is and what it holds.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
    },
  },
  {
    type: "function",
    function: {
      name: "get_buildos_usage_guide",
      description: "Get how to work with BuildOS, step by step.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
    },
  },
] as const satisfies readonly ChatToolDefinition[];

/** Ops on the web. */
export const WEB_TOOL_DEFINITIONS = [
  {
    type: "function",
    function: {
      name: "web_search",
      description: "Search the web. Suits facts that are recent or outside the project; web_visit reads a hit.",
      parameters: {
        type: "object",
        properties: {
          query: {
            type: "string",
            minLength: 1,
            maxLength: 500,
            "x-aliases": ["search", "q"],
            description: "What to look for.",
          },
          search_depth: {
            type: "string",
            enum: ["basic", "advanced"],
            default: "basic",
            description: "Advanced looks further and takes longer.",
          },
          max_results: { type: "integer", minimum: 1, maximum: 10, default: 5, description: "Hits at most." },
          include_answer: { type: "boolean", default: true, description: "Add a short answer, where there is one." },
          include_domains: { type: "array", items: DOMAIN, description: "Only these domains." },
          exclude_domains: { type: "array", items: DOMAIN, description: "None of these domains." },
        },
        required: ["query"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "web_visit",
      description: "Read a web page as text. Public addresses only; long pages are cut at max_chars.",
      parameters: {
        type: "object",
        properties: {
          url: {
            type: "string",
            format: "uri",
            pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
            maxLength: 2000,
            example: "https://example.com/",
            description: "Address, http or https.",
          },
          mode: {
            type: "string",
            enum: ["auto", "reader", "raw"],
            default: "auto",
            description: "Reader keeps the main text, raw all of it.",
          },
          max_chars: {
            type: "integer",
            minimum: 1,
            maximum: 12000,
            default: 6000,
            description: "Characters at most.",
          },
          output_format: {
            type: "string",
            enum: ["markdown", "text"],
            default: "markdown",
            description: "Form of the content.",
          },
          include_links: { type: "boolean", default: false, description: "Add the links of the page." },
          allow_redirects: { type: "boolean", default: true, description: "Follow redirects." },
          force_refresh: { type: "boolean", default: false, description: "Pass by caches." },
          prefer_language: {
            type: "string",
            pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$",
            maxLength: 35,
            description: "Language to ask for, such as en or pt-BR.",
          },
        },
        required: ["url"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
