"""The service: an HTTP API, a review queue and pages, over the same detectors as the library and the command line."""
