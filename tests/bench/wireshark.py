#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin adds to tshark -q -z conv,udp: processor time with it and
without, the least of three runs each.

    wireshark.py PLUGINS CAPTURE...

PLUGINS is the folder "wireshark" of a release build.  Root becomes nobody, whom
tshark lets load plugins; captures have to be such that nobody may read them."""
import os
import resource
import subprocess
import sys

NOBODY = 65534
RUNS = 3


def seconds(capture, plugins):
    root = os.getuid() == 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["tshark", "-q", "-r", capture, "-z", "conv,udp"],
                   check=True, stdout=subprocess.DEVNULL,
                   user=NOBODY if root else None,
                   group=NOBODY if root else None,
                   extra_groups=[] if root else None,
                   env={"PATH": os.environ["PATH"], "HOME": "/nonexistent",
                        "WIRESHARK_PLUGIN_DIR": plugins})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)


def main():
    plugins = os.path.abspath(sys.argv[1])
    print("without    with   ratio")
    for capture in sys.argv[2:]:
        without, with_it = (min(seconds(capture, folder)
                                for _ in range(RUNS))
                            for folder in ("/nonexistent", plugins))
        print(f"{without:6.2f} s{with_it:6.2f} s{with_it / without:8.2f}  "
              f"{os.path.basename(capture)}", flush=True)


if __name__ == "__main__":
    main()
