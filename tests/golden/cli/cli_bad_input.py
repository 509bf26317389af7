#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input: one clear line, the right exit status, nothing half-written."""
import os
import select
import signal
import socket
import sqlite3
import struct
import subprocess

import program

SMALL = "d05_atomic.pa.pcap"


class BadInput(program.Case):
    def fails(self, words, names, status=1, **options):
        """Exit |status|, one line on stderr with all of |names|, no output,
        and no file that was not there before."""
        before = self.files()
        got, out, err = self.run_here(*words, **options)
        self.assertEqual(got, status, err)
        self.assertEqual(out, "")
        line = self.one_line(err)
        self.assertTrue(line.startswith("fabscope: "), line)
        for name in names:
            self.assertIn(name, line)
        self.assertEqual(self.files(), before)

    def test_no_capture(self):
        self.write("notes.txt", b"this is a letter to my aunt\n" * 20)
        self.fails(["analyze", "notes.txt"], ["notes.txt"])

    def test_empty_file(self):
        self.write("empty.pcap", b"")
        self.fails(["analyze", "empty.pcap"], ["empty.pcap", "empty"])

    def test_a_zstd_frame_that_wants_too_much(self):
        """Whole, but unpacking it takes 2 GiB: zstd --long=31."""
        self.write("x.zst", b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")
        self.fails(["analyze", "x.zst"], ["x.zst", "128 MiB", "--long"])

    def test_times_as_far_apart_as_can_be(self):
        """A clock that was wrong: durations whose sum no integer holds.  The
        capture is analyzed all the same."""
        def frame(qp, psn):
            bth = struct.pack(">BBHII", 0x0a, 0, 0xffff, qp, psn) + bytes(20)
            udp = struct.pack(">HHHH", 50000, 4791, 8 + len(bth), 0) + bth
            ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(udp), psn, 0,
                             64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
            return bytes(12) + b"\x08\x00" + ip + udp
        self.write("far.pcap", program.pcap(
            *((0, frame(qp, psn)) for qp in range(40) for psn in range(4)),
            *((2**32 - 1, frame(qp, psn)) for qp in range(40)
              for psn in range(1, 6))))
        status, _, err = self.run_here("analyze", "-o", "far.db", "far.pcap")
        self.assertEqual((status, err), (0, ""))
        with sqlite3.connect(self.folder / "far.db") as db:
            self.assertEqual(db.execute("SELECT count(*) FROM flow")
                             .fetchone(), (40,))

    def test_times_at_both_ends_of_64_bits(self):
        """Each capture of its own, by the offset of an interface: no sum and
        no distance of its times fits.  A sanitizer would end the commands."""
        data = (program.CAPTURES / "d11_drop_every_400.pa.pcap").read_bytes()
        frames, at = [], 24
        while at < len(data) and len(frames) < 900:
            kept, = struct.unpack_from("<I", data, at + 8)
            frames.append(data[at + 16:at + 16 + kept])
            at += 16 + kept
        first, last = 0, 2**64 - 1
        for times in (lambda k: (first, last)[k % 2],
                      lambda k: k * 1000 if k < 450 else last - k,
                      lambda k: (first, last, k, 2**63, 2**62)[k % 5]):
            options = struct.pack("<HHB3xHHqI", 9, 1, 9, 14, 8,
                                  -(2**63 // 10**9), 0)
            out = [(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)),
                   (1, struct.pack("<HHI", 1, 0, 0) + options)]
            for k, f in enumerate(frames):
                ns = times(k)
                out.append((6, struct.pack(
                    "<5I", 0, ns >> 32, ns & 0xffffffff, len(f), len(f)) + f +
                    bytes(-len(f) % 4)))
            self.write("ends.pcapng", b"".join(
                struct.pack("<II", kind, len(b) + 12) + b +
                struct.pack("<I", len(b) + 12) for kind, b in out))
            for words in (["analyze", "--all-messages", "-o", "ends.db"],
                          ["decode"], ["annotate", "-f", "-w", "out.pcapng"]):
                status, _, err = self.run_here(*words, "ends.pcapng")
                self.assertEqual((status, err), (0, ""))
            status, _, err = self.run_here("slice", "ends.db", "flow:1", "-f",
                                           "-w", "out.pcapng")
            self.assertEqual((status, err), (0, ""))
            status, _, err = self.run_here("plot", "ends.db", "flow:1", "-f",
                                           "-o", "out.svg")
            self.assertEqual(status, 2, err)
            self.assertIn("centuries", self.one_line(err))

    def test_times_that_go_back_all_along(self):
        """Then the last packet of a flow is before its first."""
        data = (program.CAPTURES / "d04_write_lat.pa.pcap").read_bytes()
        frames = program.packets(data)
        self.write("back.pcap", program.pcap(
            *[(2000 - k, f) for k, f in enumerate(frames[:300])]))
        self.run_here("analyze", "-o", "back.db", "back.pcap")
        status, out, err = self.run_here("slice", "back.db", "flow:1",
                                         "-w", "out.pcapng")
        self.assertEqual((status, err), (0, ""))
        packets = int(out.split()[0])
        with sqlite3.connect(self.folder / "back.db") as db:
            self.assertEqual(db.execute("SELECT sum(packets) FROM flow")
                             .fetchone(), (packets,))  # both directions
        status, _, err = self.run_here("plot", "back.db", "flow:1",
                                       "-o", "out.svg")
        self.assertEqual((status, err), (0, ""))

    def test_missing_file(self):
        self.fails(["analyze", "gone.pcap"],
                   ["gone.pcap", "No such file or directory"])

    def test_unreadable_file(self):
        """root may read everything, so it becomes somebody else."""
        self.write("secret.pcap", program.pcap())
        os.chmod(self.folder / "secret.pcap", 0)
        os.chmod(self.folder, 0o777)
        somebody = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            self.run_here("version", **somebody)
        except PermissionError:
            self.skipTest("the build folder is for root only")
        self.fails(["analyze", "secret.pcap"],
                   ["secret.pcap", "Permission denied"], **somebody)

    def test_file_that_cannot_be_read(self):
        """Linux gives no octet of this one to anybody."""
        self.fails(["analyze", "/proc/self/mem"],
                   ["/proc/self/mem", "Input/output error"])

    def test_folder(self):
        (self.folder / "captures").mkdir()
        self.fails(["analyze", "captures"], ["captures", "folder"])

    def test_one_of_two_is_no_capture(self):
        self.capture(SMALL)
        self.write("notes.txt", b"x" * 500)
        self.fails(["analyze", SMALL, "notes.txt"], ["notes.txt"])

    def test_filter_that_is_none(self):
        self.capture(SMALL)
        self.fails(["analyze", "-f", "hoost 1", SMALL], ["hoost 1"],
                   status=2)

    def test_database_path_is_another_file(self):
        self.capture(SMALL)
        self.write("thesis.txt", b"three years of work\n")
        self.fails(["analyze", "-o", "thesis.txt", SMALL], ["thesis.txt"])
        self.assertEqual((self.folder / "thesis.txt").read_bytes(),
                         b"three years of work\n")

    def test_database_path_is_another_sqlite_database(self):
        self.capture(SMALL)
        with sqlite3.connect(self.folder / "other.db") as db:
            db.execute("CREATE TABLE mine(x)")
        db.close()
        before = (self.folder / "other.db").read_bytes()
        self.fails(["analyze", "-o", "other.db", SMALL], ["other.db"])
        self.assertEqual((self.folder / "other.db").read_bytes(), before)

    def test_database_path_is_the_capture(self):
        self.capture(SMALL)
        before = (self.folder / SMALL).read_bytes()
        self.fails(["analyze", "-o", SMALL, SMALL], [SMALL])
        self.assertEqual((self.folder / SMALL).read_bytes(), before)

    def test_database_path_is_a_folder(self):
        self.capture(SMALL)
        (self.folder / "out.db").mkdir()
        self.fails(["analyze", "-o", "out.db", SMALL], ["out.db"])

    def test_database_folder_does_not_exist(self):
        self.capture(SMALL)
        self.fails(["analyze", "-o", "no/where.db", SMALL], ["no/where.db"])

    def test_full_disk(self):
        """A limit on the length of files stands for it."""
        self.capture(SMALL)
        self.fails(["analyze", "-o", "out.db", SMALL], ["out.db"],
                   limit=16 * 1024)

    def test_failed_analysis_keeps_the_older_database(self):
        self.capture(SMALL)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", SMALL)[0], 0)
        before = (self.folder / "a.db").read_bytes()
        self.fails(["analyze", "-o", "a.db", SMALL], ["a.db"],
                   limit=16 * 1024)
        self.assertEqual((self.folder / "a.db").read_bytes(), before)

    def test_not_a_database(self):
        self.capture(SMALL)
        self.fails(["query", SMALL, "flows"], [SMALL])
        self.fails(["query", "gone.db", "flows"], ["gone.db"])
        self.fails(["slice", SMALL, "flow:1", "-w", "out.pcapng"], [SMALL])

    def test_hostile_name_does_not_reach_the_terminal(self):
        name = "a\033[2Jb.pcap"
        before = self.files()
        status, _, err = self.run_here("analyze", name)
        self.assertEqual(status, 1)
        self.assertNotIn("\033", err)
        self.assertIn(r"a\x1b[2Jb.pcap", err)
        self.assertEqual(self.files(), before)


class Killed(program.Case):
    """What a run that is ended by a signal leaves behind."""

    def start(self, ignored=None):
        """An analysis of a pipe that is still open, its file begun."""
        run = subprocess.Popen(
            [program.FABSCOPE, "analyze", "-o", "out.db", "-"],
            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: ignored and signal.signal(ignored,
                                                         signal.SIG_IGN))
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        run.stdin.write(program.pcap())
        run.stdin.flush()
        while not self.files():
            self.assertIsNone(run.poll())
            select.select([run.stderr], [], [], 0.01)
        return run

    def test_ended_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            run = self.start()
            run.send_signal(number)
            self.assertEqual(run.wait(60), -number)
            self.assertEqual(self.files(), [])

    def test_interrupted_pipe(self):
        """The first ^C is for who writes the pipe, the second for us."""
        run = self.start()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.files(), ["out.db"])
        (self.folder / "out.db").unlink()
        run = self.start()
        while run.poll() is None:
            run.send_signal(signal.SIGINT)
            select.select([run.stderr], [], [], 0.01)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual(self.files(), [])

    def test_nohup(self):
        run = self.start(ignored=signal.SIGHUP)
        run.send_signal(signal.SIGHUP)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.files(), ["out.db"])

    def test_killed_leaves_nothing_for_long(self):
        run = self.start()
        run.kill()
        run.wait(60)
        self.assertRegex(" ".join(self.files()), r"^\.fabscope-\S+\.tmp$")
        self.capture(SMALL)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", SMALL)[0], 0)
        self.assertEqual(self.files(), ["a.db", SMALL])


