import pytest

from ragcortex.geometry.document_markdown import markdown_text

SOURCE = """# Opening *hours*

The [tower](https://example.org/x "title") is `open`
until five.\\
Ask ![Mary Holt](holt.png) for **41 m**<br>views &amp; more.

3. first

   with a second paragraph
4. second
   - inner
   * other
5.
6. last

| Day | From |
|-----|-----:|
| Mon | 9 `am` |
|     | ~~10~~ |

> quoted

```python
if x:
    pass
```

<table><tr><td>a<td>b</table>

<script>never()</script>

[x]: https://example.org
Setext
------
- [ ] task
"""


def test_text_of_markdown() -> None:
    assert markdown_text(SOURCE).text == (
        "Opening hours\n\nThe tower is open\nuntil five.\nAsk Mary Holt for 41 m\nviews & more.\n\n"
        "3. first\nwith a second paragraph\n4. second\ninner\nother\n5.\n6. last\n\n"
        "Day | From\nMon | 9 am\n| 10\n\nquoted\n\nif x:\n    pass\n\na | b\n\nSetext\n\n[ ] task"
    )
    assert markdown_text(SOURCE).notes == ()


@pytest.mark.parametrize("source", [">" * 300 + " x", "*" * 3000 + "x" + "*" * 3000, "- " * 300 + "x"])
def test_what_is_nested_too_deeply_is_kept_as_it_is(source: str) -> None:
    found = markdown_text(source)
    assert found.text == source
    assert found.notes == ("was read as plain text: its Markdown is nested deeper than 100 levels",)


def test_moderate_nesting_is_parsed() -> None:
    assert markdown_text(">" * 40 + " x").text == "x"
    assert markdown_text("".join("  " * level + f"- level {level}\n" for level in range(30))).text.count("level") == 30
