"""Read a file or a pipe as it comes, and know when to stop: at its end, on a signal, when nobody reads on."""

import os
import select
import signal
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from elision.serving.errors import BadInput
from elision.serving.logs.decoding import Decoding

_CHUNK = 1 << 18
_BINARY = 8_192  # characters at the beginning in which a NUL tells a binary file


class Stop:
    """Whether a signal asked to stop, and which.

    Attributes:
        signal: Its number; 0 if there was none.
        wake: Can be read from once there was one; None where nobody listens.
    """

    def __init__(self, wake: int | None = None) -> None:
        self.signal = 0
        self.wake = wake

    @property
    def exit_code(self) -> int:
        """What a shell says of who was stopped so."""
        return 128 + self.signal if self.signal else 0


@contextmanager
def listening() -> Iterator[Stop]:
    """Note SIGINT and SIGTERM while the block runs; who sends a second one does not want to wait."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    stop = Stop(readable)

    def note(number: int, frame: FrameType | None) -> None:
        if stop.signal and number == signal.SIGINT:
            raise KeyboardInterrupt
        if stop.signal:
            raise SystemExit(128 + number)
        stop.signal = number

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    woken = signal.set_wakeup_fd(writable)
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(readable)
        os.close(writable)


@contextmanager
def opened(name: str) -> Iterator[int]:
    """The descriptor of a file.

    Raises:
        BadInput: If there is no such file, or it cannot be read.
    """
    try:
        file = os.open(name, os.O_RDONLY)
    except FileNotFoundError:
        raise BadInput(f"no such file: {name}") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None
    try:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise BadInput(f"{name} is a directory")
        yield file
    finally:
        os.close(file)


def is_file(file: int) -> bool:
    """Whether all that will come is there already."""
    return stat.S_ISREG(os.fstat(file).st_mode)


class Reader:
    """Reads a descriptor; see `elision.serving.logs.stream.Read`.

    Args:
        file: What to read.
        stop: Asked before each read.
        reader: The descriptor of whoever reads what is written, if it is a pipe.
        name: What to call the input.
        clock: Seconds.

    Attributes:
        decoding: How the bytes are read.
    """

    def __init__(
        self,
        file: int,
        stop: Stop,
        reader: int | None = None,
        name: str = "the input",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.decoding = Decoding()
        self._file, self._stop, self._reader, self._name, self._clock = file, stop, reader, name, clock
        self._ended = False
        self._characters = 0
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN)
        if stop.wake is not None:
            self._poll.register(stop.wake, select.POLLIN)
        if reader is not None and _is_pipe(reader):
            self._poll.register(reader, 0)

    def __call__(self, due: float | None) -> tuple[str, float] | None:
        """The text that came until ``due``, or as soon as any comes.

        Raises:
            BrokenPipeError: If whoever reads what is written has gone.
            BadInput: If the input cannot be read, or is binary.
        """
        if self._ended:
            return None
        wait = None if due is None else max(0.0, due - self._clock()) * 1000
        ready = {file for file, _ in self._poll.poll(wait)}
        if self._reader in ready:
            raise BrokenPipeError
        if self._stop.signal:
            return self._end()
        return self._read() if self._file in ready else ("", self._clock())

    def _read(self) -> tuple[str, float]:
        try:
            data = os.read(self._file, _CHUNK)
        except BlockingIOError:
            return "", self._clock()
        except OSError as error:
            raise BadInput(f"cannot read {self._name}: {error.strerror or error}") from None
        if not data:
            return self._end()
        return self._checked(self.decoding.push(data)), self._clock()

    def _end(self) -> tuple[str, float]:
        self._ended = True
        return self._checked(self.decoding.push(b"", final=True)), self._clock()

    def _checked(self, text: str) -> str:
        # Further down it is a log that was cut off by its rotation, or a stray byte.
        if self._characters < _BINARY and "\0" in text[: _BINARY - self._characters]:
            raise BadInput(f"{self._name} is a binary file (it holds NUL bytes)")
        self._characters += len(text)
        return text


def _is_pipe(file: int) -> bool:
    mode = os.fstat(file).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
