"""The pages for people: server-rendered, small scripts of our own, nothing from another host."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI


def install(app: "FastAPI") -> None:
    """Add all pages, and their stylesheet and scripts, to the application."""
    from ragcortex.service.pages.routes import router, static_app

    app.include_router(router)
    app.mount("/static", static_app, name="static")
