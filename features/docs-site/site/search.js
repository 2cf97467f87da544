// Searches the prebuilt index, `globalThis.toolSearch`, in the browser.

{
  // Number of hits from which no looser search follows.
  const ENOUGH = 5;
  // Words that are ignored in a query.
  const LITTLE = new Set(
    "a all an and any are at be by can do for how i in is it me my of on or please some that the this to what with".split(
      " ",
    ),
  );

  // Numbers in base 36, each the distance to the one before; `*` gives how often a word occurs, if that is not once.
  const documentsOf = (list) => {
    let id = 0;
    return Object.fromEntries(
      list.split(" ").map((one) => {
        const [step, times = "1"] = one.split("*");
        id += Number.parseInt(step, 36);
        return [id, Number.parseInt(times, 36)];
      }),
    );
  };

  // The index as the search library reads it; `features/docs-site/search-index.ts` packs it.
  const unpacked = ({ terms, places, entries, ...rest }) => {
    const words = terms.split(" ");
    const fields = places
      .split(";")
      .map((one) => one.split(",").flatMap((list, field) => (list === "" ? [] : [[field, documentsOf(list)]])));
    const stored = entries.map(([name, about, file, kind]) => ({ name, about, file, kind }));
    return {
      ...rest,
      documentIds: Object.fromEntries(stored.map((_, id) => [id, id])),
      storedFields: Object.fromEntries(stored.entries()),
      index: words.map((term, at) => [term, Object.fromEntries(fields[at])]),
    };
  };

  const options = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };
  const index = globalThis.MiniSearch.loadJS(unpacked(globalThis.toolSearch), options);

  const asked = (text) => ({
    boost: { name: 3, words: 2 },
    // A page of exactly this name comes first, and an op before a guide that speaks of it.
    boostDocument: (_id, _term, { name, kind }) =>
      name.toLowerCase() === text.toLowerCase() ? 10 : kind === "guide" ? 0.4 : 1,
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  });

  // Hits with all significant words first; if they are few, also hits with some of them.
  globalThis.findPages = (text) => {
    const saying = text.split(/\s+/).filter((word) => !LITTLE.has(word.toLowerCase()));
    const words = saying.join(" ") || text;
    const strict = index.search(words, { ...asked(text), combineWith: "AND" });
    if (strict.length >= ENOUGH) return strict;
    const known = new Set(strict.map(({ id }) => id));
    return [...strict, ...index.search(words, asked(text)).filter(({ id }) => !known.has(id))];
  };
}
