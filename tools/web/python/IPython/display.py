"""What cells show is collected: see ``bridge.run``."""

shown = []


def display(*objects, **_):
    """Collect bundles of MIME types; of other objects their text, as a notebook shows it."""
    shown.extend(one if isinstance(one, dict) else {"text/plain": repr(one)} for one in objects)
