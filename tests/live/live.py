#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope live on a real interface: live.py PROGRAM CAPTURES CLOCK [TEST...]

CLOCK is clock.c as a shared object, "" where it cannot be used.

What a live analysis finds is held against what is known of the capture that
was replayed, and against the analysis of the packets as the kernel stamped
them."""
import os
import pathlib
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import traceback

from lab import Lab, WAIT
from send import packets

CAPTURES = None
PROGRAM = None
CLOCK = None
LOSS = ("rule LIKE '%loss%' AND rule NOT IN ('capture-loss')"
        " OR rule LIKE '%timeout%' OR rule = 'ack-loss'")


def received(lab, least):
    return lambda: (lab.ask("SELECT max(received) FROM live_status") or
                    0) >= least


def all_seen(lab, n):
    lab.until(f"{n} packets", received(lab, n))


def findings(lab, database):
    """Without what a place is called and where its numbers come from."""
    return lab.rows("SELECT rule, severity, confidence, title, first_ns,"
                    " last_ns, cost_ns FROM finding ORDER BY 1, 4", database)


def flows(lab, database):
    return lab.rows("SELECT src, dst, dst_qp, packets, lost_upstream,"
                    " lost_downstream_min, retransmitted, timeouts, first_ns,"
                    " messages, pairing FROM flow ORDER BY first_ns, src",
                    database)


def same_as_the_file(lab, *options):
    """Live, and the file of the same packets with the same times."""
    lab.start("-w", str(lab.path) + "/ring-", *options)
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    all_seen(lab, 331)
    lab.until("the finding", lambda: lab.ask(
        "SELECT count(*) FROM finding WHERE rule = 'tail-loss'"))
    assert lab.stop() == 0
    ring = sorted(lab.path.glob("ring-*.pcapng"))
    assert len(ring) == 1, ring
    # nothing is left beside the database
    assert not list(lab.path.glob("live.db-*"))
    file = lab.analyze(*ring)
    # the capture's story: 4 losses, 4 timeouts, 32 packets sent again
    assert lab.rows("SELECT lost_downstream_min, timeouts, retransmitted"
                    " FROM flow WHERE src = '10.9.0.1'") == [(4, 4, 32)]
    assert findings(lab, lab.database) == findings(lab, file)
    assert flows(lab, lab.database) == flows(lab, file)
    return True


COUNTS = """
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind((sys.argv[1], 0))
print("ready", flush=True)
n = 0
s.settimeout(3)
try:
    while s.recv(65536):
        n += 1
except TimeoutError:
    print(n)
