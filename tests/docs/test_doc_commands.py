"""Every command that a page shows is one: the subcommand and its options exist, and whole commands can be parsed."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from doc_pages import blocks, pages, text_of

from ragcortex.cli.__main__ import app

README = "../README.md"
ENDS = {"|", "||", "&&", ";", ">", ">>", "<", "&", "2", ")", "#"}
# What prints a list of commands with what they do, and what names a command in general.
_LISTED = re.compile(r"^ragcortex [a-z]+ {2,}")
_PLACEHOLDERS = ("COMMAND", "…", "...")


def shown() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each command in a block of commands, in the pages and in the README."""
    shells = (block for page in [README, *pages()] for block in blocks(page) if block.language in ("", "bash"))
    for page, text in ((block.page, block.text) for block in shells):
        for line in re.sub(r"\s# .*", "", text.replace("\\\n", " ")).splitlines():
            if not _LISTED.match(line):
                yield from ((page, found[0]) for found in re.finditer(r"(?<![\w./=-])ragcortex [a-z-][^\n]*", line))


def words_of(command: str) -> list[str]:
    """Return the words of a command up to where another one, a redirection or a comment begins."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words = []
    for word in lexer:
        if word in ENDS or set(word) <= set("|&;<>()"):
            break
        words.append(word)
    return words[1:]


def found(words: list[str]) -> tuple[Any, Any, list[str]]:
    """Return the command that words name, its context, and the words that are left for it."""
    command = typer.main.get_command(app)
    context = command.context_class(command, info_name="ragcortex")
    rest = list(words)
    while rest and hasattr(command, "get_command"):
        name = rest.pop(0)
        inner = command.get_command(context, name)
        assert inner is not None, f"there is no command {name!r} in {' '.join(words)!r}"
        command, context = inner, inner.context_class(inner, info_name=name, parent=context)
    return command, context, rest


def test_commands_are_found_at_all() -> None:
    assert len(list(shown())) > 100
    assert words_of("ragcortex check --answer 'a b' | jq .x  # why") == ["check", "--answer", "a b"]
    with pytest.raises(AssertionError, match="no command 'chekc'"):
        found(["chekc"])


@pytest.mark.parametrize("page", [*pages(), README])
def test_commands_in_blocks_can_be_parsed(page: str) -> None:
    for where, text in shown():
        words = words_of(text)
        if where != page or any(word in _PLACEHOLDERS for word in words):
            continue
        command, context, rest = found(words)
        if hasattr(command, "get_command"):
            continue
        command.parse_args(context, rest)


@pytest.mark.parametrize("page", pages())
def test_commands_in_sentences_exist(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for named in re.findall(r"`(ragcortex [a-z][^`]*)`", text):
        # A range of choices, `a|b`, names the first.
        words = [word.split("|")[0] for word in named.split()[1:] if word not in _PLACEHOLDERS]
        command, _, rest = found(words)
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        for word in rest:
            if word.startswith("-"):
                assert word in options | {"--help"}, f"{page}: {named!r} has no option {word}"
