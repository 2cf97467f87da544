/** Settings of ops that clients see as resources and prompts (`expose.resources`, `expose.prompts`). */
import { readTemplate, type UriTemplate } from "../contract/uri-template.js";

/** An entry of `expose.resources` or `expose.prompts`. */
export interface ExposedEntry {
  readonly op: string;
  readonly name?: string;
  readonly description?: string;
  readonly mime?: string;
}

/** The part of `expose` about resources and prompts. */
export interface ExposedConfig {
  readonly resources: Readonly<Record<string, ExposedEntry>>;
  readonly prompts: Readonly<Record<string, ExposedEntry>>;
}

/** An op exposed as a resource. */
export interface ExposedResource extends ExposedEntry {
  /** The address, or the template of several addresses. */
  readonly uri: string;
  readonly template: UriTemplate;
}

/** An op exposed as a prompt. */
export interface ExposedPrompt extends ExposedEntry {
  readonly prompt: string;
}

/** All exposed resources and prompts of a project. */
export interface ExposedResources {
  readonly resources: readonly ExposedResource[];
  readonly prompts: ReadonlyMap<string, ExposedPrompt>;
}

/** Reads the checked configuration; an address without variables is a template of itself. */
export const exposedResourcesOf = ({ resources, prompts }: ExposedConfig): ExposedResources => ({
  resources: Object.entries(resources).map(([uri, entry]) => ({
    ...entry,
    uri,
    template: readTemplate(uri) ?? { texts: [uri], variables: [] },
  })),
  prompts: new Map(Object.entries(prompts).map(([prompt, entry]) => [prompt, { ...entry, prompt }])),
});
