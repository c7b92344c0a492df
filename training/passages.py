"""The passage of a page that a script writes: between two HTML comments, and nothing else of the page."""


def rewritten(page: str, begin: str, end: str, text: str) -> str:
    """The page with ``text`` between the two markers.

    Raises:
        ValueError: If the page lacks one of them, or they stand the wrong way round.
    """
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"the page has no {begin} ... {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"
