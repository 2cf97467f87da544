/** The Python side of a run: formatting of dates. */

/** Part of the shim; `datetime` also formats with `time.strftime`. */
export const TIMES = String.raw`
plain_strftime = time.strftime
CONVERSION = re.compile(r"%([-_0^#+]*)(\d*)([EO]?)(.?)", re.S)
KNOWN = frozenset("aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%")

SPACED = frozenset("aAbBcDeFhnpPrRtTxXZ%")


def strftime(format, *when):
    """As glibc has it: the C library here makes an empty text of a format with a conversion that it does not know."""
    if not isinstance(format, str) or len(when) > 1:
        return plain_strftime(format, *when)
    moment = when[0] if when else time.localtime()
    plain_strftime("", moment)

    def written(found):
        flags, width, form, letter = found.groups()
        if letter in ("k", "l"):
            hour = moment[3] if letter == "k" else moment[3] % 12 or 12
            fill = "" if "-" in flags else "0" if "0" in flags else " "
            return str(hour).rjust(int(width or 2) if fill else 0, fill or " ")
        if letter not in KNOWN and letter != "P":
            return found[0].replace("%", "%%")
        rest = "".join(flag for flag in flags if flag not in "^#")
        text = plain_strftime("%" + rest + form + ("p" if letter == "P" else letter), moment)
        if letter == "P" or ("#" in flags and letter in "pZ"):
            text = text.lower()
        elif "^" in flags or ("#" in flags and letter in "aAbBh"):
            text = text.upper()
        if width and "-" not in flags:
            text = text.rjust(int(width), " " if "_" in flags or letter in SPACED else "0")
        return text.replace("%", "%%")

    return plain_strftime(CONVERSION.sub(written, format), moment)
`;
