"""Groups of commands: without a command they show their help, as `--help` does."""

import pytest

from clew.app.cli.main import main


@pytest.mark.parametrize("group", [[], ["eval"], ["eval", "extraction"], ["extract"], ["statements"]])
def test_a_group_without_a_command_shows_its_help(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(group) == 0
    shown = capsys.readouterr()
    assert main([*group, "--help"]) == 0
    assert shown.out == capsys.readouterr().out
    assert shown.err == ""
    assert "\nCommands:\n" in shown.out
