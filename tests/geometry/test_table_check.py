"""Amounts, dates and times of an answer against the user's own table."""

import json
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.facts.extract import facts_of
from ragcortex.geometry.table_check import Table, TableChecker, TableReport, check_against_table
from ragcortex.geometry.table_parts import FactCheck, TableCell
from ragcortex.geometry.table_values import header_unit, plain_number

SHOP = """\
product,colour,price (EUR),shipping (EUR),weight_kg,delivery_days,capacity,released
Alpine Tent,red,249.00,4.90,3.1,3,2,2024-03-05
Alpine Tent Pro,green,399.00,0.00,3.6,5,3,2025-01-20
Trail Bag,red,89.50,4.90,1.2,3,,2023-11-02
"""


def table_of(text: str, tmp_path: Path, **options: object) -> Table:
    path = tmp_path / "shop.csv"
    path.write_bytes(text.encode())
    return Table.from_csv(path, **options)  # type: ignore[arg-type]


@pytest.fixture
def shop(tmp_path: Path) -> TableChecker:
    return TableChecker(table_of(SHOP, tmp_path))


def states(report: TableReport) -> list[tuple[str, str, str]]:
    return [(check.text, check.state, check.reason) for check in report.checks]


def places(report: TableReport) -> list[tuple[str, int, str, str] | None]:
    return [c.cell and (c.text, c.cell.row, c.cell.column, c.cell.text) for c in report.checks]


def test_words_name_rows(shop: TableChecker) -> None:
    assert shop.key_columns == ("product", "colour")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("The Alpine Tent costs 249 EUR.", ("249 EUR", 0, "price (EUR)", "249.00")),
        ("The Alpine Tent costs €249.00.", ("€249.00", 0, "price (EUR)", "249.00")),
        ("The ALPINE TENT PRO costs 399 euros.", ("399 euros", 1, "price (EUR)", "399.00")),
        ("The Alpine Tent weighs 3,100 g.", ("3,100 g", 0, "weight_kg", "3.1")),
        ("The Alpine Tent's weight is 3.1 kg.", ("3.1 kg", 0, "weight_kg", "3.1")),
        ("The Alpine Tent is delivered within three days.", ("three days", 0, "delivery_days", "3")),
        ("The Alpine Tent was released on March 5th, 2024.", ("March 5th, 2024", 0, "released", "2024-03-05")),
        ("The Alpine Tent was released in March 2024.", ("March 2024", 0, "released", "2024-03-05")),
        ("Le Trail Bag coûte 89,50 €.", ("89,50 €", 2, "price (EUR)", "89.50")),
        ("Trail Bag：89.5欧元。", ("89.5欧元", 2, "price (EUR)", "89.50")),
        ("The Alpine Tent Pro's capacity is 3.", ("3", 1, "capacity", "3")),
    ],
)
def test_confirmed(shop: TableChecker, answer: str, found: tuple[str, int, str, str]) -> None:
    report = shop.check(answer)

    assert report.status == "grounded"
    assert [check.state for check in report.checks] == ["confirmed"]
    assert places(report)[0][1:] == found[1:]  # type: ignore[index]
    assert report.checks[0].text in found[0] or found[0] in report.checks[0].text


