"""What a tool reports is read in the shapes in which tools report."""

import pytest

from elision.compaction.guard.reports import exit_code, failing_test, is_error, total


@pytest.mark.parametrize(
    "line",
    ["Failed!  - Failed:     2, Passed:   171, Skipped:     1, Total:   174, Duration: 38 s - A.dll (net8.0)", "Tests: 3, Assertions: 5, Failures: 1.", "# fail  1",
     "test result: FAILED. 1 passed; 1 failed", "Tests:       1 failed, 7 passed, 8 total", " Test Files  1 failed (1)", "2 examples, 1 failure", "Ran 2 tests in 0.001s",
     "===== 1 failed, 3 passed in 0.12s =====", "BUILD FAILED in 3s", "Found 1 error.", "1 error generated.", "✖ 2 problems (1 error, 1 warning)"],
)  # fmt: skip
def test_totals_and_verdicts_are_known(line: str) -> None:
    assert total(line) is not None


@pytest.mark.parametrize(
    ("line", "name"),
    [(" FAIL  src/sum.test.ts > sum > adds", "src/sum.test.ts > sum > adds"), (" FAIL  src/sum.test.js", "src/sum.test.js"), ("FAIL\texample.org/round\t0.112s", "example.org/round"),
     ("1) App\\SumTest::testAdds", "App\\SumTest::testAdds"), ("  Failed A.B.C [12 ms]", "A.B.C"), ("not ok 2 - closes it", "closes it"), ("--- FAIL: TestA (0.01s)", "TestA")],
)  # fmt: skip
def test_failing_tests_are_named(line: str, name: str) -> None:
    assert failing_test(line) == name


@pytest.mark.parametrize(
    "line",
    ["PHP Fatal error:  Uncaught RuntimeException: no in /a.php:3", "fatal error: pcap.h: No such file or directory", "Execution failed for task ':compileJava'.",
     "a.c:1:2: error: no", "error[E0308]: mismatched types", "error[no-unused-vars]: `a` is never used", "error[x-E1,987, x-E2]: checksum does not match", "make: *** [Makefile:12: a.o] Error 1"],
)  # fmt: skip
def test_errors_are_known(line: str) -> None:
    assert is_error(line)


def test_an_exit_status_is_read_and_a_failure_in_prose_is_none() -> None:
    assert exit_code("exit status 2") == "2"
    assert not is_error("The build failed because the disk was full.") and total("1) we tried this first") is None
    assert failing_test("1) We should look at std::vector first.") is None
