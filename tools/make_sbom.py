"""Writes what ragcortex is made of, packages and models, as CycloneDX JSON: `make sbom`.

Packages, their licences and what needs what are read by cyclonedx-py from the environment this runs in; the models,
embedded ones and those that ship in the package, are added with the SHA-256 of their files.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from licence_list import groups
from lock_file import PACKAGES, ROOT, read_pins
from packaging.utils import canonicalize_name

from ragcortex.geometry.embedders import embedded as encoder
from ragcortex.readers import embedded as reader
from ragcortex.wheels import Wheel

_PACKAGE: Final = ROOT / "src" / "ragcortex"
_SHIPPED: Final = ("detectors/bundles/*/*.json", "detectors/bundles/*/*.safetensors", "geometry/models/*.json")
_VALID: Final = (
    "import sys; from cyclonedx.schema import SchemaVersion\n"
    "from cyclonedx.validation.json import JsonStrictValidator\n"
    "sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()))"
)


def main() -> None:
    """Write the bill of materials to the given file."""
    parser = argparse.ArgumentParser(description="Write what ragcortex is made of, as CycloneDX JSON.")
    parser.add_argument("tools", type=Path, help="the environment of locks/tools.txt")
    parser.add_argument("output", type=Path, help="the file to write")
    options = parser.parse_args()
    command = [options.tools / "bin" / "cyclonedx-py", "environment", "--pyproject", ROOT / "pyproject.toml"]
    command += [
        "--mc-type",
        "library",
        "--output-reproducible",
        "--spec-version",
        "1.6",
        "--of",
        "JSON",
        sys.executable,
    ]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    text = json.dumps(with_models(json.loads(made.stdout)), indent=2) + "\n"
    subprocess.run([options.tools / "bin" / "python", "-c", _VALID], input=text, text=True, check=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")
    print(f"{options.output}: {len(json.loads(text)['components'])} components")


def with_models(bill: dict[str, Any]) -> dict[str, Any]:
    """Return a bill of packages with the models among its components, and each package's scope.

    Required is what ragcortex always needs, optional what an extra brings, excluded what is there for development. The
    component that names the folder of this checkout is left out: ragcortex itself is the bill's subject.
    """
    subject = bill["metadata"]["component"]["name"]
    scopes = dict(zip(("required", "optional", "excluded"), groups(read_pins(PACKAGES)), strict=True))
    packages = [one for one in bill["components"] if one["name"] != subject]
    for one in packages:
        name = canonicalize_name(one["name"])
        one["scope"] = next((scope for scope, group in scopes.items() if name in group.packages), "excluded")
    models = [*embedded_models(), *shipped_models()]
    return {**bill, "components": [*packages, *models], "dependencies": _dependencies(bill, models)}


def embedded_models() -> list[dict[str, Any]]:
    """Return the reader and the encoder that are fetched apart, as components."""
    smol = _model("SmolLM2-135M-Instruct", reader.GGUF_SHA256, [reader.WHEEL], {reader.GGUF_NAME: reader.GGUF_SHA256})
    wheels = [encoder.PLAIN_WHEEL, encoder.PACKED_WHEEL]
    return [smol, _model("all-MiniLM-L6-v2", encoder.WEIGHTS_SHA256, wheels, dict(encoder.FILES))]


def shipped_models() -> list[dict[str, Any]]:
    """Return the files of fitted detectors that the package holds, as components."""
    paths = sorted(path for pattern in _SHIPPED for path in _PACKAGE.glob(pattern))
    digests = {path.relative_to(_PACKAGE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return [_model(name, digest, [], {}) for name, digest in digests.items()]


def _model(name: str, digest: str, wheels: list[Wheel], files: dict[str, str]) -> dict[str, Any]:
    properties = [(f"ragcortex:wheel:{wheel.requirement}", wheel.sha256) for wheel in wheels]
    properties += [(f"ragcortex:file:{file}", sha256) for file, sha256 in files.items()]
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{name}",
        "name": name,
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "properties": [{"name": key, "value": f"sha256:{value}"} for key, value in properties],
    }


def _dependencies(bill: dict[str, Any], models: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what needs what: the models are ragcortex's, which is the bill's subject and none of its components."""
    subject = bill["metadata"]["component"]
    own = {one["bom-ref"] for one in bill["components"] if one["name"] == subject["name"]}
    known = [one for one in bill["dependencies"] if one["ref"] not in own]
    for one in known:
        if one["ref"] == subject["bom-ref"]:
            one["dependsOn"] = sorted({*one.get("dependsOn", ()), *(model["bom-ref"] for model in models)} - own)
    return known


if __name__ == "__main__":
    main()