@pytest.mark.parametrize(
    ("answer", "row", "column", "expected"),
    [
        ("The Alpine Tent costs 259 EUR.", 0, "price (EUR)", "249.00"),
        ("The Alpine Tent costs 249 USD.", 0, "price (EUR)", "249.00"),
        ("The Alpine Tent costs 249.01 EUR.", 0, "price (EUR)", "249.00"),
        ("The Alpine Tent Pro costs 249 EUR.", 1, "price (EUR)", "399.00"),
        ("The Alpine Tent weighs 31 kg.", 0, "weight_kg", "3.1"),
        ("The Alpine Tent is delivered in three weeks.", 0, "delivery_days", "3"),
        ("The Alpine Tent was released on 3 May 2024.", 0, "released", "2024-03-05"),
        ("The Alpine Tent's capacity is 4.", 0, "capacity", "2"),
        ("Shipping of the Alpine Tent costs 249 EUR.", 0, "shipping (EUR)", "4.90"),
    ],
)
def test_contradicted(shop: TableChecker, answer: str, row: int, column: str, expected: str) -> None:
    report = shop.check(answer)

    assert report.status == "hallucinated"
    (check,) = report.checks
    assert (check.state, check.reason) == ("contradicted", "differs")
    assert check.cell == TableCell(row, row + 2, column, expected)
    assert answer[check.start : check.end] == check.text


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("The Sea Kayak costs 249 EUR.", "no_row"),
        ("The Alpine Tent is 40 cm long.", "no_column"),
        ("There are 7 reasons to love the Alpine Tent.", "column_unclear"),
        ("The Alpine Tent has a warranty of two years.", "column_unclear"),
        ("We have sold the Alpine Tent since 1990.", "column_unclear"),
        ("With shipping the Alpine Tent comes to 253.90 EUR.", "derived"),
        ("The Alpine Tent does not cost 300 EUR.", "negated"),
    ],
)
def test_unknown(shop: TableChecker, answer: str, reason: str) -> None:
    report = shop.check(answer)

    assert report.status == "not_verifiable"
    assert [(check.state, check.reason, check.cell) for check in report.checks] == [("unknown", reason, None)]


def test_what_the_table_says_must_not_be_denied(shop: TableChecker) -> None:
    report = shop.check("The Alpine Tent does not cost 249 EUR.")

    assert [(check.state, check.reason) for check in report.checks] == [("contradicted", "denied")]


def test_names_and_facts_that_alternate_belong_together(shop: TableChecker) -> None:
    right = "The Alpine Tent costs 249 EUR and the Trail Bag 89.50 EUR."
    swapped = "The Alpine Tent costs 89.50 EUR and the Trail Bag 249 EUR."
    after = "You pay 89.50 EUR for the Alpine Tent and 249 EUR for the Trail Bag."
    open_ = "The Alpine Tent and the Trail Bag cost 249 EUR and 89.50 EUR."

    assert shop.check(right).status == shop.check(open_).status == "grounded"
    for answer in (swapped, after):
        report = shop.check(answer)
        assert report.count("contradicted") == 2
        assert [check.cell and check.cell.row for check in report.checks] == [0, 2]


def test_columns_that_alternate_with_facts_belong_together(shop: TableChecker) -> None:
    assert shop.check("Alpine Tent: price 249 EUR, shipping 4.90 EUR.").status == "grounded"
    swapped = shop.check("Alpine Tent: price 4.90 EUR, shipping 249 EUR.")
    assert [check.cell and check.cell.column for check in swapped.checks] == ["price (EUR)", "shipping (EUR)"]
    assert swapped.count("contradicted") == 2


def test_a_sentence_without_a_name_goes_on_about_the_rows_before(shop: TableChecker) -> None:
    report = shop.check("I recommend the Trail Bag:\n\n- Price: 89.50 EUR\n- Weight: 3.1 kg\n")

    assert [check.state for check in report.checks] == ["confirmed", "contradicted"]
    assert shop.check("It costs 89.50 EUR.", question="What is the price of the Trail Bag?").status == "grounded"
    assert shop.check("It costs 89.50 EUR.").status == "not_verifiable"


def test_names_narrow_each_other(shop: TableChecker) -> None:
    # «red» alone are two rows, with the product it is one; «green» fits no Trail Bag and is left aside.
    assert shop.check("The red Alpine Tent costs 249 EUR.").checks[0].n_rows == 1
    assert shop.check("The red one costs 249 EUR.").checks[0].n_rows == 2
    assert shop.check("The green Trail Bag costs 89.50 EUR.").checks[0].n_rows == 1


def test_a_table_of_one_row_needs_no_name(tmp_path: Path) -> None:
    table = table_of("order,total (EUR),arrives\n1007,59.90,2025-03-03\n", tmp_path)

    assert check_against_table("Your total is 59.90 EUR. It arrives on Monday, 3 March.", table).status == "grounded"
    assert check_against_table("It arrives on Tuesday, 3 March.", table).status == "hallucinated"


