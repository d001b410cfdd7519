"""A tiny adapter for the tests of the runner: what it does with a row stands in the row's answer."""

import json
import os
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "peers" / "adapters"))
from line_protocol import result, serve


def start(options):
    if options["model"] == "unstartable":
        raise RuntimeError("no such\nmodel")

    def score(row):
        with Path(os.environ["MADE_ADAPTER_SEEN"]).open("a") as seen:
            seen.write(f"{row['row']}\n")
        return {method: _result(row, options) for method in options["methods"]}

    return score


def _result(row, options):
    word = row["answer"].split()[0]
    if word == "boom":
        raise ValueError("no\nsuch luck")
    if word == "die":
        os._exit(7)
    if word == "slow":
        time.sleep(float(row["answer"].split()[1]))
    if word == "noise":
        print("something the peer prints")
    if word == "ask":
        return result(answer=_asked(options, row["answer"]))
    end = len(row["answer"]) + (word == "outside")
    score = float("nan") if word == "nan" else len(row["references"])
    return result(answer=score, spans=[(0, end, 1.0)])


def _asked(options, text):
    body = {"model": options["model"], "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    request = Request(options["endpoint"] + "/chat/completions", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=10) as reply:
        return float(json.load(reply)["choices"][0]["message"]["content"])


if __name__ == "__main__":
    serve(start)
