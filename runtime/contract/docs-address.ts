/** Addresses of the documentation of a pack, for `ot.help` and the documentation site. */

/** The folder of a pack under the base address. */
export const docsFolder = (pack: string, slugs: ReadonlyMap<string, string>): string =>
  slugs.get(pack) ?? encodeURIComponent(pack);

/** The address of a folder under the base address. */
export const docsUrl = (base: string, folder: string): string =>
  `${base.replace(/\/*$/, "")}/${folder === "" ? "" : `${folder}/`}`;
