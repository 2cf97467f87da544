// Functions that tests of the console run inside its page.

/** Says on the console what the page's own policy refuses. */
export function tellRefused() {
  document.addEventListener("securitypolicyviolation", (event) => console.error(`refused ${event.violatedDirective}`));
}

/** Puts a script and a style into the page, as hostile text would. */
export function addScript() {
  document.body.insertAdjacentHTML("beforeend", '<p style="color: red">x</p>');
  document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.hit = 3" }));
}

/** Notifies the page that it is visible again. */
export function lookAgain() {
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Whether axe is there: it is gone with the page. */
export function hasAxe() {
  return "axe" in globalThis;
}

/** What axe finds, a line each; axe is there already. */
export async function axeFaults() {
  const { violations } = await globalThis.axe.run();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** Pixels by which the page is wider than its window. */
export function overflow() {
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}

/** The text that is selected in the editor. */
export function selectedCode() {
  const area = document.querySelector("#code");
  return area.value.slice(area.selectionStart, area.selectionEnd);
}

/** Everything that scripts of the page can read of what a browser keeps. */
export function keptByBrowser() {
  return JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]);
}

/** Asks as a script of the page does. */
export async function ask([path, body]) {
  const headers = { "content-type": "application/json" };
  return (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/** What has the focus: its id, else its text. */
export function focused() {
  return document.activeElement?.id || document.activeElement?.textContent;
}

/** What hostile text leaves behind where it is run. */
export function hit() {
  return globalThis.hit;
}
