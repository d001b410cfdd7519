"""In which language a page is shown: as the service is set, else as the person chose, else as the browser asks."""

from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request

from ragcortex.service.pages.wording import LANGUAGES, Texts, best_language, texts_in

_SESSION_KEY: Final = "language"
_PARAMETER: Final = "lang"


def texts_of(request: Request) -> Texts:
    """Return the texts for a request; `?lang=` chooses a language for the rest of the session."""
    fixed = request.app.state.service.settings.language
    if fixed is not None:
        return texts_in(fixed)
    session = request.scope.get("session", {})
    asked = request.query_params.get(_PARAMETER)
    if asked in LANGUAGES:
        session[_SESSION_KEY] = asked
        return texts_in(asked)
    kept = session.get(_SESSION_KEY)
    return texts_in(kept if kept in LANGUAGES else best_language(request.headers.get("accept-language", "")))


def language_links(request: Request, current: Texts) -> list[dict[str, object]]:
    """Return the links that show the same page in each language; none where the service is set to one."""
    if request.app.state.service.settings.language is not None:
        return []
    is_page = request.method in ("GET", "HEAD")
    asked = request.query_params.multi_items() if is_page else []
    kept = [(name, value) for name, value in asked if name != _PARAMETER]
    path = request.url.path if is_page else "/"
    return [
        {
            "language": language,
            "name": name,
            "url": f"{path}?{urlencode([*kept, (_PARAMETER, language)])}",
            "is_current": language == current.language,
        }
        for language, name in LANGUAGES.items()
    ]
