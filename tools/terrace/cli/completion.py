# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The command `terrace completion`, which prints a script that completes commands and options in bash or zsh.

The script contains a table of all commands, made from their parsers, so it starts no other program. If neither a
command nor an option matches, it completes file names.
"""
import re

from ..common import java_tool
from . import guide, heap, main, place

# {command whose work a Java program does: its help}
USAGES = {"heap": heap.USAGE, "place": place.USAGE}
# A line of Java help that begins with an option, such as "  -o, --output=TO".
OPTION = re.compile(r"^ +(?:(-\w)(?:, | |$))? *(--[\w-]+)?", re.M)

# The function takes the words so far, and stores the words that may follow in `found`. Values of an option come first.
LOOKUP = """\
_terrace_lookup() {
    local command="" word table
    for word in "$@"; do
        table="$(_terrace_table "$command")"
        case " $table " in
            *" $word "*) case "$word" in -*) ;; *) command="${command:+$command }$word" ;; esac ;;
        esac
    done
    found=""
    case "$word" in -*) found="$(_terrace_table "$command $word")" ;; esac
    found="${found:-$(_terrace_table "$command")}"
}
"""
BASH = """\
_terrace() {
    local found
    _terrace_lookup "${COMP_WORDS[@]:1:COMP_CWORD-1}"
    COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _terrace terrace
"""
ZSH = """\
_terrace() {
    local found
    _terrace_lookup "${(@)words[2,CURRENT-1]}"
    compadd -- ${=found} || _files
}
compdef _terrace terrace
"""
SHELLS = {"bash": BASH, "zsh": ZSH}


def register(add):
    parser = add(description="Prints a script that completes the commands and options of ./terrace in bash or zsh.")
    parser.add_argument("shell", choices=SHELLS, help="the shell for which the script is printed")
    parser.set_defaults(run=run)


def run(arguments):
    print(script(arguments.shell), end="")


def script(shell):
    cases = "".join(f"        '{path}') echo '{' '.join(words)}' ;;\n" for path, words in sorted(table().items()))
    return ("# Completion of ./terrace, made by `./terrace completion`.\n"
            f"_terrace_table() {{\n    case \"$1\" in\n{cases}    esac\n}}\n{LOOKUP}{SHELLS[shell]}")


def table():
    """Returns {command, or command and option: the words that may follow}. The key '' is ./terrace itself."""
    found = {}

    def add(path, words):
        # The tables separate words by spaces, so a word with a space cannot be in them.
        found[path] = [word for word in words if not re.search(r"[\s'\\]", word)]

    def walk(parser, path):
        inner = guide.commands(parser)
        options = [option for action in parser._actions for option in action.option_strings]
        choices = [choice for action in parser._actions if not action.option_strings and action.choices and not inner
                   for choice in action.choices]
        add(path, [*inner, *choices, *options])
        for action in parser._actions:
            for option in action.option_strings if action.choices else ():
                add(f"{path} {option}", [str(choice) for choice in action.choices])
        for name, command in inner.items():
            walk(command, f"{path} {name}".strip())

    walk(main.parser_of([command.name for command in main.available()]), "")
    for name, folder in USAGES.items():
        texts = java_tool.usages(folder)
        for inner, text in texts.items():
            others = [other for other in texts if other] if not inner else []
            options = [option for pair in OPTION.findall(text) for option in pair if option]
            add(f"{name} {inner}".strip(), [*others, *options])
    return found
