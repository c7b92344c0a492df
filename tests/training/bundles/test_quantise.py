"""The stored forms: 4-bit rows come back bit for bit, 8-bit blocks within half a step."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elision.training.bundles.quantise import BLOCK, int8_blocks, q4_rows


def test_rows_that_already_are_4_bit_blocks_lose_nothing() -> None:
    rng = np.random.default_rng(1)
    first = q4_rows(rng.normal(size=(64, 4 * BLOCK)).astype(np.float32))

    again = q4_rows(first.dequantised())

    assert (again.dequantised() == first.dequantised()).all()


def test_two_weights_share_a_byte_the_first_in_the_low_nibble() -> None:
    rows = q4_rows(np.array([[-8.0, 7.0, *[0.0] * (BLOCK - 2)]], dtype=np.float32))

    assert rows.nibble_bytes()[0] == 0x78


def test_a_row_of_zeros_stays_zero() -> None:
    assert (q4_rows(np.zeros((1, BLOCK), np.float32)).dequantised() == 0).all()


@given(st.integers(0, 1000))
def test_blocks_are_off_by_at_most_half_a_step(seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=(16, 8)).astype(np.float32)

    packed = int8_blocks(weights, 4)

    steps = np.repeat(packed.scales, 4, axis=1).T
    assert (np.abs(packed.dequantised() - weights) <= steps * 0.5001).all()
