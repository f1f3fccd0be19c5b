"""What lies in the current folder is never run: somebody starts the program from Downloads."""

import sys
from pathlib import Path

import pytest
from processes import printed

import gpu

LIKE_OURS = ("viewer", "gpu", "sample_graphs", "assets", "numpy")
OF_PYTHON = ("socket", "pickle", "signal", "selectors", "struct", "random", "json", "numbers")
SCRIPT = """
import sys, time
sys.path.append({ours!r})
from gpu.host import EngineHost, Ready
from gpu.interpreter import module_command

def engine():
    host = EngineHost()
    host.start()
    while not any(isinstance(reply, Ready) for reply in host.poll()):
        time.sleep(0.05)
    host.close()

def pool():
    import sample_graphs
    from gpu.record.trace import RunSettings
    from gpu.study.sweep import make_plan, run_sweep
    graph = sample_graphs.make("figure_6")
    plan = make_plan(graph, RunSettings("near_far"), values=[2.0])
    assert not run_sweep(graph, plan, processes=1)[0].failure

def module():
    import subprocess
    subprocess.run(module_command("viewer.app", "samples"), check=True, capture_output=True)

if __name__ == "__main__":
    {what}()
    print("done")
"""


@pytest.mark.parametrize("what", ["engine", "pool", "module"])
def test_modules_of_the_current_folder_are_not_run(what: str, tmp_path: Path) -> None:
    downloads, elsewhere = tmp_path / "Downloads", tmp_path / "bin"
    downloads.mkdir()
    elsewhere.mkdir()
    for name in (*LIKE_OURS, *OF_PYTHON):
        trap = f"open({str(tmp_path / 'trapped')!r}, 'a').write({name!r})\nraise SystemExit(9)\n"
        (downloads / f"{name}.py").write_text(trap, encoding="utf-8")
    ours = str(Path(gpu.__file__).resolve().parents[1])
    script = elsewhere / "start.py"  # as an installed command: its own folder comes first
    script.write_text(SCRIPT.format(ours=ours, what=what), encoding="utf-8")
    assert printed(sys.executable, script, cwd=downloads, PYTHONPATH=None) == "done\n"
    assert not (tmp_path / "trapped").exists(), (tmp_path / "trapped").read_text("utf-8")
