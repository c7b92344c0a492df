"""What is done to a portion: the one function that every engine calls."""

import time
from functools import cached_property

from elision.compaction.pins.text import compile_pins
from elision.compaction.tokens import counter, for_model
from elision.compaction.types import Budget, Order
from elision.model.types import Scorer
from elision.serving.batch.forms.json_lines import shorten_json
from elision.serving.batch.forms.log_lines import shorten_log
from elision.serving.batch.forms.tables import shorten_texts
from elision.serving.batch.forms.work import Work
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import Done, Form, Portion
from elision.serving.fail_open import Shortener
from elision.serving.lazy import LazyScorer


class Stage:
    """Shortens portions; the same portion gives the same bytes on every machine.

    Picklable until it is first called: call it where the work is. The bundle is loaded when a text needs
    its scores, once; logs that fold under their target never do.

    Args:
        settings: What is wanted.
        scorer: Scores the texts; by default that of the settings' bundle.
    """

    def __init__(self, settings: BatchSettings, scorer: Scorer | None = None) -> None:
        self.settings = settings
        self._scorer = scorer

    def __call__(self, portion: Portion) -> Done:
        """Shorten a portion. What goes wrong on our side costs the saving, never the text.

        Raises:
            BundleError: If the bundle cannot be used.
        """
        began, tally = time.perf_counter(), Tally()
        data, set_aside = _SHORTENED_BY[portion.form](portion, self._work, tally)
        if isinstance(scorer := self._work.shortener.scorer, LazyScorer) and scorer.error:
            raise scorer.error  # every text would stay as it came
        tally.records += sum(one.records for one in portion.set_aside)
        tally.lines += sum(one.records for one in portion.set_aside)
        report = tally.report(portion.replaced_bytes, time.perf_counter() - began)
        return Done(portion.source, portion.number, data, report, (*portion.set_aside, *set_aside))

    @cached_property
    def _work(self) -> Work:
        asked = self.settings
        tokens = counter(asked.encoding) if asked.model is None else for_model(asked.model)
        order = Order(
            Budget(asked.keep_ratio, floor_tokens=asked.floor_tokens),
            asked.query,
            bool(asked.query),
            compile_pins(asked.pins),
            clean=asked.clean,
            redact=asked.redact,
        )
        scorer = self._scorer or LazyScorer(asked.bundle, asked.threads)
        return Work(asked, order, Shortener(scorer, tokens, _counted))


def _counted(error: BaseException) -> None:
    """The reason ``internal_error`` is counted with the others."""


_SHORTENED_BY = {
    Form.LOG: shorten_log,
    Form.REQUESTS: shorten_json,
    Form.CONVERSATIONS: shorten_json,
    Form.RECORDS: shorten_json,
    Form.TABLE: shorten_texts,
}
