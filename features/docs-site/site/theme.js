// Applies the chosen theme before the page is drawn.

{
  let theme = "";
  try {
    theme = localStorage.getItem("theme") ?? "";
  } catch {
    // A page from a disk may have no storage: the system's theme stays.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