class Simulation(program.Case):
    """Captures and truths appear when they are complete."""

    ENDLESS = ("run for=1000s\nhost a b\nswitch s\nlink a s\nlink b s\n"
               "qp q a b\nflow f qp=q size=1M\n"
               "tap t a->s snaplen=64\n")

    def scenario(self, text):
        (self.folder / "x.fab").write_text(text)

    def test_ended_by_a_signal(self):
        self.scenario(self.ENDLESS)
        for words in (["x.fab", "-w", "out.pcapng"],
                      ["--bench", "1000000000000", "-w", "out.pcap"]):
            run = subprocess.Popen([program.FABSCOPE, "simulate"] + words,
                                   cwd=self.folder)
            self.addCleanup(run.kill)
            while self.files() == ["x.fab"]:
                self.assertIsNone(run.poll())
                select.select([], [], [], 0.01)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(60), -signal.SIGTERM)
            self.assertEqual(self.files(), ["x.fab"])

    def test_all_or_nothing(self):
        self.scenario(self.ENDLESS.replace("1000s", "1ms"))
        before = ["x.fab"]
        for words in (["--truth", "no/where.json"], ["--records"]):
            status, _, err = self.run_here("simulate", "x.fab", "-w",
                                           "no/out.pcapng", *words)
            self.assertEqual(status, 1)
            self.assertIn("no/out.pcapng", err)
            self.assertEqual(self.files(), before)
        status, _, err = self.run_here("simulate", "x.fab", "-w", "out.pcapng",
                                       "--truth", "no/where.json")
        self.assertEqual(status, 1)
        self.assertIn("no/where.json", err)
        self.assertEqual(self.files(), before)
        status, _, err = self.run_here("simulate", "x.fab", "-w", "out.pcapng",
                                       limit=16 * 1024)
        self.assertEqual(status, 1)
        self.assertIn("out.pcapng: cannot write", err)
        self.assertEqual(self.files(), before)


