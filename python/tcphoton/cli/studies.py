"""What the verbs that show a sweep say of the study that they show."""

from pathlib import Path

from tcphoton.common.terminal import say


def tell_of_studies(folder: Path, number: int | None = None) -> None:
    """Report which of several studies is shown, and whether its scenario has changed since."""
    from tcphoton.sweep.studies import changed, studies

    known = studies(folder)
    at = next(
        (each for each in known if (each.number == number) or (number is None and each.shown)),
        None,
    )
    if at is None:
        return
    if len(known) > 1:
        other = known[at.number - 2] if at.number > 1 else known[1]
        unlike = f"differs from study {other.number} in {at.differs(other)}"
        say(f"study {at.number} of {len(known)} in {folder}, of {at.time}: {unlike}")
    if file := changed(at.definition):
        say(f"{file} has changed since: `tcphoton sweep` makes another study of it")
