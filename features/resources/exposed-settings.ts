/** Settings of ops that clients see as resources and prompts (`expose.resources`, `expose.prompts`). */
import type { ResourceEntry, ResourcesConfig } from "./settings.js";
import { readTemplate, type UriTemplate } from "./uri-template.js";

/** An op exposed as a resource. */
export interface ExposedResource extends ResourceEntry {
  /** The address, or the template of several addresses. */
  readonly uri: string;
  readonly template: UriTemplate;
}

/** An op exposed as a prompt. */
export interface ExposedPrompt extends ResourceEntry {
  readonly prompt: string;
}

/** All exposed resources and prompts of a project. */
export interface ExposedResources {
  readonly resources: readonly ExposedResource[];
  readonly prompts: ReadonlyMap<string, ExposedPrompt>;
}

/** Reads the checked configuration; an address without variables is a template of itself. */
export const exposedResourcesOf = ({ resources, prompts }: ResourcesConfig["expose"]): ExposedResources => ({
  resources: Object.entries(resources).map(([uri, entry]) => ({
    ...entry,
    uri,
    template: readTemplate(uri) ?? { texts: [uri], variables: [] },
  })),
  prompts: new Map(Object.entries(prompts).map(([prompt, entry]) => [prompt, { ...entry, prompt }])),
});