"""


def xdp_takes(lab, mode):
    """The same by XDP; does the host get the packets as well?"""
    here = subprocess.run(lab.inside(PROGRAM, "live", "-i", "nowhere", "-o",
                                     lab.path / "none.db", "--headless",
                                     "--xdp", mode),
                          capture_output=True, text=True)
    assert here.returncode == 1 and "nowhere" in here.stderr, here
    try:
        lab.start("--xdp", mode)
    except AssertionError as error:
        if "XDP" in str(error):
            print(error)
            return None  # not on this kernel
        raise
    assert lab.stop() == 0
    host = subprocess.Popen(lab.inside(sys.executable, "-c", COUNTS, "m1"),
                            stdout=subprocess.PIPE, text=True)
    assert host.stdout.readline() == "ready\n"
    for file in lab.path.glob("live.db*"):
        file.unlink()
    same_as_the_file(lab, "--xdp", mode)
    return int(host.communicate()[0])


def xdp_passes(lab):
    came = xdp_takes(lab, "pass")
    assert came is None or came >= 331, came
    return came is not None


def xdp_drops(lab):
    came = xdp_takes(lab, "drop")
    assert not came, came
    return came is not None


def xdp_is_full(lab):
    """The capture process stands still: what the program drops is counted."""
    clean = bench(lab, 40000)
    try:
        lab.start("--buffer", "1", "--xdp", "drop")
    except AssertionError as error:
        print(error)
        return False
    capture = lab.children()[0]
    os.kill(capture, signal.SIGSTOP)
    lab.send(clean, "--flat-out")
    os.kill(capture, signal.SIGCONT)
    no_loss_is_told(lab, "dropped_kernel")
    total, = lab.rows("SELECT received + dropped_kernel FROM live_status"
                      " ORDER BY id DESC")[0]
    assert total == len(octets_of(clean)), total
    return True


def xdp_is_removed(lab):
    """Its program went with the interface: somebody has to start live anew."""
    try:
        lab.start("--xdp", "drop")
    except AssertionError as error:
        print(error)
        return False
    lab.ip("link", "del", "m0")
    assert lab.live.wait(WAIT) == 1
    assert "interface is gone" in lab.log.read_text(), lab.log.read_text()
    assert not list(lab.path.glob("live.db-*"))
    return True


def capture_killed(lab):
    """What was captured is kept, and nothing is left beside the database."""
    lab.start()
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    lab.until("packets", lambda: lab.ask("SELECT count(*) FROM flow"))
    flows = lab.value("SELECT count(*) FROM flow")
    os.kill(lab.children()[0], signal.SIGKILL)
    assert lab.live.wait(WAIT) == 1
    assert "the capture process ended" in lab.log.read_text()
    assert not list(lab.path.glob("live.db-*"))
    assert lab.value("SELECT count(*) FROM flow") >= flows
    return True


def flight_recorder(lab):
    """What led to a finding is in its recording."""
    lab.start("--record", "60s")
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("a recording", lambda: lab.ask(
        "SELECT recording_id FROM finding_log WHERE rule = 'tail-loss'"))
    path, first = lab.rows(
        "SELECT r.path, l.first_ns - r.first_ns FROM finding_log l"
        " JOIN recording r ON r.id = l.recording_id"
        " WHERE l.rule = 'tail-loss'")[0]
    assert first > 0, "it begins before what was found"
    lab.until("the finding names it", lambda: lab.ask(
        "SELECT evidence LIKE '%recording%' FROM finding"
        " WHERE rule = 'tail-loss'"))
    again = lab.analyze(path)
    assert lab.rows("SELECT count(*) FROM finding WHERE rule = 'tail-loss'",
                    again) == [(1,)]
    assert lab.stop() == 0
    return True


def octets_of(path):
    """The packets of a pcap or pcapng file."""
    data, at, out = path.read_bytes(), 0, []
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return [frame for _, frame in packets(path)]
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:
            n, = struct.unpack_from("<I", data, at + 20)
            out.append(data[at + 28:at + 28 + n])
        at += size
    return out


def sliced_by(lab, selector):
    out = lab.path / "slice.pcapng"
    done = subprocess.run([PROGRAM, "slice", "-f", lab.database, selector, "-w",
                           out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return octets_of(out)


def slices(lab):
    """Packets of a selection, from whatever files have them: each once, and
    under the numbers that the database knows."""
    first = octets_of(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    second = octets_of(CAPTURES / "d05_atomic.pa.pcap")
    options = ("-w", str(lab.path) + "/ring-", "--record", "60s")
    lab.start(*options)
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("a recording", lambda: lab.ask(
        "SELECT recording_id FROM finding_log WHERE rule = 'tail-loss'"))
    all_seen(lab, len(first))  # its finding comes before its last packet
    lab.live.send_signal(signal.SIGHUP)
    lab.until("a file", lambda: lab.ask(
        "SELECT count(*) FROM recording WHERE kind = 'ring'"
        " AND state = 'complete'"))
    whole = sliced_by(lab, "time:+0..")
    assert whole == first, (len(whole), len(first))
    assert sliced_by(lab, "frames:145..155@m1") == first[144:155]
    finding = lab.value("SELECT id FROM finding WHERE rule = 'tail-loss'")
    frames = lab.rows("SELECT value ->> 'frame' FROM finding,"
                      " json_each(evidence, '$.frames')"
                      f" WHERE finding.id = {finding}")
    some = sliced_by(lab, f"finding:{finding}")
    assert frames and all(first[n - 1] in some for n, in frames)
    children = lab.children()
    lab.live.kill()
    lab.live.wait()
    lab.until_gone(children)
    lab.start(*options)
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    all_seen(lab, len(second))
    assert lab.stop() == 0
    # numbers are those of the run that goes on
    assert sliced_by(lab, "frames:1..3@m1") == second[:3]
    assert sliced_by(lab, "time:2000-01-01T00:00:00..") == first + second
    now = "(SELECT max(first_ns) FROM live_epoch)"
    some = sliced_by(lab, "flow:" + str(lab.value(
        f"SELECT min(id) FROM flow WHERE first_ns >= {now}")))
    assert len(some) == 300 and set(some) <= set(second), len(some)
    some = sliced_by(lab, "flow:" + str(lab.value(
        f"SELECT min(id) FROM flow WHERE first_ns < {now}")))
    assert len(some) > 300 and set(some) <= set(first), len(some)
    for file in lab.path.glob("*.pcapng"):
        file.unlink()
    gone = subprocess.run([PROGRAM, "slice", lab.database, "time:+0..", "-w",
                           "-"], capture_output=True, text=True)
    assert gone.returncode == 1 and "no recording has" in gone.stderr, gone
    return True


def bench(lab, packets):
    """Clean traffic, whole packets: what is missing is our own doing."""
    path = lab.path / "clean.pcap"
    subprocess.run([PROGRAM, "simulate", "--bench", str(packets), "--pairs",
                    "16", "-w", path], check=True, capture_output=True)
    return path


def halves(lab, path):
    """What was sent once does not come again: the second half goes on."""
    data = path.read_bytes()
    at, records = 24, []
    while at < len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        records.append(data[at:at + 16 + size])
        at += 16 + size
    middle = len(records) // 2
    for name, part in (("first", records[:middle]), ("then", records[middle:])):
        half = lab.path / f"{name}.pcap"
        half.write_bytes(data[:24] + b"".join(part))
        yield half


def no_loss_is_told(lab, who):
    lab.until("drops", lambda: lab.ask(
        f"SELECT max({who}) FROM live_status"))
    lab.until("they are a finding", lambda: lab.ask(
        "SELECT count(*) FROM finding WHERE rule = 'capture-dropped'"))
    lab.until("when it was", lambda: lab.ask("SELECT count(*) FROM capture_drop"))
    assert lab.stop() == 0
    told = lab.rows(f"SELECT rule, title FROM finding_log WHERE {LOSS}")
    assert not told, told
    assert lab.rows("SELECT sum(dropped_reported) > 0 FROM tap") == [(1,)]


def own_drops(lab):
    """The analysis stands still, its memory is full."""
    first, then = halves(lab, bench(lab, 80000))
    lab.start("--memory", "1")
    lab.send(first, "--flat-out", wait=False).wait()
    lab.live.send_signal(signal.SIGSTOP)
    lab.send(then, "--flat-out")
    lab.live.send_signal(signal.SIGCONT)
    no_loss_is_told(lab, "dropped_own")
    return True


def kernel_drops(lab):
    """The capture process stands still, the kernel's ring is full."""
    clean = bench(lab, 40000)
    lab.start("--buffer", "1")
    capture = lab.children()[0]
    os.kill(capture, signal.SIGSTOP)
    lab.send(clean, "--flat-out")
    os.kill(capture, signal.SIGCONT)
    no_loss_is_told(lab, "dropped_kernel")
    return True


