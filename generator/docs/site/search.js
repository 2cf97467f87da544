// The search: asks the index that was made ahead, in the browser. Whatever is shown is set as text.
(() => {
  const MOST = 40;
  const options = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };
  const index = globalThis.MiniSearch.loadJSON(globalThis.toolSearch, options);
  const [query, status, hits] = ["query", "status", "hits"].map((id) => document.getElementById(id));

  const asked = (text) => ({
    boost: { name: 3, words: 2 },
    boostDocument: (_id, _term, { name }) => (name.toLowerCase() === text.toLowerCase() ? 10 : 1),
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  });

  // All of the words, or, where nothing has them all, as many as possible.
  function find(text) {
    const strict = index.search(text, { ...asked(text), combineWith: "AND" });
    return strict.length > 0 ? strict : index.search(text, asked(text));
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function itemOf({ name, about, file, kind }) {
    const link = document.createElement("a");
    // A name may go on in the next line behind each of its words.
    for (const part of name.split(/(?<=[._/-])(?=\w)/)) link.append(part, document.createElement("wbr"));
    link.href = `../${file}`;
    const item = document.createElement("li");
    item.append(link, " ", element("span", kind, `badge ${kind}`), element("span", about, "about"));
    return item;
  }

  function show() {
    const text = query.value.trim();
    const found = text === "" ? [] : find(text);
    hits.replaceChildren(...found.slice(0, MOST).map(itemOf));
    const more = found.length > MOST ? `, the best ${MOST} of them` : "";
    const said = found.length === 0 ? `Nothing found for “${text}”.` : `${found.length} found${more}`;
    status.textContent = text === "" ? "" : said;
  }

  query.addEventListener("input", () => {
    show();
    // Whoever goes on to an op and comes back finds the same hits.
    history.replaceState(null, "", `?${new URLSearchParams({ q: query.value })}`);
  });
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
  query.focus();
})();
