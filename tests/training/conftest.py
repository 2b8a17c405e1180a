from tests.rendered import bare_machine

__all__ = ["bare_machine"]
