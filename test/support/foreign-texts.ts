/** Texts that a server, a description or a caller may send, each of which does something where it is not escaped. */

/** The file that a text makes where a shell runs it. */
export const MARK = "FOREIGN_TEXT_RAN";
/** The element that a text makes where HTML takes it for markup. */
export const ELEMENT = "foreign-text";

/** Texts by what they attack. */
export const FOREIGN_TEXTS: readonly string[] = [
  // Terminals: colours, erasing, titles, links, the clipboard, device control, 8-bit controls, overwriting.
  ...[
    "\u001b[31mred\u001b[0m",
    "\u001b[2J\u001b[Hcleared",
    "\u001b]0;title\u0007",
    "\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\",
  ],
  ...[
    "\u001b]52;c;cm0gLXJmIC8=\u0007",
    "\u001bP+q544e\u001b\\",
    "\u009b31m\u009d0;t\u009c",
    "done\roverwritten",
    "rm\b\b\bls",
    "bell\u0007\u007f",
  ],
  // What is read differs from what is shown.
  ...[
    "\u202egnp.exe",
    "\u2066a\u2069\u2067b\u2068c",
    "\u061ca\u200eb\u200f",
    "ze\u200bro\u2060wi\ufeffdth",
    "tag\u{e0041}\u{e007f}",
    "soft\u00adhyphen\u2028line\u2029",
  ],
  ...["half \ud800 pair", "\udc00\ud83d", "nul\u0000byte", "\u3164\u2800\u115f"],
  // Lines of their own.
  ...[
    "a\nok  forged line",
    "a\r\n::error::forged",
    "::set-output name=x::y",
    "::add-mask::a",
    "##[add-mask]a",
    "%0A::warning::x%0D",
    "::stop-commands::t",
  ],
  // Shells.
  ...[
    `$(touch ${MARK})`,
    `\`touch ${MARK}\``,
    `; touch ${MARK};`,
    `' ; touch ${MARK} ; '`,
    `" ; touch ${MARK} ; "`,
    `a\\" && touch ${MARK} #`,
    `| touch ${MARK}`,
  ],
  // HTML and Markdown.
  ...[
    `<${ELEMENT} onload=x>`,
    `</script><script>throw 1</script><${ELEMENT}>`,
    `"><${ELEMENT}><img src=x onerror=x>`,
    `'><${ELEMENT}>`,
    `--><${ELEMENT}>`,
  ],
  ...[
    "[a](javascript:alert(1))",
    "![a](https://evil.example/p.png)",
    "javascript:alert(1)",
    `</textarea></title><${ELEMENT}>`,
  ],
  // Programs and files.
  ...[
    "*/ process.exit(1) /*",
    '""" + exit() + """',
    "\\' + exit() + '",
    "${process.exit(1)}",
    "\\",
    '"',
    "# noqa\nimport os",
    "{{ 7*7 }}{% raw %}",
  ],
  ...[
    "!!js/function x",
    "- &a [*a]",
    "key: value\n---\nts: 1",
    "...\n--- forged",
    "=cmd|'/c calc'!A1",
    "+1-1@SUM(A1)",
    "]]>",
    "@import 'x'",
  ],
];

/** What no stream for people may hold: what a terminal obeys, and what nobody sees. Joiners and selectors of pictures are not in the texts. */
export const OBEYED =
  /(?!\r?\n|\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/u;

/** A command of a workflow that a runner of GitHub Actions would obey. */
export const WORKFLOW_COMMAND = /^\s*::[a-z-]+(?: [^:]*)?::|##\[/m;
