import pytest

from flowcat_jupyter.shared.errors import AlreadyExists, NotFound
from flowcat_jupyter.shared.registry import Registry


def test_a_target_is_loaded_when_it_is_first_asked_for():
    registry: Registry[object] = Registry("thing")
    registry.register("Later", "json:dumps")
    registry.register("broken", "no_such_module:x")
    assert registry.get("LATER")([1]) == "[1]"  # type: ignore[operator]
    assert list(registry) == ["broken", "later"]
    assert "later" in registry
    assert len(registry) == 2
    with pytest.raises(ModuleNotFoundError):
        registry.get("broken")


def test_a_name_is_given_once_whatever_its_case():
    registry: Registry[int] = Registry("number")
    registry.register("one", 1)
    with pytest.raises(AlreadyExists, match="number ONE"):
        registry.register("ONE", 2)
    assert registry.get("One") == 1


def test_an_unknown_name_lists_what_there_is():
    registry: Registry[int] = Registry("number")
    registry.register("one", 1)
    with pytest.raises(NotFound) as caught:
        registry.get("two")
    assert caught.value.hint == "There are: one."
