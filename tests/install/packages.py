#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages: each holds its part; the program is installed, used and removed in
a root folder that has nothing but the packages it depends on.
usage: packages.py CPACK BUILD"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import rooms
from rooms import check


def output(*words, **options):
    return subprocess.run(list(map(str, words)), check=True, text=True,
                          capture_output=True, **options).stdout


def packed(cpack, build, generator, folder):
    """The packages cpack makes, by name."""
    output(cpack, "-G", generator, "-B", folder, cwd=build)
    return {re.split(r"[-_]0", path.name)[0]: path
            for path in folder.glob(f"*.{generator.lower()}")}


def contents(package):
    if package.suffix == ".rpm":
        return output("rpm", "-qpl", package).split()
    return [line.split()[5].lstrip(".")
            for line in output("dpkg-deb", "-c", package).splitlines()]


PARTS = {
    "fabscope": ["/bin/fabscope", "man1/fabscope-analyze.1",
                 "systemd/system/fabscope-live@.service",
                 "bash-completion/completions/fabscope",
                 "zsh/site-functions/_fabscope"],
    "fabscope-wireshark": ["/epan/fabscope.so",
                           "wireshark/profiles/fabscope/colorfilters"],
    "libfabscope-dev": ["/libfabscope.so", "/libfabscope.a",
                        "/fabscope/fabscope.h", "pkgconfig/fabscope.pc"],
}


def check_parts(packages, names):
    """Each file of PARTS in its package and in no other."""
    for part, files in PARTS.items():
        name = names.get(part, part)
        if name not in packages:
            check(f"{name} is not made without Wireshark",
                  part == "fabscope-wireshark")
            continue
        for file in files:
            holders = [n for n, p in packages.items()
                       if any(c.endswith(file) for c in contents(p))]
            check(f"{file} is in {name}", holders == [name])
        strays = [c for c in contents(packages[name])
                  if "/local/" in c or not c.startswith("/usr")]
        check(f"all of {name} is below /usr",
              not [c for c in strays if c.strip("/")])


def field(package, name):
    return output("dpkg-deb", "-f", package, name).strip()


def needed(depends):
    """The installed packages that |depends| leads to."""
    found, wanted = {}, [depends]
    while wanted:
        for group in filter(None, wanted.pop().split(",")):
            for name in re.findall(r"([a-z0-9][a-z0-9.+-]+)(?: *\(|:| *\||$| )",
                                   group.strip() + " "):
                if name in found:
                    break
                done = subprocess.run(
                    ["dpkg-query", "-W", "-f",
                     "${db:Status-Status}\t${Pre-Depends}\t${Depends}\n",
                     name], capture_output=True, text=True, check=False)
                rows = [row.split("\t") for row in done.stdout.splitlines()]
                rows = [row for row in rows if row[0] == "installed"]
                if rows:
                    found[name] = True
                    wanted += [rows[0][1], rows[0][2]]
                    break
    return sorted(found)


def copy_package(name, root):
    """What dpkg knows of it, and its files."""
    status = root / "var/lib/dpkg/status"
    with open(status, "a", encoding="utf8") as out:
        out.write(output("dpkg-query", "-s", name) + "\n")
    for line in output("dpkg-query", "-L", name).splitlines():
        source = pathlib.Path(line)
        target = root / line.lstrip("/")
        if not line.startswith("/") or not source.exists() or \
                line.startswith(("/usr/share/doc", "/usr/share/locale")):
            continue
        if source.is_dir() and not source.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        elif not target.exists() and not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def make_root(root, names):
    for folder in ("usr/lib", "usr/lib64", "usr/bin", "usr/sbin",
                   "var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / folder).mkdir(parents=True)
    for link in ("lib", "lib64", "bin", "sbin"):
        (root / link).symlink_to("usr/" + link)
    (root / "var/lib/dpkg/status").touch()
    for name in names:
        copy_package(name, root)


def files(root):
    return {str(p.relative_to(root)) for p in (root / "usr").rglob("*")}


def use(package, root):
    make_root(root, needed(field(package, "Depends")))
    before = files(root)
    dpkg = ["dpkg", f"--root={root}", "--log=/dev/null"]
    output(*dpkg, "-i", package)
    check("what it depends on is complete: dpkg installs it",
          "installed" in output(*dpkg, "-s", "fabscope"))
    rooms.skip_without(root, "fabscope")
    name = rooms.copy_capture(root)
    shown = rooms.run(root, "fabscope", "analyze", "-o", "a.db", name)
    check("it finds the losses", "lost" in shown)
    rooms.run(root, "fabscope", "simulate", "clean", "-w", "c.pcapng")
    output(*dpkg, "-P", "fabscope")
    check(f"removed, it leaves nothing {files(root) - before}",
          files(root) <= before)


def main():
    cpack, build = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        sys.exit(rooms.SKIP)
    with tempfile.TemporaryDirectory(prefix="fabscope.") as folder:
        folder = pathlib.Path(folder)
        packages = packed(cpack, build, "DEB", folder / "deb")
        check_parts(packages, {})
        check("the program does not pull Wireshark",
              "wireshark" not in field(packages["fabscope"], "Depends"))
        if shutil.which("rpmbuild"):
            check_parts(packed(cpack, build, "RPM", folder / "rpm"),
                        {"libfabscope-dev": "fabscope-devel"})
        use(packages["fabscope"], folder / "root")


if __name__ == "__main__":
    main()