def test_numbers_name_rows_where_asked_to(tmp_path: Path) -> None:
    table = table_of("order,total (EUR)\n1007,59.90\n1008,61.00\n", tmp_path)
    answer = "Order 1008 comes to 61 EUR."

    assert check_against_table(answer, table, key_columns=["order"]).status == "grounded"
    assert states(check_against_table(answer, table, key_columns=["order"])) == [("61 EUR", "confirmed", "equal")]
    with pytest.raises(InputError) as error:
        check_against_table(answer, table, key_columns=["id"])
    assert str(error.value) == "key_columns: there is no column 'id'; the columns are order, total (EUR)"


def test_short_names_must_be_written_as_they_are(tmp_path: Path) -> None:
    table = table_of("size,price (EUR)\nA,10\nL,12\nM,11\n", tmp_path)

    assert check_against_table("A small one in size M costs 11 EUR.", table).checks[0].n_rows >= 1
    assert check_against_table("It is a small l thing for 11 EUR.", table).checks[0].reason == "no_row"


def test_equal_means_equal_unless_a_tolerance_is_given(tmp_path: Path) -> None:
    table = table_of("plan,price (EUR)\nBasic,12.50\n", tmp_path)
    answer = "Basic costs 12.499 EUR."

    assert check_against_table(answer, table).status == "hallucinated"
    assert check_against_table(answer, table, tolerance="0.001").status == "grounded"
    assert check_against_table(answer, table, tolerance={"price (EUR)": Decimal("0.0009")}).status == "hallucinated"
    assert check_against_table("Basic costs 12.5 EUR.", table).status == "grounded"


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        (0.1, "tolerance: must be an exact number such as Decimal('0.01') or '0.01', got 0.1"),
        ("x", "tolerance: must be a number such as 0.01, got 'x'"),
        ("-1", "tolerance: must be a finite number from 0 on, got '-1'"),
        ({"cost": 1}, "tolerance: there is no column 'cost'; the columns are plan, price (EUR)"),
    ],
)
def test_tolerances_that_are_none(tmp_path: Path, tolerance: object, message: str) -> None:
    table = table_of("plan,price (EUR)\nBasic,12.50\n", tmp_path)
    with pytest.raises(InputError) as error:
        TableChecker(table, tolerance=tolerance)  # type: ignore[arg-type]
    assert str(error.value) == message


@settings(max_examples=60, deadline=None)
@given(cell=st.integers(0, 99_999), said=st.integers(0, 99_999), near=st.booleans())
def test_an_amount_is_confirmed_exactly_where_the_decimals_are_equal(cell: int, said: int, near: bool) -> None:
    said = cell if near else said
    table = Table("made", ("plan", "price (EUR)"), (("Basic", f"{Decimal(cell) / 100:.2f}"),))
    report = check_against_table(f"The Basic plan costs {Decimal(said) / 100:.2f} EUR.", table)

    assert report.status == ("grounded" if cell == said else "hallucinated")


def test_cells_may_hold_the_unit_ranges_and_hours(tmp_path: Path) -> None:
    text = "shop,rent,hours,takes\nNorth,1.234,50 €,9:00–17:00,2–4 working days\n".replace("1.234,50", "1.234;50")
    table = table_of(text.replace(",", "|").replace(";", ","), tmp_path, delimiter="|", decimal=",")

    assert table.rows[0][1] == "1.234,50 €"
    for answer, status in (
        ("North pays 1,234.50 euros.", "grounded"),
        ("North pays 1,234.60 euros.", "hallucinated"),
        ("North is open from 9:00 to 17:00.", "grounded"),
        ("North opens at 9:00.", "grounded"),
        ("North opens at 8:00.", "hallucinated"),
        ("North takes 2 to 4 working days.", "grounded"),
        ("North takes 3 working days.", "not_verifiable"),
        ("North takes 9 working days.", "hallucinated"),
    ):
        assert check_against_table(answer, table).status == status, answer


def test_bounds_and_rounding_words_are_kept(shop: TableChecker) -> None:
    for answer, status in (
        ("The Alpine Tent costs less than 300 EUR.", "grounded"),
        ("The price of the Alpine Tent is less than 200 EUR.", "hallucinated"),
        ("The Alpine Tent costs less than 200 EUR.", "not_verifiable"),  # its shipping does
        ("The Alpine Tent costs less than 3 EUR.", "hallucinated"),
        ("The Alpine Tent costs about 250 EUR.", "grounded"),
        ("The Alpine Tent costs about 260 EUR.", "hallucinated"),
    ):
        assert shop.check(answer).status == status, answer