def killed(lab):
    """kill -9 leaves a database, and the next run goes on with it."""
    lab.start("--record", "0s")
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("the finding", lambda: lab.ask(
        "SELECT count(*) FROM finding WHERE rule = 'tail-loss'"))
    children = lab.children()
    lab.live.kill()
    lab.live.wait()
    asked = subprocess.run([PROGRAM, "query", lab.database, "findings"],
                           capture_output=True, text=True)
    assert asked.returncode == 0 and "tail-loss" in asked.stdout, asked
    lab.until_gone(children)
    lab.start("--record", "0s")
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    lab.until("more flows", lambda: (lab.ask(
        "SELECT count(*) FROM flow") or 0) > 2)
    assert lab.stop() == 0
    assert [why for why, in lab.rows(
        "SELECT why FROM live_epoch ORDER BY id")] == ["start", "restart"]
    # what the killed run had open was not final, and is not there twice
    assert lab.rows("SELECT count(*) FROM tap") == [(1,)]
    assert lab.rows("SELECT count(*) - count(DISTINCT id) FROM flow") == \
        [(0,)]
    return True


KEPT = ("flow", "event", "recovery", "message", "bin", "burst", "congestion")


def contents(lab):
    """All that is told of facts, without whether live follows it still."""
    rows = {}
    for table in KEPT:
        columns = ", ".join(
            name for _, name, *_ in lab.rows(f"PRAGMA table_info({table})")
            if name != "open")
        rows[table] = sorted(lab.rows(f"SELECT {columns} FROM {table}"),
                             key=repr)
    return rows


