"""The severities of the world's loggers under one set of names, and their order."""

from collections.abc import Mapping

# Rank of each name; FATAL is what many call CRITICAL.
RANKS: Mapping[str, int] = {
    "TRACE": 5, "DEBUG": 10, "INFO": 20, "NOTICE": 25, "WARN": 30, "ERROR": 40,
    "CRITICAL": 50, "FATAL": 50, "ALERT": 60, "EMERGENCY": 70,
}  # fmt: skip
_SPELLINGS = {
    "TRACE": "trace trc trce finest finer verbose vrb silly v t",
    "DEBUG": "debug dbg dbug fine config d",
    "INFO": "info information informational inf log i default",
    "NOTICE": "notice n",
    "WARN": "warn warning wrn w",
    "ERROR": "error err eror severe failure fail e",
    "CRITICAL": "critical crit c",
    "FATAL": "fatal ftl f panic dpanic",
    "ALERT": "alert a",
    "EMERGENCY": "emergency emerg",
}
_NAMES = {spelled: name for name, spellings in _SPELLINGS.items() for spelled in spellings.split()}
_SYSLOG = ("EMERGENCY", "ALERT", "CRITICAL", "ERROR", "WARN", "NOTICE", "INFO", "DEBUG")
_TENS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")  # pino and bunyan: 10 to 60
_PYTHON = ("DEBUG", "INFO", "WARN", "ERROR", "CRITICAL")  # 10 to 50
_OTEL = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")  # four numbers each, from 1
_NEXTCLOUD = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
_MONOLOG = {
    100: "DEBUG", 200: "INFO", 250: "NOTICE", 300: "WARN", 400: "ERROR", 500: "CRITICAL", 550: "ALERT", 600: "EMERGENCY"
}  # fmt: skip


def named(spelled: str) -> str | None:
    """The one name of a severity that is spelled in any case or shortened, or None if it is none."""
    return _NAMES.get(spelled.strip().lower())


def syslog(priority: int) -> str:
    """The severity in a syslog priority; the facility does not count."""
    return _SYSLOG[priority & 7]


def numbered(key: str, number: int, keys: Mapping[str, object]) -> str | None:
    """The severity that a JSON record gives as a number.

    Args:
        key: The field it stands in.
        number: What stands there.
        keys: The record, which tells whose numbers they are.
    """
    if key in ("PRIORITY", "syslog_severity"):
        return _at(_SYSLOG, number)
    if key in ("severityNumber", "severity_number", "SeverityNumber"):
        return _at(_OTEL, (number - 1) // 4) if number > 0 else None
    if key in ("levelno", "level_no"):
        return _at(_PYTHON, number // 10 - 1)
    if number < 10:
        return _at(_NEXTCLOUD if "reqId" in keys else _SYSLOG, number)
    return _at(_TENS, number // 10 - 1) or _MONOLOG.get(number)


def at_least(name: str | None, threshold: str) -> bool:
    """Whether a severity reaches another; no severity reaches none."""
    return name is not None and RANKS.get(name, 0) >= RANKS[threshold]


def status_level(status: int) -> str:
    """The severity of a web server's answer: its own failures are errors, those of the asker warnings."""
    return "ERROR" if status >= 500 else "WARN" if status >= 400 else "INFO"


def _at(names: tuple[str, ...], index: int) -> str | None:
    return names[index] if 0 <= index < len(names) else None