def test_a_price_without_a_currency_is_compared_by_its_figure(tmp_path: Path) -> None:
    plain = table_of("plan,price,stock\nBasic,12.50,30\n", tmp_path)

    assert check_against_table("Basic costs 12.50 EUR.", plain).status == "grounded"
    assert check_against_table("Basic costs $13.", plain).status == "hallucinated"
    assert check_against_table("Basic costs 30 EUR.", plain).status == "hallucinated"
    in_dollars = table_of("plan,price\nBasic,12.50\n", tmp_path, units={"price": "USD"})
    assert check_against_table("Basic costs 12.50 EUR.", in_dollars).status == "hallucinated"


def test_years(tmp_path: Path) -> None:
    table = table_of("name,built,height (m)\nCape Arden,1874,41\nPort Holt,1902,33\n", tmp_path)

    assert check_against_table("Cape Arden was built in 1874 and is 41 metres high.", table).status == "grounded"
    assert check_against_table("Cape Arden was built in 1902.", table).status == "hallucinated"


def test_the_order_of_day_and_month_is_the_tables_own(tmp_path: Path) -> None:
    text = "name,date\nFair,03/04/2025\n"

    for date_format, right in (("%d/%m/%Y", "3 April 2025"), ("%m/%d/%Y", "4 March 2025")):
        table = table_of(text, tmp_path, date_format=date_format)
        assert check_against_table(f"The Fair is on {right}.", table).status == "grounded"
        assert check_against_table("The Fair is on 5 May 2025.", table).status == "hallucinated"
    for date_format, message in (
        ("%d/%m", "date_format: must have year, month and day, such as %d/%m/%Y, got '%d/%m'"),
        ("%Y %m %d %Q", "date_format: '%Y %m %d %Q' is no strptime format: 'Q' is a bad directive in format "),
    ):
        with pytest.raises(InputError) as error:
            table_of(text, tmp_path, date_format=date_format)
        assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("header", "unit", "dimension"),
    [
        ("price (EUR)", "EUR", "currency"),
        ("Price [€]", "EUR", "currency"),
        ("price_usd", "USD", "currency"),
        ("Preis in EUR", "EUR", "currency"),
        ("weight_kg", "kilogram", "mass"),
        ("weight_g", "gram", "mass"),
        ("share (%)", "percent", "share"),
        ("delivery days", "day", "time"),
        ("Unit price", None, "currency"),
        ("価格", None, "currency"),
    ],
)
def test_units_of_headers(header: str, unit: str | None, dimension: str) -> None:
    found = header_unit(header, facts_of)

    assert found is not None
    assert (found.unit, found.dimension) == (unit, dimension)


@pytest.mark.parametrize("header", ["product", "Vitamin C", "Plan B", "check-in", "id", "name (short)", "capacity"])
def test_headers_without_a_unit(header: str) -> None:
    assert header_unit(header, facts_of) is None


def test_a_header_may_scale_its_numbers(tmp_path: Path) -> None:
    table = table_of("firm,revenue (million EUR)\nArden,5.9\n", tmp_path)

    assert check_against_table("Arden had a revenue of 5,900,000 euros.", table).status == "grounded"
    assert check_against_table("Arden had a revenue of 5.9 euros.", table).status == "hallucinated"


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1,234.50", ".", "1234.50"), ("1.234,50", ",", "1234.50"), ("1 234", ".", "1234"), ("-3", ".", "-3"),
        ("−3.5", ".", "-3.5"), ("+3", ".", "3"), ("12,5", ".", None), ("1,2,3", ".", None), ("1.2.3", ".", None),
        ("3 kg", ".", None), ("", ".", None), ("0.10", ".", "0.10"), ("1'000", ".", "1000"),
    ],
)  # fmt: skip
def test_plain_numbers(text: str, mark: str, value: str | None) -> None:
    expected = None if value is None else Decimal(value)
    assert plain_number(text, mark) == expected  # type: ignore[arg-type]