def restarted(lab):
    """A run adds to what the one before wrote, however that ended, and a run
    that ends before its first refresh changes nothing."""
    lab.start("--record", "0s")
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("the finding", lambda: lab.ask(
        "SELECT count(*) FROM finding WHERE rule = 'tail-loss'"))
    all_seen(lab, 331)
    assert lab.stop() == 0
    first = contents(lab)
    told = findings(lab, lab.database)
    assert len(first["flow"]) == 2 and first["bin"] and first["burst"]

    lab.start("--record", "0s", refresh="1h")
    lab.until("it has begun", lambda: lab.ask(
        "SELECT count(*) FROM live_epoch") == 2)
    children = lab.children()
    lab.live.kill()
    lab.live.wait()
    lab.until_gone(children)
    assert contents(lab) == first
    assert findings(lab, lab.database) == told

    lab.start("--record", "0s")
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    lab.until("more flows", lambda: (lab.ask(
        "SELECT count(*) FROM flow") or 0) > 2)
    more = len(octets_of(CAPTURES / "d05_atomic.pa.pcap"))
    lab.until("both captures", lambda: lab.ask(
        "SELECT packets FROM tap") == 331 + more)
    assert lab.stop() == 0
    second = contents(lab)
    for table in KEPT:
        missing = [row for row in first[table] if row not in second[table]]
        assert not missing, (table, missing[:3])
    assert lab.ask("SELECT count(*) FROM finding WHERE rule = 'tail-loss'")
    assert [why for why, in lab.rows(
        "SELECT why FROM live_epoch ORDER BY id")] == \
        ["start", "restart", "restart"]
    return True


def only_ours_go(lab):
    """A database names files; of these only recordings of this database, in
    its folder, make place for new ones."""
    lab.start("--record", "60s")
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("a recording", lambda: lab.ask(
        "SELECT recording_id FROM finding_log WHERE rule = 'tail-loss'"))
    assert lab.stop() == 0
    ours = pathlib.Path(f"{lab.database}.20200101T000000Z.pcapng")
    other = lab.path / "other"
    other.mkdir()
    kept = [lab.path / "letter.txt", other / ours.name,
            lab.path / "a.db.20200101T000000Z.pcapng",
            pathlib.Path(f"{lab.database}.20200101T000001Z.pcapng")]
    for path in [ours, *kept[:-1]]:
        path.write_text("mine")
    kept[-1].symlink_to(kept[0])
    db = sqlite3.connect(lab.database)
    db.execute("UPDATE recording SET id = id + 1000, last_ns = 1")
    for i in range(40):
        db.execute("INSERT INTO recording(id, kind, path, state, first_ns,"
                   " last_ns) VALUES(?, 'finding', ?, 'complete', 1, 1)",
                   (i + 1, str([ours, *kept][i % 5])))
    db.commit()
    db.close()
    lab.start("--record", "60s")
    lab.send(CAPTURES / "d19_ack_loss_20pct.pb.pcap")
    lab.until("old ones are gone", lambda: lab.ask(
        "SELECT count(*) FROM recording WHERE state = 'gone' AND id < 41"))
    assert lab.stop() == 0
    assert not ours.exists()
    for path in kept:
        assert path.exists(), path
    return True


