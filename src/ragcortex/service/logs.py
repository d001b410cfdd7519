"""What the service writes to standard error: one line an event, with no text of anybody's and no secret."""

import logging
import sys
import time


def configure_logs(level: int = logging.INFO) -> None:
    """Write the service's and the server's events to standard error, times in UTC; for the command only."""
    handler = logging.StreamHandler(sys.stderr)
    formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    for name in ("ragcortex", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