def test_citations_and_figures_in_names_are_no_facts(tmp_path: Path) -> None:
    table = table_of("product,price (EUR)\nTent 300,249\n", tmp_path)

    assert states(check_against_table("The Tent 300 costs 249 EUR [3].", table)) == [("249 EUR", "confirmed", "equal")]


def test_nothing_to_compare_is_not_verifiable(shop: TableChecker) -> None:
    for answer in ("", "   ", "I like the Alpine Tent."):
        report = shop.check(answer)
        assert (report.status, report.checks) == ("not_verifiable", ())


def test_the_same_figure_twice_is_judged_twice(shop: TableChecker) -> None:
    report = shop.check("The Alpine Tent costs 249 EUR. The Trail Bag costs 249 EUR.")

    assert [check.state for check in report.checks] == ["confirmed", "contradicted"]
    assert report.checks[0].start < report.checks[1].start


def test_json(shop: TableChecker) -> None:
    values = json.loads(shop.check("The Alpine Tent costs 259 EUR.").to_json())

    assert values == {
        "schema": "ragcortex.table/1",
        "status": "hallucinated",
        "counts": {"confirmed": 0, "contradicted": 1, "unknown": 0},
        "answer": "The Alpine Tent costs 259 EUR.",
        "checks": [
            {
                "start": 22, "end": 29, "text": "259 EUR", "kind": "money", "state": "contradicted",
                "reason": "differs", "n_rows": 1,
                "cell": {"row": 0, "line": 2, "column": "price (EUR)", "text": "249.00"},
            }
        ],
        "table": {"source": "shop.csv", "n_rows": 3},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", {}, "table: {path} is empty; its first row must hold the names of the columns"),
        (
            b"a,b\n1,2\n\n3\n", {},
            "table: {path}: row 2 (line 4) has 1 cells, expected 2 as in the header; check the delimiter ',' and "
            "quoting",
        ),
        (b"a,a\n1,2\n", {}, "columns: shop.csv has two columns called 'a'; rename one"),
        (b"a, \n1,2\n", {}, "columns: column 2 of shop.csv has no name; give each column a name"),
        (b"a,b\n1,\xff\n", {}, "table: {path} is not utf-8-sig: byte 0xff after line 0; give its encoding"),
        (b'a,b\n1,"x\n', {}, "table: {path}: line 2 is not CSV: unexpected end of data; check delimiter and quotes"),
        (b"a\n1\n", {"encoding": "latin"}, None),
        (b"a\n1\n", {"encoding": "no-such"}, "encoding: 'no-such' is unknown; give one such as utf-8 or cp1252"),
        (
            b"a\n1\n", {"delimiter": "||"},
            "delimiter: must be one character other than a quote or line break, got '||'",
        ),
        (b"a\n1\n", {"units": {"b": "EUR"}}, "units: there is no column 'b'; the columns are a"),
        (b"a\n1\n", {"decimal": ";"}, "decimal: must be one of ., ,, got ';'"),
    ],
)  # fmt: skip
def test_files_that_are_no_table(
    tmp_path: Path, content: bytes, options: dict[str, object], message: str | None
) -> None:
    path = tmp_path / "shop.csv"
    path.write_bytes(content)
    if message is None:
        assert Table.from_csv(path, **options).rows == (("1",),)  # type: ignore[arg-type]
        return
    with pytest.raises(InputError) as error:
        Table.from_csv(path, **options)  # type: ignore[arg-type]
    assert str(error.value) == message.format(path=path)


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        Table.from_csv(tmp_path / "no.csv")
    assert str(error.value) == f"table: {tmp_path / 'no.csv'} does not exist; give the path of a CSV file"


def test_cells_and_lines_are_kept_as_they_are(tmp_path: Path) -> None:
    table = table_of('\ufeffa;b\r\n"x;\ny";  2 \r\n\r\n"say ""hi""";3\r\n', tmp_path, delimiter=";")

    assert table.columns == ("a", "b")
    assert table.rows == (("x;\ny", "  2 "), ('say "hi"', "3"))
    assert table.lines == (3, 5)
    assert table.place(1) == "row 2 (line 5) of shop.csv"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE products (name TEXT, price_eur REAL, sold INTEGER, photo BLOB)")
        connection.executemany(
            "INSERT INTO products VALUES (?, ?, ?, ?)", [("Alpine Tent", 249.9, 12, None), ("Trail Bag", 0.1, 3, b"\0")]
        )
    connection.close()
    return path


