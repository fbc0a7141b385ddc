# SPDX-License-Identifier: Apache-2.0
# Reads the tree of one app through libatspi, as `atspi.ts` does without it: prints the elements and the milliseconds.
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

MOST_CHILDREN = 200


def app_of(pid):
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(index)
        if app is not None and app.get_process_id() == pid:
            return app
    sys.exit(f"no app with pid {pid}")


def read(app):
    waiting, elements = [app], 0
    while waiting:
        element = waiting.pop()
        elements += 1
        states = element.get_state_set()
        element.get_role()
        element.get_name()
        element.get_description()
        element.get_interfaces()
        count = element.get_child_count()
        if states.contains(Atspi.StateType.MANAGES_DESCENDANTS) or count > MOST_CHILDREN:
            continue
        for index in range(count):
            child = element.get_child_at_index(index)
            if child is not None:
                waiting.append(child)
    return elements


Atspi.init()
found = app_of(int(sys.argv[1]))
started = time.perf_counter()
number = read(found)
print(number, (time.perf_counter() - started) * 1000)