class DamagedInput(program.Case):
    """Status 3: what can be read is analysed."""

    def analysed_in_part(self, name):
        status, out, err = self.run_here("analyze", name)
        self.assertEqual(status, 3, err)
        self.assertIn(name + ".fabscope.db", self.files())
        return out, err

    def test_cut_in_the_last_packet(self):
        whole = (program.CAPTURES / SMALL).read_bytes()
        self.write("cut.pcap", whole[:-7])
        out, _ = self.analysed_in_part("cut.pcap")
        self.assertRegex(out, "cut off at the end")
        self.assertNotRegex(out, "corrupted (bytes|parts)|unus")

    def test_hole_in_the_middle(self):
        whole = bytearray((program.CAPTURES / SMALL).read_bytes())
        middle = len(whole) // 2
        whole[middle:middle + 5000] = b"\xff" * 5000
        self.write("hole.pcap", bytes(whole))
        out, _ = self.analysed_in_part("hole.pcap")
        self.assertRegex(out, "corrupted")

    def broken_pipe(self, octets):
        """A standard input that gives |octets| and then a read error: a
        connection that is reset."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            writer = socket.create_connection(server.getsockname())
            reader, _ = server.accept()
        self.addCleanup(reader.close)
        writer.sendall(octets)
        while len(reader.recv(1 << 20, socket.MSG_PEEK)) < len(octets):
            pass
        writer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
        writer.close()
        return reader

    def test_read_error_ends_one_input_only(self):
        """The other file is read to its end, and the summary names the one
        that could not be."""
        whole = (program.CAPTURES / SMALL).read_bytes()
        self.capture(SMALL)
        reader = self.broken_pipe(whole[:len(whole) // 2])
        done = subprocess.run(
            [program.FABSCOPE, "analyze", "-o", "a.db", "-", SMALL],
            cwd=self.folder, stdin=reader, capture_output=True, text=True,
            check=False)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertRegex(done.stdout, r"Not read +-, bytes \d+ to \d+: ")
        self.assertIn("Connection reset by peer", done.stdout)
        with sqlite3.connect(self.folder / "a.db") as db:
            (half, cut), (all_of_it, _) = db.execute(
                "SELECT packets, cut FROM capture ORDER BY id")
        db.close()
        self.assertTrue(0 < half < all_of_it)
        self.assertEqual(cut, 1)
        self.assertEqual(all_of_it, len(program.packets(whole)))

    def test_snap_length_is_no_damage(self):
        """All softRoCE captures of this folder with a snap length of 128."""
        self.capture("d11_drop_every_400.pa.pcap")
        status, _, err = self.run_here("analyze",
                                       "d11_drop_every_400.pa.pcap")
        self.assertEqual(status, 0, err)

    def test_capture_without_packets(self):
        self.write("none.pcap", program.pcap())
        status, _, err = self.run_here("analyze", "none.pcap")
        self.assertEqual(status, 0, err)


if __name__ == "__main__":
    program.main()
