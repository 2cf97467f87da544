// What pages do with scripts: theme, copy buttons, tabs that stay chosen, and search as you type. Everything else works without.

{
  const root = new URL("..", document.currentScript.src);

  const stored = (key, value) => {
    try {
      if (value === undefined) return localStorage.getItem(key) ?? "";
      localStorage.setItem(key, value);
    } catch {
      // A page from a disk may have no storage: the choice lasts for the page.
    }
    return "";
  };

  const element = (name, text, className) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // Theme: that of the system, light, dark.
  const THEMES = ["system", "light", "dark"];
  const themeButton = document.querySelector(".theme");
  const showTheme = () => {
    const theme = document.documentElement.dataset.theme ?? "system";
    themeButton.ariaLabel = `Theme: ${theme}`;
    themeButton.title = `Theme: ${theme}`;
  };
  themeButton.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "system";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    stored("theme", next);
    showTheme();
  });
  themeButton.hidden = false;
  showTheme();

  // The list of pages on a phone closes when a link leads to a part of the same page.
  const pages = document.getElementById("site-pages");
  pages.addEventListener("click", ({ target }) => {
    if (target.closest("a") && pages.matches(":popover-open")) pages.hidePopover();
  });
  const current = [...pages.querySelectorAll("[aria-current]")].at(-1);
  const showCurrent = () => {
    if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
  };
  pages.addEventListener("toggle", showCurrent);
  showCurrent();

  // Two sheets, a tick, a cross.
  const COPY_ICONS = {
    Copy: "M6 5.5h7.5v8H6zM10 5.5v-3H2.5v8H6",
    Copied: "M2.5 8.5l3.5 3.5 7.5-8",
    "Not copied": "M3 3l10 10M13 3L3 13",
  };
  const SVG = "http://www.w3.org/2000/svg";
  const icon = () => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.ariaHidden = "true";
    svg.append(document.createElementNS(SVG, "path"));
    return svg;
  };

  // Copy buttons. Of a terminal session, only what is typed is copied.
  const typed = (text) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("$ "))
      .map((line) => line.slice(2))
      .join("\n");
  const copy = async (pre) => {
    const text = pre.textContent.replace(/\n$/, "");
    const wanted = (pre.querySelector(".language-console") && typed(text)) || text;
    if (navigator.clipboard) return navigator.clipboard.writeText(wanted);
    // Without a secure address there is no clipboard but that of the selection.
    getSelection().selectAllChildren(pre);
    if (!document.execCommand("copy")) throw new Error("no clipboard");
  };
  // Shows what became of a copy for a moment.
  const copying = (button, show, act) => {
    show("Copy");
    button.addEventListener("click", async () => {
      show(
        await act().then(
          () => "Copied",
          () => "Not copied",
        ),
      );
      setTimeout(show, 1_500, "Copy");
    });
  };
  for (const pre of document.querySelectorAll("main pre")) {
    const box = element("div", "", "code");
    const button = element("button", "", "quiet copy");
    button.type = "button";
    const picture = button.appendChild(icon());
    const show = (name) => {
      button.ariaLabel = name;
      button.title = name;
      picture.firstChild.setAttribute("d", COPY_ICONS[name]);
    };
    copying(button, show, () => copy(pre));
    pre.replaceWith(box);
    box.append(pre, button);
  }

  // Copies the page as Markdown. A page from a disk may not read another file, and without a secure address there is no clipboard.
  const pageButton = document.querySelector(".copy-page");
  if (pageButton && navigator.clipboard && location.protocol !== "file:") {
    const markdown = async () => {
      const answer = await fetch(document.querySelector('link[type="text/markdown"]').href);
      if (!answer.ok) throw new Error(answer.statusText);
      return new Blob([await answer.text()], { type: "text/plain" });
    };
    const show = (name) => {
      pageButton.textContent = name === "Copy" ? "Copy page" : name;
    };
    // The clipboard waits for the text: some browsers allow a copy only while a click is handled.
    copying(pageButton, show, () => navigator.clipboard.write([new ClipboardItem({ "text/plain": markdown() })]));
    pageButton.hidden = false;
  }

  // A chosen tab is chosen in every set that has it, and on the next page.
  const choose = (name) => {
    for (const label of document.querySelectorAll(".tabs > label"))
      if (label.textContent === name) document.getElementById(label.htmlFor).checked = true;
  };
  for (const label of document.querySelectorAll(".tabs > label"))
    document.getElementById(label.htmlFor).addEventListener("change", () => {
      choose(label.textContent);
      stored("tab", label.textContent);
    });
  choose(stored("tab"));

  // The filter of a pack: ops that have each of the words in their name, their text or their heading, and headings that have such ops.
  const filter = document.getElementById("filter");
  if (filter) {
    const count = document.getElementById("filter-count");
    const jump = document.querySelector(".jump");
    const lists = [...document.querySelectorAll("main .listing")].map((list) => ({
      parts: [list, list.previousElementSibling],
      items: [...list.children].map((item) => ({
        item,
        text: `${item.textContent} ${list.previousElementSibling.textContent}`.toLowerCase(),
      })),
    }));
    const all = lists.reduce((sum, { items }) => sum + items.length, 0);
    const show = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { parts, items } of lists) {
        const left = items.filter(({ item, text }) => {
          item.hidden = !words.every((word) => text.includes(word));
          return !item.hidden;
        });
        for (const part of parts) part.hidden = left.length === 0;
        shown += left.length;
      }
      if (jump) jump.hidden = words.length > 0;
      const [some, whole] = [shown, all].map((number) => number.toLocaleString("en"));
      count.textContent = words.length === 0 ? `${whole} ops` : `${some} of ${whole}`;
    };
    filter.addEventListener("input", show);
    filter.parentElement.hidden = false;
    show();
  }

  // The search loads its index when it is first used.
  const load = (path) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(path, root);
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  let loading;
  const ready = () => {
    loading ??= Promise.all(["assets/minisearch.js", "search/index.js"].map(load)).then(() => load("assets/search.js"));
    return loading;
  };

  const itemOf = ({ name, about, file, kind }) => {
    const link = document.createElement("a");
    // A name may wrap after each of its words.
    for (const part of name.split(/(?<=[._/-])(?=\w)/)) link.append(part, document.createElement("wbr"));
    link.href = new URL(file, root);
    const item = document.createElement("li");
    item.append(link, " ", element("span", kind, `badge ${kind}`), element("span", about, "about"));
    return item;
  };

  const said = (text, found, most) => {
    if (text === "") return "";
    const more = found > most ? `, the best ${most} of them` : "";
    return found === 0 ? `Nothing found for “${text}”.` : `${found} found${more}`;
  };

  // Shows at most `most` hits for what is typed.
  const searching = (input, hits, status, most, changed) => {
    const show = async () => {
      const text = input.value.trim();
      if (text !== "") {
        try {
          await ready();
        } catch {
          status.textContent = "The index of the search cannot be loaded.";
          changed(text);
          return;
        }
        if (input.value.trim() !== text) return;
      }
      const found = text === "" ? [] : globalThis.findPages(text);
      hits.replaceChildren(...found.slice(0, most).map(itemOf));
      status.textContent = said(text, found.length, most);
      changed(text);
    };
    input.addEventListener("input", show);
    input.addEventListener("focus", () => ready().catch(() => {}), { once: true });
    return show;
  };

  const inputs = [...document.querySelectorAll('form[role="search"] input[type="search"]')];
  const whole = document.getElementById("query");
  if (whole) {
    const [hits, status] = ["hits", "status"].map((id) => document.getElementById(id));
    whole.value = new URLSearchParams(location.search).get("q") ?? "";
    // Keeps the query in the address, so that going back from a page shows the same hits.
    const show = searching(whole, hits, status, 40, () =>
      history.replaceState(null, "", `?${new URLSearchParams({ q: whole.value })}`),
    );
    if (whole.value !== "") show();
    whole.focus();
  }
  for (const input of inputs.filter((one) => one !== whole)) {
    const box = element("div", "", "found");
    const status = element("p", "", "count");
    status.role = "status";
    const hits = element("ul", "", "listing");
    box.append(status, hits);
    box.hidden = true;
    const form = input.form;
    form.append(box);
    searching(input, hits, status, 8, (text) => {
      box.hidden = text === "";
    });
    const close = () => {
      box.hidden = true;
    };
    document.addEventListener("click", ({ target }) => form.contains(target) || close());
    form.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !form.contains(relatedTarget) && close());
    form.addEventListener("keydown", (event) => {
      const links = [...hits.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape" && !box.hidden) {
        close();
        input.focus();
        event.preventDefault();
      } else if (step && !box.hidden) {
        const at = links.indexOf(document.activeElement) + step;
        (at < 0 ? input : links[Math.min(at, links.length - 1)])?.focus();
        event.preventDefault();
      }
    });
  }

  // `/` and Ctrl+K go to the search.
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(?:input|textarea|select)$/i.test(event.target.tagName) && event.target.type !== "radio";
    const wanted = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!wanted || inputs.length === 0) return;
    event.preventDefault();
    inputs[0].focus();
    inputs[0].select();
  });
}
