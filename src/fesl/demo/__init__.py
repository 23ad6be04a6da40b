"""The demonstration: `fesl demo` or `python -m fesl.demo`.

A roadside network whose sensors are replaced twice, with one that freezes and one that blinks; the default learner
against the same learner restarted from scratch at every replacement. Leaves a report and a picture.
"""

from fesl.demo.network import Network, network
from fesl.demo.restarted import Restarted
from fesl.demo.story import Story, run

__all__ = ["Network", "Restarted", "Story", "network", "run"]
