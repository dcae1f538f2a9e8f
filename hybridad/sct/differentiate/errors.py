"""Why a trace cannot be differentiated (the function then stays on the tape)."""

__all__ = ["Unsupported"]


class Unsupported(Exception):
    """What the specializer cannot differentiate.

    Parameters
    ----------
    reason : str
        For `hybridad.explain`.
    place : Place, optional
        Where in the user's source.
    """

    def __init__(self, reason, place=None):
        super().__init__(reason if place is None else f"{reason} ({place.file}:{place.line})")
        self.reason = reason
        self.place = place
