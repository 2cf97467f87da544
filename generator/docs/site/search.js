// Searches the prebuilt index in the browser. All results are inserted as text, never as HTML.

{
  // Most hits that are shown, and the number from which no looser search follows.
  const [MAX_HITS, ENOUGH] = [40, 5];
  // Words that are ignored in a query.
  const LITTLE = new Set(
    "a all an and any are at be by can do for how i in is it me my of on or please some that the this to what with".split(
      " ",
    ),
  );
  const options = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };
  const index = globalThis.MiniSearch.loadJSON(globalThis.toolSearch, options);
  const [query, status, hits] = ["query", "status", "hits"].map((id) => document.getElementById(id));

  const asked = (text) => ({
    boost: { name: 3, words: 2 },
    boostDocument: (_id, _term, { name }) => (name.toLowerCase() === text.toLowerCase() ? 10 : 1),
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  });

  // Hits with all significant words first; if they are few, also hits with some of them.
  const find = (text) => {
    const saying = text.split(/\s+/).filter((word) => !LITTLE.has(word.toLowerCase()));
    const words = saying.join(" ") || text;
    const strict = index.search(words, { ...asked(text), combineWith: "AND" });
    if (strict.length >= ENOUGH) return strict;
    const known = new Set(strict.map(({ id }) => id));
    return [...strict, ...index.search(words, asked(text)).filter(({ id }) => !known.has(id))];
  };

  const element = (name, text, className) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const itemOf = ({ name, about, file, kind }) => {
    const link = document.createElement("a");
    // A name may wrap after each of its words.
    for (const part of name.split(/(?<=[._/-])(?=\w)/)) link.append(part, document.createElement("wbr"));
    link.href = `../${file}`;
    const item = document.createElement("li");
    item.append(link, " ", element("span", kind, `badge ${kind}`), element("span", about, "about"));
    return item;
  };

  const show = () => {
    const text = query.value.trim();
    const found = text === "" ? [] : find(text);
    hits.replaceChildren(...found.slice(0, MAX_HITS).map(itemOf));
    const more = found.length > MAX_HITS ? `, the best ${MAX_HITS} of them` : "";
    const said = found.length === 0 ? `Nothing found for “${text}”.` : `${found.length} found${more}`;
    status.textContent = text === "" ? "" : said;
  };

  query.addEventListener("input", () => {
    show();
    // Keeps the query in the address, so that going back from an op shows the same hits.
    history.replaceState(null, "", `?${new URLSearchParams({ q: query.value })}`);
  });
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
  query.focus();
}