def refused(lab, *options):
    """Why another one does not start."""
    done = subprocess.run(lab.inside(PROGRAM, "live", "-i", "m1",
                                     "--headless", *options),
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done
    return done.stderr


def one_writer(lab):
    """Of a database there is one; what a killed one leaves is waited for."""
    lab.start("--record", "0s")
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    lab.until("the finding", lambda: lab.ask(
        "SELECT count(*) FROM finding WHERE rule = 'tail-loss'"))
    assert "another analysis writes it" in refused(lab, "-o", lab.database)
    assert "nowhere" in refused(lab, "-o", lab.path / "other.db", "-w",
                                f"{lab.database}/nowhere/ring-")
    assert lab.live.poll() is None
    lab.live.kill()
    lab.live.wait()
    lab.start("--record", "0s")  # at once
    assert lab.stop() == 0
    assert [why for why, in lab.rows(
        "SELECT why FROM live_epoch ORDER BY id")] == ["start", "restart"]
    return True


def down_and_up(lab):
    lab.start()
    for state, word in (("down", "is down"), ("up", "is back")):
        lab.ip("link", "set", "m1", state)
        lab.until(word, lambda: lab.ask(
            f"SELECT count(*) FROM live_log WHERE text LIKE '%{word}%'"))
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    lab.until("packets", lambda: lab.ask("SELECT count(*) FROM flow"))
    assert lab.value("SELECT count(*) FROM capture_drop WHERE who = 'down'") == 1
    assert lab.stop() == 0
    return True


def fill(blob):
    try:
        with open(blob, "wb", buffering=0) as out:
            while True:
                out.write(bytes(4096))
    except OSError:
        pass


def begun_on_a_full_disk(lab, blob):
    """It waits for room, and begins when there is some."""
    fill(blob)
    threading.Timer(4, blob.unlink).start()
    lab.start(database="disk/second.db")
    assert "waiting for room" in lab.log.read_text()
    assert lab.stop() == 0


def full_disk(lab):
    """A disk of its own for the database; something else fills it."""
    disk = lab.path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk],
                      capture_output=True).returncode:
        return None
    try:
        lab.start(database="disk/live.db")
        blob = disk / "blob"
        fill(blob)
        lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
        lab.until("it says so", lambda: "goes on" in lab.log.read_text())
        blob.unlink()
        lab.until("it is written again", lambda: lab.ask(
            "SELECT count(*) FROM finding WHERE rule = 'tail-loss'"))
        assert lab.value("SELECT count(*) FROM live_log"
                         " WHERE text LIKE '%goes on%'")
        assert lab.stop() == 0
        begun_on_a_full_disk(lab, blob)
    finally:
        # live may have it open still, where something above failed
        subprocess.run(["umount", "--lazy", disk], check=True)
    return True


def clock_set(lab):
    """The clock is set, and set back, while nothing passes: what was open ends
    there."""
    if not CLOCK:
        return None
    ahead, by = lab.path / "ahead", lab.path / "by"
    by.touch()
    os.utime(by, (3600, 3600))
    lab.environment = dict(os.environ, LD_PRELOAD=CLOCK,
                           FABSCOPE_CLOCK=str(ahead))
    lab.start("--keep", "5h")  # the clock alone makes nothing old here
    n = packets_of(CAPTURES / "d05_atomic.pa.pcap")
    flows = []
    for i, step in enumerate((lambda: None, lambda: by.rename(ahead),
                              ahead.unlink)):
        step()
        # a second without packets makes the next one look at the clock
        subprocess.run(lab.inside("sleep", "1.2"), check=True)
        lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
        lab.until("packets", received(lab, (i + 1) * n))
        flows.append(lab.value("SELECT count(*) FROM flow"))
    assert lab.stop() == 0
    assert [why for why, in lab.rows(
        "SELECT why FROM live_epoch ORDER BY id")] == \
        ["start", "clock", "clock"]
    assert [("forward" in text, "back" in text) for text, in lab.rows(
        "SELECT detail FROM live_epoch WHERE why = 'clock' ORDER BY id")] == \
        [(True, False), (False, True)]
    # each connection once in each time, none through two
    assert flows[0] and flows == [flows[0], 2 * flows[0], 3 * flows[0]], flows
    told = lab.rows(f"SELECT rule, title FROM finding_log WHERE {LOSS}")
    assert not told, told
    return True


def held_up(lab):
    """Others have the processor between two looks at clocks: no clock was
    set."""
    if not CLOCK:
        return None
    lab.environment = dict(os.environ, LD_PRELOAD=CLOCK, FABSCOPE_HOLD="1")
    lab.start()
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    all_seen(lab, 331)
    assert lab.stop() == 0
    assert lab.rows("SELECT why FROM live_epoch") == [("start",)]
    return True