QUERY = "SELECT name, price_eur, sold FROM products WHERE sold > :least ORDER BY name"


def test_rows_of_a_query_in_three_ways(database: Path) -> None:
    expected = (("Alpine Tent", "249.9", "12"), ("Trail Bag", "0.1", "3"))
    connection = sqlite3.connect(database)
    tables = [
        Table.from_query(source, QUERY, {"least": 1})
        for source in (database, str(database), connection, f"sqlite:///{database}")
    ]

    assert {table.rows for table in tables} == {expected}
    assert {table.columns for table in tables} == {("name", "price_eur", "sold")}
    assert {table.lines for table in tables} == {None}
    assert check_against_table("The Alpine Tent costs 249.90 EUR.", tables[0]).status == "grounded"
    connection.execute("INSERT INTO products VALUES ('later', 1, 1, NULL)")  # the connection writes as before
    connection.close()


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DELETE FROM products", "sql: the query failed: OperationalError: attempt to write a readonly database"),
        ("SELECT * FROM no_table", "sql: the query failed: OperationalError: no such table: no_table"),
        ("SELECT photo FROM products", "sql: row 2, column 'photo' holds binary data; leave it out or convert it"),
        ("SELECT 1 AS a, 2 AS a", "columns: query has two columns called 'a'; rename one"),
        ("  ", "sql: must not be blank"),
    ],
)
def test_queries_that_give_no_table(database: Path, sql: str, message: str) -> None:
    connection = sqlite3.connect(database)
    for source in (database, connection):
        with pytest.raises(InputError) as error:
            Table.from_query(source, sql)
        assert str(error.value) == message
    assert connection.execute("SELECT COUNT(*) FROM products").fetchone() == (2,)
    connection.close()


def test_databases_that_are_none(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("this is no database, however long the file may be")
    for source, message in (
        (tmp_path / "no.sqlite", f"database: {tmp_path / 'no.sqlite'} does not exist; give an SQLite file"),
        (text, "sql: the query failed: DatabaseError: file is not a database"),
        (3, "database: must be an SQLite file, an address or a DB-API connection, got int"),
    ):
        with pytest.raises(InputError) as error:
            Table.from_query(source, "SELECT name FROM sqlite_master")  # type: ignore[arg-type]
        assert str(error.value) == message


def test_an_address_goes_through_sqlalchemy(database: Path) -> None:
    pytest.importorskip("sqlalchemy")
    # A query part keeps SQLAlchemy from being stepped over for the read-only opening of plain SQLite files.
    address = f"sqlite:///file:{database}?mode=ro&uri=true"

    assert Table.from_query(address, QUERY, {"least": 5}).rows == (("Alpine Tent", "249.9", "12"),)
    for source, sql, message in (
        (address, "DELETE FROM products", "sql: the query failed: OperationalError: "),
        ("nosuch://host", "SELECT 1", "database: the address cannot be used: NoSuchModuleError: "),
    ):
        with pytest.raises(InputError) as error:
            Table.from_query(source, sql)
        assert str(error.value).startswith(message)


def test_results_check_themselves() -> None:
    cell = TableCell(0, None, "price", "3")
    for fields, message in (
        ((0, 1, "3", "money", "unknown", "equal", None, 1), "reason: must be one of no_row, "),
        ((0, 1, "3", "money", "confirmed", "equal", None, 1), "cell: must be given exactly where the state is not "),
        ((0, 1, "3", "money", "unknown", "no_row", cell, 0), "cell: must be given exactly where the state is not "),
        ((0, 2, "3", "money", "unknown", "no_row", None, 0), "text: must have the 2 characters of the range 0..2"),
    ):
        with pytest.raises(InputError) as error:
            FactCheck(*fields)  # type: ignore[arg-type]
        assert str(error.value).startswith(message)
