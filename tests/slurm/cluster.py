#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plan --slurm on a real Slurm of three nodes: the disk is full; one node is lost
while a partial runs there, one partial is killed; submitted again, the rest is
done and the result is analyze's, byte for byte."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool.%n
SlurmctldPidFile={dir}/ctld.pid
SlurmdPidFile={dir}/d.%n.pid
SlurmctldLogFile={dir}/ctld.log
SlurmdLogFile={dir}/d.%n.log
SlurmctldPort={port}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
KillWait=1
NodeName=n[1-3] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] \
CPUs=1 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
"""
# The first attempts of shards 1 and 2 stop in the middle of their work.
WRAPPER = """#!/bin/sh
if [ "$1" = partial ]; then
	case $SLURM_ARRAY_TASK_ID in
	1|2)
		if [ ! -e {dir}/pid.$SLURM_ARRAY_TASK_ID ]; then
			{program} "$@" &
			kill -STOP $!
			echo "$! $SLURMD_NODENAME" > {dir}/new.$SLURM_ARRAY_TASK_ID
			mv {dir}/new.$SLURM_ARRAY_TASK_ID \\
				{dir}/pid.$SLURM_ARRAY_TASK_ID
			wait $!
			exit $?
		fi
	esac
fi
exec {program} "$@"
"""
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
LIMIT_S = 240
SMALL_DISK = "64k"


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}
        first = 20000 + os.getpid() % 10000
        (folder / "slurm.conf").write_text(CONF.format(
            host=socket.gethostname().split(".")[0], dir=folder,
            port=first, first=first + 1, last=first + 3))
        for name in ("state", "spool.n1", "spool.n2", "spool.n3"):
            (folder / name).mkdir()

    def start(self):
        (self.folder / "key").write_bytes(os.urandom(128))
        (self.folder / "key").chmod(0o600)
        self.run("munged", "--force", f"--key-file={self.folder}/key",
                 f"--socket={self.folder}/munge.socket",
                 f"--pid-file={self.folder}/munged.pid",
                 f"--log-file={self.folder}/munged.log",
                 f"--seed-file={self.folder}/munged.seed")
        conf = f"{self.folder}/slurm.conf"
        self.run("slurmctld", "-f", conf)
        for node in ("n1", "n2", "n3"):
            self.run("slurmd", "-f", conf, "-N", node)
        self.wait(lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D")
                  .strip() == "3", "three nodes")

    def run(self, *words):
        return subprocess.run(words, env=self.env, check=True, text=True,
                              cwd=self.folder, stdout=subprocess.PIPE,
                              timeout=60).stdout

    def wait(self, done, what):
        until = time.monotonic() + LIMIT_S
        while not done():
            if time.monotonic() > until:
                raise AssertionError(f"no {what} in {LIMIT_S} s")
            time.sleep(0.5)

    def end(self, name, how=signal.SIGTERM):
        try:
            os.kill(int((self.folder / name).read_text()), how)
        except (OSError, ValueError):
            pass

    def stop(self):
        for name in ("d.n1.pid", "d.n2.pid", "d.n3.pid", "ctld.pid",
                     "munged.pid"):
            self.end(name)


def stopped(cluster, shard):
    """Process and node of the partial that waits in the middle."""
    path = cluster.folder / f"pid.{shard}"
    cluster.wait(path.exists, f"partial {shard}")
    pid, node = path.read_text().split()
    return int(pid), node


def over(cluster):
    """Are no jobs left?  What runs again would wait for some minutes."""
    jobs = cluster.run("squeue", "-h", "-o", "%A %r").splitlines()
    for job, why in (line.split(None, 1) for line in jobs):
        if why == "BeginTime":
            cluster.run("scontrol", "update", f"jobid={job}", "starttime=now")
    return not jobs


def fill_disk(cluster, script, parts):
    """Partial results on a disk that has room for some of them: the tasks end
    with an error, no merge begins, and what is left is whole."""
    parts.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}",
                       "none", parts], check=False).returncode:
        print("not tried: a full disk, as nothing can be mounted")
        return
    try:
        cluster.run("sh", script)
        cluster.wait(lambda: over(cluster), "end on a full disk")
        said = "".join(p.read_text() for p in parts.glob("partial-*.log"))
        left = {p.name for p in parts.iterdir() if p.suffix != ".log"}
        assert "No space left on device" in said, said
        assert all(name.endswith(".part") for name in left), left
        assert not list(parts.glob("merge*.log")), "a merge began"
    finally:
        subprocess.run(["umount", parts], check=True)


def fail_twice(cluster, script):
    """A node is lost, and another partial killed."""
    cluster.run("sh", script)
    lost, node = stopped(cluster, 1)
    killed, _ = stopped(cluster, 2)
    cluster.end(f"d.{node}.pid", signal.SIGKILL)
    cluster.run("scontrol", "update", f"nodename={node}", "state=down",
                "reason=lost")
    for pid in (lost, killed):
        os.kill(pid, signal.SIGKILL)
    cluster.wait(lambda: over(cluster), "end of the jobs")


def cluster_test(folder, program, captures):
    inputs = sorted(map(str, captures.glob("*.pcap")))[:8]
    wrapper = folder / "fabscope"
    subprocess.run([program, "analyze", "-o", folder / "whole.db", *inputs],
                   check=False, stdout=subprocess.DEVNULL)
    subprocess.run([program, "plan", "-w", "rail.plan", "--shards", "5",
                    "--slurm", "rail.sh", "-o", "merged.db", *inputs],
                   cwd=folder, check=True)
    script = folder / "rail.sh"
    text = script.read_text()
    assert str(program) in text
    wrapper.write_text(WRAPPER.format(dir=folder, program=program))
    wrapper.chmod(0o755)
    cluster = Cluster(folder)
    try:
        cluster.start()
        fill_disk(cluster, script, folder / "rail.plan.parts")
        assert not (folder / "merged.db").exists()
        script.write_text(text.replace(str(program), str(wrapper)))
        fail_twice(cluster, script)
        assert not (folder / "merged.db").exists()
        missing = subprocess.run([program, "merge", "rail.plan"], cwd=folder,
                                 text=True, capture_output=True, check=False)
        assert missing.returncode == 1, missing
        assert "1 of 5 partial results are missing, the first is 2" in \
            missing.stderr, missing.stderr
        cluster.run("sh", script, "--wait")
    finally:
        cluster.stop()
    assert (folder / "merged.db").read_bytes() == \
        (folder / "whole.db").read_bytes()
    print("the same database")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() or not all(map(shutil.which, DAEMONS)):
        print("skipped: needs root, slurm-wlm and munge")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fabscope-slurm."))
    began = time.monotonic()
    try:
        cluster_test(folder, program, pathlib.Path(sys.argv[2]))
    except BaseException:
        for log in [*folder.glob("*.log"), *folder.glob("*.parts/*.log")]:
            print(f"--- {log.name}\n{log.read_text()[-2500:]}")
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
