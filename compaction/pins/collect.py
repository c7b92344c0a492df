"""Take out of a history what compacting may not lose.

Rules read the words of people and of the agent; the classifier, where it is handed in, ranks what the rules
found. Outputs of tools give nothing but errors and identifiers, which are data: no rule that finds demands,
goals, decisions, figures or things to do ever reads them.
"""

from collections.abc import Sequence

from elision.compaction.conversation import Conversation, Role
from elision.compaction.pins.calls import calls
from elision.compaction.pins.carried import joined
from elision.compaction.pins.choices import Values, choices
from elision.compaction.pins.constraints import constraints
from elision.compaction.pins.figures import figures
from elision.compaction.pins.identifiers import identifiers
from elision.compaction.pins.open_ends import obligations, open_calls
from elision.compaction.pins.requests import requests
from elision.compaction.pins.speech import utterances
from elision.compaction.pins.superseded import superseded
from elision.compaction.pins.todos import todos
from elision.compaction.pins.touched import files
from elision.compaction.pins.troubles import troubles
from elision.compaction.pins.types import Collected, HistoryPin, PinKind

_DEMANDING = frozenset({Role.USER, Role.SYSTEM, Role.DEVELOPER})
_TALKING = frozenset({Role.USER, Role.ASSISTANT})


def collect(
    conversation: Conversation, *, values: Values | None = None, carried: Sequence[HistoryPin] = ()
) -> tuple[HistoryPin, ...]:
    """The pins of a history; see `survey`, which also tells what was too much."""
    return survey(conversation, values=values, carried=carried).pins


def survey(
    conversation: Conversation,
    *,
    values: Values | None = None,
    carried: Sequence[HistoryPin] = (),
    since: int = 0,
) -> Collected:
    """Find the pins of a history, those included that something later revokes.

    Args:
        conversation: The history. Its leading system texts give no constraints, since they always stay.
        values: Keep values of texts, by which decisions are ranked where there are too many.
        carried: Pins of an earlier compaction, whose messages may be gone. What is said now revokes them too.
        since: Index from which on all messages are later than what was carried.

    Returns:
        Pins by kind in the order of `PinKind`, each kind in the order of the history.
    """
    everything = utterances(conversation)
    talk = [one for one in everything if one.role in _TALKING]
    demands = [one for one in everything if one.role in _DEMANDING]
    made = calls(conversation)
    found, beyond = constraints(demands)
    chosen, beyond_choices = choices(talk, values)
    stated, beyond_figures = figures(talk, [*found, *chosen])
    fresh = [
        *requests(talk, begun=any(pin.kind is PinKind.GOAL for pin in carried)),
        *found,
        *open_calls(conversation),
        *obligations(conversation, talk),
        *files(made),
        *troubles(made, [pin for pin in carried if pin.kind is PinKind.ERROR]),
        *chosen,
        *stated,
        *todos(made, [one for one in talk if one.role is Role.ASSISTANT]),
        *identifiers(conversation),
    ]
    pins = joined(carried, fresh, talk, since)
    holding = superseded([pin for pin in pins if pin.kind is PinKind.CONSTRAINT], demands, since)
    rest = [pin for pin in pins if pin.kind is not PinKind.CONSTRAINT]
    order = {kind: at for at, kind in enumerate(PinKind)}
    return Collected(
        tuple(sorted([*rest, *holding], key=lambda pin: order[pin.kind])),
        (*beyond, *beyond_choices, *beyond_figures),
    )