def rotated(lab):
    """SIGHUP begins a file; all of them together are what was captured."""
    lab.start("-w", str(lab.path) + "/", "--ring-size", "1")
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    done = "SELECT count(*) FROM recording WHERE state = 'complete'"
    n = lab.rows(done)[0][0]
    lab.until("packets", lambda: lab.ask("SELECT count(*) FROM flow"))
    lab.live.send_signal(signal.SIGHUP)
    lab.until("a file", lambda: (lab.ask(done) or 0) > n)
    lab.send(CAPTURES / "d05_atomic.pa.pcap", "--flat-out")
    lab.until("twice as many", received(lab, 2 * packets_of(
        CAPTURES / "d05_atomic.pa.pcap")))
    assert lab.stop() == 0
    files = sorted(lab.path.glob("*.pcapng"))
    assert len(files) >= 2, files
    total = lab.rows("SELECT sum(packets), sum(missed) FROM recording"
                     " WHERE kind = 'ring'")
    captured = lab.rows("SELECT packets FROM tap")[0][0]
    assert total == [(captured, 0)], (total, captured)
    return True


def packets_of(path):
    data, at, n = path.read_bytes(), 24, 0
    while at + 16 <= len(data):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
        n += 1
    return n


def status_of(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return dict(line.split(":\t", 1) for line in text.splitlines())


def privileges(lab):
    lab.start("-w", str(lab.path) + "/")
    net_raw = 1 << 13
    capture, recorder = lab.children()[:2]
    for pid, may in ((capture, net_raw), (recorder, 0), (lab.live.pid, 0)):
        status = status_of(pid)
        for kind in ("CapEff", "CapPrm", "CapBnd"):
            assert int(status[kind], 16) & ~may == 0, (pid, kind, status)
        assert status["NoNewPrivs"] == "1", pid
    said = lab.log.read_text()
    if "seccomp: in force" in said:
        assert status_of(capture)["Seccomp"] == "2"
        assert status_of(lab.live.pid)["Seccomp"] == "2"
    assert said.count("seccomp") == 2 and "landlock" in said, said
    assert lab.stop() == 0
    return True


def get_metrics(lab, port):
    return subprocess.run(
        lab.inside("python3", "-c", "import sys, urllib.request as u; "
                   "print(u.urlopen(sys.argv[1], timeout=60).read().decode())",
                   f"http://127.0.0.1:{port}/metrics"),
        check=True, stdout=subprocess.PIPE, text=True).stdout


def metrics_are_nobody(lab):
    """The process that answers the network is not root, and reads a database
    that only root may read."""
    lab.path.chmod(0o700)
    port = 9477
    lab.ip("link", "set", "lo", "up")
    lab.start("--metrics", f"127.0.0.1:{port}", "--findings-log",
              str(lab.path / "findings.jsonl"))
    lab.send(CAPTURES / "d12_drop_tail_timeout.pa.pcap")
    all_seen(lab, 331)
    assert "fabscope_findings" in get_metrics(lab, port)
    metrics, watch = lab.children()[:2]
    status = status_of(metrics)
    assert status["Uid"].split() == ["65534"] * 4, status
    assert status["Gid"].split() == ["65534"] * 4, status
    assert int(status["CapEff"], 16) & ~(1 << 2) == 0, status
    assert int(status_of(watch)["CapEff"], 16) == 0
    for pid in (metrics, watch):
        assert status_of(pid)["NoNewPrivs"] == "1", pid
        if "seccomp: in force" in lab.log.read_text():
            assert status_of(pid)["Seccomp"] == "2", pid
    # root's database, and its index, stay as they were
    lab.until("the log", lambda: "tail-loss" in
              (lab.path / "findings.jsonl").read_text())
    assert lab.stop() == 0
    assert not list(lab.path.glob("live.db-*"))
    return True


TESTS = [metrics_are_nobody, same_as_the_file, flight_recorder, slices, own_drops, kernel_drops, killed,
         restarted, only_ours_go, one_writer, down_and_up, full_disk, clock_set, held_up, rotated,
         capture_killed,
         privileges, xdp_passes, xdp_drops, xdp_is_full, xdp_is_removed]


def main():
    global PROGRAM, CAPTURES, CLOCK
    PROGRAM, CAPTURES = sys.argv[1], pathlib.Path(sys.argv[2])
    CLOCK, wanted = sys.argv[3], sys.argv[4:]
    failed = 0
    for test in TESTS:
        if wanted and test.__name__ not in wanted:
            continue
        with Lab(PROGRAM) as lab:
            try:
                done = test(lab)
                print("ok  " if done else "skip", test.__name__, flush=True)
            except Exception as error:
                failed += 1
                print("FAIL", test.__name__, error, flush=True)
                traceback.print_exc(file=sys.stdout)
                print(lab.log.read_text(), flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
