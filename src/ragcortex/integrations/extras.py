"""What to say where a framework is not installed."""


def missing(package: str, extra: str) -> ImportError:
    """Return the error of a module that needs a package: what is missing, and which extra brings it along."""
    return ImportError(f"{package} is not installed, and this module needs it; run `pip install 'ragcortex[{extra}]'`")
