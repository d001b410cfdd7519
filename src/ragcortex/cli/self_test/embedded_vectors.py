"""The embedded encoder's vectors of `texts.EMBEDDED_TEXTS`, kept to be compared with those of this machine.

Made by `load_embedder("embedded", device="cpu").embed(EMBEDDED_TEXTS).unit`, rounded to float16, in base64.
"""

import base64
from typing import Final

import numpy as np
import numpy.typing as npt

_WIDTH: Final = 384
_VECTORS: Final = (
    "aaBrKJqqEiiIKbqqHqnUoNarWixyKI6pUSm1KW0tKSwYGE+edS/CqGAdHKk3qFykgCuNKvmsOKxppC0sZqqSrZ0fkKXTLESoTiZ/rMsnz6R7oSIp"
    "pygHpCush6QqKqqoYhaqnh2krhmurdyudJ4/J42oaCbaHxWqQywun5KnjCSgqbEm9a1YrBoswaqYIS6vfxeOr7IgUyx/op4urKytLG8lgaPNKUsu"
    "YSS9IYAsRpnzKl+luyg3rq6vjSoNLI+qMCQjJHSmHycPq12qbqNsKpCpuCG0qL4rj6jpCaQhrCp+IKUoaSAeHPkhc6NGKPYwaS8yrA4eMilAiaUq"
    "RiwAgK8cZi/2KH+ZRC5goC8qny5BrDmq5Cp+pLsiECAjKLmrCyvIqnWlt6u6qceoFqnFmWWk56RDq/gkZrB7KhEp7KiBJXymFKUNnU8kt6/TqTah"
    "biVfoCAi/aDTK6qjpKz/LccrDKDgJTud0LFvLXqW8i4wq+yp8ijBqPAhpayUKwapLxSsmqsQ8CiDkaCY4J5RIMAhuqmvo1wsmhzeLSErk6PEoL0t"
    "mhmcqlkq162WqdoowqogJmer8y1qqvOpwq4AAEilZq0PqfqpJajHrJOixavnKBAsRhpwqA2cMqDzreMkPR5cqeIZjSP7FAukDihGrVCmfiiBq+Gi"
    "oZrQInWjnixJKnErF6bGLF0o3SpxKgwsRCH0oGCllK01LG+nOipppP8pO6XlJL2oziTrLbKstSeMKj4llZ8ipfksWih8Jx0rVy6GqA+vHR5bpkGn"
    "lqh0qBOrcio/piWllChuJASugqXGnX8noqG1JeOskay3KMepE6bzptirlykipmMkPikAgCClfS4GrKAtPqg/pTMlqCOrpPOsB61MrE6ZSyepJBkl"
    "sKjrrrAkiqpNLlCeNStEooystSdbIcEq9qMBJf0kCQOxKBMoW69hqt0oRK0aldWmzhV+K4qhqpdqMHwvHShrG8WnHCrzJAop4qXEJ48h1qjSJdUk"
    "vBMlrBwkqSljK8Qf6KoQqSAm9SwCHgskzhAzKXOo6K2UoaeriipCLBisf676HxEtGqkFqgCqIyzTKdOksx2KnlifW6eul5YieJ3cLUmoJrATqTYs"
    "cagCoA6obKjuLIElH5oGqf6lMZ1VI+ErUCvhrMen2J5FkOok6rGZKr+jgap+rP8f1qqKJj+rXys+KyMpGKl0nWEqHyTAJIEgECq3ppQn2Kpandut"
    "yCclnvOYxKu5JfMrRy08IKgtmCYyqXIuCR4XoX2qLygZrEoorCeNLYuvn6MzKS2rVRxyKIksEZb8KkSuwaXWrDCq2KnNqs2vI6m+pA8lERGfpMWc"
    "t6z0JBmtrqi7o8epvqkAgOUrgaH4IX+hqSX1JiarFC0mE/4kFyldpgWsLa0uKQEoM6mlKtspI6NQKD+ms6ZtLCygi6SWqiQoMqzAIdSr5q3WoUMl"
    "8aqZJf2jbaX0KgMkCyMUHG4s86P9kFYoVq6iqHoksy2gLjih+S9jIq0gMiJVKrgtOxOnpDGt6KXhlUesCC8CKJusFig4sJmlOBmTqHylSaTupGKo"
    "Jx0EqEaoWZ6CKAkbCSFeKNmpPiyCKq0qSh/jKBYvDqykKJUqpycAAOokcKVJLJ8l/6u8KHKrpyzHmyck15vQnCegU6oXo7wsZypVLVss4iatrPYt"
    "jqi7KE+rryLQKmyiW6aUKYMgdCMKrrYmiyO3HyKs16wwG9cjSyy3JbMwxC2aLBskkiCCrQKprStOKHanwa71KT6mkqghrw2ktqbzrQKhHKvUrK0k"
    "7algLCKtFSk7Ku4fcS05KjqpDqhRHrsq4ChbJ0UMAqZfpDkttqvhqvkoYa0jrzyg/SE0oakoYioRH34mqSsAgLuK2CFmKcEpMCMprPIYH6qcJdQq"
    "YyTLLIIvHytkIM0moBB8owyYa62pHwGREizKKIcoeyh+KdobES7FnY2pUqg4IPalEyjxqFkpoClsnjuo7ybSqM+sQCkkrsCp6C0aKwom7CRPHyco"
    "DDDlo56uP6hUJQot+CT7qXepMiVWrnslNighMLErTCP2rPQpoRzTKTmpnya+KzGwKSb6IgCqfK5TrSuroycdJn+kiBp3pwopOakIJ9iN3yP/KoYq"
    "ASamJU4ptKmeJtMjrqYsniWlSx34qJWsRS7Drg+hRyeoqbYpwymWHyioURsRqj6lH6ONq/sZpq1Fp7qmLatLpCUq3aY8qEGpiy/7paKS9B4CKyyo"
    "qh1lqcmlZ6rRKQEYaShornAoM6dJqU0lwaneIjatYyyYKI0nHalVLCWprpzQsM4qoxJgq3or9ioSKLwneSF3Kzit/KpuKhSpKh9IJ1ectagTqVCm"
    "ayljokUqf6z8qWUoFyMXIRylaJ/wp7KcoC4AAPerdqi1oW2hL61fJj6dWSIAoxClNqYlpDQj+qizpcknPqSXKIIvWqcxImyuVCuhKtoq0Kg4JV8l"
    "TyRXHL0obKm5poiiciqCJqsqwy0+LIAtVCbvqBCsGal/LgedJiXrHAqiSyVaJD0eoa8WLSEpI6ggqA6bratAqyssQaGTqecrkKSMJWkphKuzJyqn"
    "t6z+rCkudqShq4cqhQ4hJQOoyS/GJW0i4qe1JRMt+aGeJ3eoJy1UpRulELB/KzkUlykAgCKk4CsIqneoqqZar5AhGTDGpV0lGy6gq64k3SwErJMp"
    "dh0uJOmomKCmo9khG50PL12gZqGwKu2qnypEJJKjV6H+K50rEikErjUpTaqxoT0twCBoLDAtmirAqKwsoKugomUoK5vKJT2q/yWTrEsnU6OEKVUt"
    "OaerImOrp6lypAusYykKre+c56m3KZmnVy5trEypJSRjq7ElEKjoKhstlxftqv8o5SnRq9atNqybqiQgra7UqQ2YOqlAn4WvcSMAgCakhqsToCOn"
    "OCXToQasNyfWLGqa0C6KIGaiPinGooQt8avfJr6g7KzbMOepbqvtq5ypPR+zrHItF7DvrWEpl6JOKa6k/KL7qpAraSsEp5YpESuoKsWrMx+sI/Op"
    "5BbBLgyq3Z0zqm0s0CtFqQIfhSYlJ9slfh78J30ryC1np/6o"
)


def embedded_vectors() -> npt.NDArray[np.float32]:
    """Return the unit vectors, float32, shape (texts, 384); rounding leaves 1 − cosine below 1e-6."""
    halves = np.frombuffer(base64.b64decode(_VECTORS), dtype="<f2").reshape(-1, _WIDTH)
    vectors = halves.astype(np.float32)
    unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
