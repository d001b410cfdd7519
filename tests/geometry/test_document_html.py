import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.document_html import html_file_text, html_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<title>T &amp; x</title><p>One <b>b</b>old,<br>line\n  two.<p>Next", "T & x\n\nOne bold,\nline two.\n\nNext"),
        ("<title>Same</title><h1>Same</h1><p>x", "Same\n\nx"),
        ("<title>Only</title>", "Only"),
        ("<p>a<script>b</script><style>c</style><nav>d</nav><!-- e --><template>f</template>g", "a\n\ng"),
        ("<p>a<script>b</script><style>c</style><!-- e -->g", "ag"),
        ("<ul><li>one<li><p>two</p><ul><li>three</ul></ul>after", "one\ntwo\nthree\n\nafter"),
        ('<ol start=3><li><p>three</p>more<li><li value="7">x<li>y</ol>', "3. three\nmore\n4.\n7. x\n8. y"),
        ("<table><tr><th>a<th>b<tr><td><td><p>x</p><p>y<tr><td> <td></table>z", "a | b\n| x y\n\nz"),
        ("<table><tr><td><table><tr><td>i<td>j</table><td>side</table>", "i | j\n\nside"),
        ("<p>see</p><pre>\n a\n   b\n</pre>", "see\n\n a\n   b\n"),
        (
            "10<sup>6</sup> m<sup>2</sup>, x<sup>-1</sup>, said<sup>[1]</sup>, 1<sup>st</sup>",
            "10⁶ m², x⁻¹, said[1], 1st",
        ),
        ("<div>d1</div><div>d2</div>", "d1\n\nd2"),
        ('<p><a href="http://x/">words</a> <img src=x alt="A tower">', "words A tower"),
        ("<ruby>漢<rp>(<rt>かん<rp>)</ruby>字", "漢字"),
        ("&lt;p&gt;&nbsp;z &#x1F468;", "<p>\xa0z 👨"),
        ("<p>unclosed <b>tags <i>everywhere", "unclosed tags everywhere"),
        ("<frameset><frame></frameset>", ""),
        ("", ""),
    ],
)
def test_text_of_html(source: str, text: str) -> None:
    assert html_text(source) == text


def test_encodings() -> None:
    page = '<meta http-equiv=x content="text/html; charset={}"><p>Größe “ü” €'
    assert html_file_text(page.format("utf-8").encode()).text == "Größe “ü” €"
    latin = html_file_text(page.format("ISO-8859-1").encode("cp1252"))
    assert latin.text == "Größe “ü” €"
    assert latin.notes == ("was read as cp1252, as the file declares",)
    assert html_file_text('<meta charset="shift_jis"><p>灯台は海の上に'.encode("cp932")).text == "灯台は海の上に"
    assert html_file_text('<meta charset="iso-2022-jp"><p>灯台'.encode("iso2022_jp")).text == "灯台"
    assert html_file_text(b'<meta charset="hex"><p>plain').text == "plain"
    assert html_file_text("<p>灯台".encode("utf-16")).text == "灯台"


def test_xhtml_elements_closed_in_themselves_do_not_swallow_the_rest() -> None:
    page = (
        b'<?xml version="1.0"?><html><head><script src="a>b"/><title/></head>'
        b'<body><p>a<br/>b <a id="x"/>c</p></body></html>'
    )
    assert html_file_text(page, xhtml=True).text == "a\nb c"
    assert html_file_text(page).text == "a\nb c"


def test_nesting() -> None:
    assert html_text("<div>" * 4000 + "deep") == "deep"
    assert html_text("<p>x" * 20_000).count("x") == 20_000
    with pytest.raises(InputError) as caught:
        html_text("<div>" * 6000)
    assert str(caught.value) == "file: has elements nested more than 5,000 deep, which no page for people has"


SOUP = "a <p> </p> <td> </td> <tr> <table> <li> <ol> </ol> <ul> <sup> <pre> <br> <b> 1 &amp;"


@given(st.lists(st.sampled_from(regex.split(" ", SOUP))))
def test_any_soup_is_read_with_every_word(pieces: list[str]) -> None:
    text = html_text("".join(pieces))
    assert text.count("a") == pieces.count("a")
    assert text == text.lstrip("\n")
