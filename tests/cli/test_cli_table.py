"""`ragcortex table`: where the rows come from, what is shown, and its exit codes."""

import json
import sqlite3
from pathlib import Path

import pytest
from cli_helpers import Command

from ragcortex.errors import EXIT_FAILED_ON, EXIT_INPUT, EXIT_NOTHING_TO_CHECK, EXIT_OK

WRONG = "The Alpine Tent costs 259 EUR and weighs 3.1 kg."


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text("product,price (EUR),weight_kg\nAlpine Tent,249,3.1\nTrail Bag,89.50,1.2\n", encoding="utf-8")
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE products (product TEXT, price_eur REAL)")
        connection.execute("INSERT INTO products VALUES ('Alpine Tent', 249), ('Trail Bag', 89.5)")
    connection.close()
    return path


def test_each_fact_is_a_line(command: Command, shop: Path) -> None:
    result = command("table", "--table", shop, "--answer", WRONG)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert result.out == (
        "hallucinated: 2 facts (1 confirmed, 1 contradicted, 0 unknown)\n"
        "  ! contradicted «259 EUR» (characters 22 to 29): "
        "row 1 (line 2) of shop.csv, column 'price (EUR)' says «249»\n"
        "  = confirmed «3.1 kg» (characters 41 to 47): row 1 (line 2) of shop.csv, column 'weight_kg' says «3.1»\n"
    )


def test_json_and_an_answer_in_a_file(command: Command, shop: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(WRONG + "\n", encoding="utf-8")
    values = json.loads(command("table", "--table", shop, "--answer", answer, "--json").out)

    assert (values["schema"], values["status"], values["answer"]) == ("ragcortex.table/1", "hallucinated", WRONG)
    assert values["checks"][0]["cell"] == {"row": 0, "line": 2, "column": "price (EUR)", "text": "249"}


@pytest.mark.parametrize(
    ("answer", "fail_on", "code"),
    [
        (WRONG, True, EXIT_FAILED_ON),
        (WRONG, False, EXIT_OK),
        ("The Alpine Tent costs 249 EUR.", True, EXIT_OK),
        ("The Sea Kayak costs 249 EUR.", True, EXIT_NOTHING_TO_CHECK),
        ("The Alpine Tent is nice.", True, EXIT_NOTHING_TO_CHECK),
    ],
)
def test_exit_codes(command: Command, shop: Path, *, answer: str, fail_on: bool, code: int) -> None:
    extra = ["--fail-on", "hallucinated"] if fail_on else []
    assert command("table", "--table", shop, "--answer", answer, *extra).code == code


def test_what_could_not_be_compared_is_said(command: Command, shop: Path) -> None:
    result = command("table", "--table", shop, "--answer", "The Sea Kayak costs 249 EUR.")
    empty = command("table", "--table", shop, "--answer", "Hello!")

    assert result.out == (
        "not verifiable: 1 fact (0 confirmed, 0 contradicted, 1 unknown)\n"
        "  ? unknown «249 EUR» (characters 20 to 27): the sentence names no row\n"
    )
    assert result.err == "ragcortex: 1 fact of 1 could not be compared with the table\n"
    assert empty.err == "ragcortex: the answer holds no amount, date or time that could be compared with the table\n"


def test_rows_of_a_query(command: Command, database: Path) -> None:
    result = command(
        "table", "--database", database, "--query", "SELECT * FROM products WHERE product = :name",
        "--parameter", "name=Trail Bag", "--answer", "It costs 89.50 EUR.",
    )  # fmt: skip
    deleting = command("table", "--database", database, "--query", "DELETE FROM products", "--answer", "It is.")

    assert (result.code, result.err) == (EXIT_OK, "")
    assert "row 1 of query, column 'price_eur' says «89.5»" in result.out
    assert (deleting.code, deleting.out) == (EXIT_INPUT, "")
    assert deleting.err == "ragcortex: sql: the query failed: OperationalError: attempt to write a readonly database\n"


def test_the_form_of_a_file_is_given_not_guessed(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "laden.csv"
    path.write_bytes("Nr;Preis;Gewicht;Datum\n7;1.234,50;3,1;03/04/2025\n8;1;1;03/05/2025\n".encode("cp1252"))
    result = command(
        "table", "--table", path, "--delimiter", ";", "--encoding", "cp1252", "--decimal", ",", "--date-format",
        "%d/%m/%Y", "--unit", "Preis=EUR", "--unit", "Gewicht=kg", "--key", "Nr", "--tolerance", "Preis=0.5",
        "--answer", "7: 1,234 EUR, 3.1 kg, 3 April 2025.",
    )  # fmt: skip

    assert (result.code, result.err) == (EXIT_OK, "")
    assert result.out.startswith("grounded: 3 facts (3 confirmed, ")


def test_the_question_may_name_the_row(command: Command, shop: Path) -> None:
    arguments = ("table", "--table", shop, "--answer", "It costs 89.50 EUR.", "--tolerance", "0")

    assert command(*arguments).code == EXIT_NOTHING_TO_CHECK
    assert command(*arguments, "--question", "What does the Trail Bag cost?").code == EXIT_OK


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "table: give either --table FILE.csv, or --database with --query"),
        (["--table", "a.csv", "--query", "SELECT 1"], "query: goes with --database; a CSV file is read whole"),
        (["--database", "a.sqlite"], "query: is missing; give --query with one SELECT"),
        (["--table", "no.csv"], "table: no.csv does not exist; give the path of a CSV file"),
        (["--table", "no.csv", "--unit", "EUR"], "unit: must be NAME=VALUE, got 'EUR'"),
        (
            ["--database", "a.sqlite", "--query", "SELECT 1"],
            "database: a.sqlite does not exist; give an SQLite file",
        ),
    ],
)
def test_usage(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = command("table", "--answer", "It costs 3 EUR.", *arguments)

    assert (result.code, result.out, result.err) == (EXIT_INPUT, "", f"ragcortex: {message}\n")


def test_units_that_are_none_are_refused(command: Command, shop: Path) -> None:
    result = command("table", "--table", shop, "--answer", "x", "--unit", "weight_kg=bananas")

    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err == "ragcortex: units: 'bananas' of column 'weight_kg' is no unit that is known; give kg, EUR, %\n"
