// Functions that run inside the page: each is sent to the browser as text, so it uses nothing from outside itself.

export function addThings() {
  const script = document.createElement("script");
  script.textContent = "document.title = 'changed'";
  const style = document.createElement("style");
  style.textContent = "h1 { font-size: 99px }";
  const image = document.createElement("img");
  image.src = "https://127.0.0.1:1/x.png";
  document.body.append(script, style, image);
  return [document.title, getComputedStyle(document.querySelector("h1")).fontSize];
}

export function drawn([things, frames]) {
  const boxes = [...document.querySelectorAll(frames)].map((one) => one.getBoundingClientRect());
  return [...document.querySelectorAll(things)].filter((one) => {
    const { left, right, top, bottom, width, height } = one.getBoundingClientRect();
    const isIn = boxes.some((box) => left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom);
    return isIn && width > 0 && height > 0;
  }).length;
}

export function structure() {
  return {
    language: document.documentElement.lang,
    landmarks: ["header", "main", "footer"].map((name) => document.querySelectorAll(`body > ${name}`).length),
    headings: [...document.querySelectorAll("h1, h2, h3")].map((one) => one.tagName).join(" "),
    nameless: [...document.querySelectorAll("section, svg[role=img], [role=region]")].filter((one) => {
      const by = one.getAttribute("aria-labelledby");
      return !(by === null ? one.getAttribute("aria-label") : document.getElementById(by)?.textContent);
    }).length,
    headless: document.querySelectorAll("th:not([scope]), table:not(:has(caption)), table:not(:has(thead))").length,
    ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  };
}

export function contrasts() {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (one) => {
    if (one === null) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(one);
    return channels(backgroundColor)[3] === 0 ? behind(one.parentElement) : backgroundColor;
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const marks = [...document.querySelectorAll("svg .done, svg .failed, svg .median, svg .high")];
  const texts = [...document.querySelectorAll("body *")].filter(
    (one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim()),
  );
  return [
    ...marks.map((one) => ({
      kind: "mark",
      what: one.getAttribute("class"),
      ratio: ratio(getComputedStyle(one).fill, behind(one)),
    })),
    ...texts.map((one) => {
      const { color, fill } = getComputedStyle(one);
      return { kind: "text", what: one.textContent, ratio: ratio(one.closest("svg") ? fill : color, behind(one)) };
    }),
  ];
}

export function misplaced() {
  return [...document.querySelectorAll(".chart svg")]
    .filter((one) => one.checkVisibility())
    .flatMap((svg) => {
      const box = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll("text")].map((one) => ({
        text: one.textContent,
        at: one.getBoundingClientRect(),
      }));
      const isOut = ({ at }) => at.left < box.left - 0.5 || at.right > box.right + 0.5 || at.bottom > box.bottom + 0.5;
      const isOver = ({ at: a }, index) =>
        texts.slice(index + 1).some(({ at: b }) => {
          const isBeside = a.right <= b.left || b.right <= a.left;
          return !isBeside && a.bottom - 2 > b.top && b.bottom - 2 > a.top;
        });
      return texts.filter((one, index) => isOut(one) || isOver(one, index)).map(({ text }) => text);
    });
}
