# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace flags`. Release builds omit the documentation of flags, so it is read from their declarations."""
import re
import textwrap

from ..common import paths
from ..common.term import Failure

HEADER = paths.OVERLAY / "share/gc/terrace/terrace_globals.hpp"
PAGE = paths.ROOT / "docs/use/flags.md"
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
LIMITS = {"max_uintx": "", "max_intx": "", "max_juint": str(2**32 - 1), "max_jint": str(2**31 - 1)}


def register(add):
    parser = add(description="Explains the flags that Terrace adds to the virtual machine. With a name, explains only the flags "
                             "that contain it, ignoring case.")
    parser.add_argument("name", nargs="?", help="explain only flags whose name contains this text")
    parser.add_argument("--markdown", action="store_true", help="write docs/use/flags.md")
    parser.set_defaults(run=run)


class Flag:
    def __init__(self, type, name, default, attributes, text, low, high):
        self.type, self.name, self.default = type, name, default
        self.diagnostic, self.experimental = "DIAGNOSTIC" in attributes, "EXPERIMENTAL" in attributes
        self.text, self.low, self.high = text, low, high

    @property
    def use(self):
        if self.type == "bool":
            return f"-XX:{'-' if self.default == 'true' else '+'}{self.name}"
        return f"-XX:{self.name}=<{'string' if self.type in ('ccstr', 'ccstrlist') else 'number'}>"

    @property
    def facts(self):
        facts = [f"default {number(self.default)}" if self.default != "NULL" else "not set by default"]
        low, high = number(self.low), number(self.high)
        if self.low is not None and (high or low not in ("0", "")):
            facts.append(f"{low} to {high}" if high else f"at least {low}")
        if self.diagnostic:
            facts.append("diagnostic: needs -XX:+UnlockDiagnosticVMOptions")
        if self.experimental:
            facts.append("experimental: needs -XX:+UnlockExperimentalVMOptions")
        return ", ".join(facts)


def number(text):
    """Formats a declared value as a user would type it."""
    if text is None:
        return ""
    text = text.strip()
    if text in LIMITS:
        return LIMITS[text]
    match = re.fullmatch(r"(\d+)\s*\*\s*([KMG])", text)
    return match.group(1) + match.group(2).lower() if match else text


def parse(text):
    """Returns the flags declared in a *_globals.hpp, in order."""
    body = re.sub(r"\\\n", "\n", text)
    body = body[body.find("constraint)"):]
    found = []
    start = re.compile(r"\bproduct\(\s*(\w+),\s*(\w+),\s*", re.S)
    for match in start.finditer(body):
        arguments, end = split_arguments(body, match.end())
        default, rest = arguments[0], arguments[1:]
        strings = [argument for argument in rest if argument.startswith('"')]
        attributes = [argument for argument in rest if not argument.startswith('"')]
        if not strings:
            raise Failure(f"the flag {match.group(2)} has no documentation string")
        doc = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings[0])).replace('\\"', '"')
        low = high = None
        span = re.match(r"\s*range\(", body[end:])
        if span:
            (low, high), _ = split_arguments(body, end + span.end())
        found.append(Flag(match.group(1), match.group(2), default, " ".join(attributes), doc, low, high))
    return found


def split_arguments(text, start):
    """Returns the arguments between `start` and the closing parenthesis, and the position after it."""
    arguments, depth, quoted, current, position = [], 0, False, "", start
    while position < len(text):
        character = text[position]
        if quoted:
            current += character
            if character == "\\":
                position += 1
                current += text[position]
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted, current = True, current + character
        elif character == ")" and depth == 0:
            arguments.append(current.strip())
            return arguments, position + 1
        elif character == "," and depth == 0:
            arguments.append(current.strip())
            current = ""
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
            current += character
        position += 1
    raise Failure("a flag declaration does not end")


def declared():
    if not HEADER.is_file():
        raise Failure(f"{paths.relative(HEADER)}, which declares the flags, does not exist")
    return parse(HEADER.read_text())


def markdown(flags):
    lines = ["# Flags", "", "Made by `./terrace flags --markdown` from "
             "[terrace_globals.hpp](../../vm/hotspot/share/gc/terrace/terrace_globals.hpp); "
             "`./terrace flags` prints the same.", ""]
    for title, chosen in (("For users", [flag for flag in flags if not flag.diagnostic]),
                          ("For verification and testing", [flag for flag in flags if flag.diagnostic])):
        if not chosen:
            continue
        lines += [f"## {title}", "", "| flag | values | meaning |", "|---|---|---|"]
        for flag in chosen:
            meaning = flag.text.replace("|", "\\|")
            lines.append(f"| `{flag.use}` | {flag.facts} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def stale():
    """Returns why docs/use/flags.md does not match the declarations, or an empty string."""
    if not HEADER.is_file():
        return ""
    if not PAGE.is_file():
        return "it does not exist; run ./terrace flags --markdown"
    return "" if PAGE.read_text() == markdown(declared()) else "run ./terrace flags --markdown"


def run(arguments):
    flags = declared()
    if arguments.markdown and paths.PACKED:
        raise Failure("--markdown writes a page of the repository, so it works only in a checkout and not in a packed JDK")
    if arguments.markdown:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(markdown(flags))
        print(paths.relative(PAGE))
        return
    chosen = [flag for flag in flags if not arguments.name or arguments.name.lower() in flag.name.lower()]
    if not chosen:
        raise Failure(f"no flag of Terrace has '{arguments.name}' in its name; ./terrace flags lists all of them")
    for flag in chosen:
        print(f"{flag.use}\n    {flag.facts}")
        print(textwrap.fill(flag.text, 100, initial_indent="    ", subsequent_indent="    "), end="\n\n")
