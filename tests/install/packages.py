#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages: each holds its part; the program is installed, used and removed in
a root folder that has nothing but what it depends on, by dpkg and by rpm.
usage: packages.py CPACK BUILD"""
import os
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


def use_parts(packages, folder):
    """The plugin and the library as their packages have them: Wireshark loads
    the one, a program is built against the other."""
    for package in packages.values():
        output("dpkg-deb", "-x", package, folder)
    folder.chmod(0o755)
    plugins = list(folder.glob("usr/lib/**/plugins"))
    if plugins and shutil.which("tshark"):
        # root is refused plugins of other folders
        user = [] if os.getuid() else [
            "setpriv", "--reuid", "65534", "--regid", "65534",
            "--clear-groups"]
        listed = output(*user, "tshark", "-G", "plugins", env=os.environ | {
            "HOME": "/nonexistent", "WIRESHARK_PLUGIN_DIR": str(plugins[0])})
        check("tshark loads the plugin",
              any(line.split()[0] == "fabscope.so" and str(folder) in line
                  for line in listed.splitlines()))
    if not shutil.which("pkg-config"):
        return
    pc = next(folder.glob("usr/lib/**/fabscope.pc"))
    env = os.environ | {"PKG_CONFIG_PATH": str(pc.parent)}
    example = rooms.ROOT / "tests/golden/cli/example.c"
    flags = output("pkg-config", "--cflags", "--libs", "fabscope", env=env)
    output("cc", "-o", folder / "example", example, *flags.split())
    library = next(folder.glob("usr/lib/**/libfabscope.so")).parent
    shown = output(folder / "example", rooms.CAPTURE, folder / "example.db",
                   env=env | {"LD_LIBRARY_PATH": str(library)})
    check("a program is built against the library", "total flows" in shown)


SPEC = """Name: libraries
Version: 1
Release: 1
Summary: the libraries of this system that a program needs
License: as they are
Provides: rtld(GNU_HASH)
%description
For an empty root.
%files
{files}
"""


def libraries(program, folder):
    """An RPM of the libraries of |program|: rpm finds out what they provide."""
    paths = re.findall(r"(/\S+) \(0x", output("ldd", program))
    root = folder / "tree"
    for path in paths:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    spec = folder / "libraries.spec"
    spec.write_text(SPEC.format(files="\n".join(paths)))
    output("rpmbuild", "-bb", f"--buildroot={root}",
           "-D", f"_topdir {folder}", "-D", "_build_id_links none",
           "-D", "__os_install_post %{nil}", "-D", "debug_package %{nil}",
           "-D", "_dbpath " + str(folder / "db"), spec)
    return next(folder.rglob("libraries-1*.rpm"))


def use_rpm(package, program, folder):
    root = folder / "root"
    rpm = ["rpm", f"--root={root}"]
    root.mkdir(parents=True)
    output(*rpm, "--initdb")
    output(*rpm, "-i", libraries(program, folder))
    before = files(root)
    output(*rpm, "-i", package)
    check("rpm installs it in an empty root, all dependencies checked",
          "fabscope" in output(*rpm, "-qa"))
    rooms.skip_without(root, "fabscope")
    name = rooms.copy_capture(root)
    check("it finds the losses", "lost" in rooms.run(
        root, "fabscope", "analyze", "-o", "a.db", name))
    output(*rpm, "-e", "fabscope")
    # folders are those of the distribution
    left = {f for f in files(root) - before if not (root / f).is_dir()}
    check(f"rpm removes all of it {left}", not left)


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
            made = packed(cpack, build, "RPM", folder / "rpm")
            check_parts(made, {"libfabscope-dev": "fabscope-devel"})
            use_rpm(made["fabscope"], build / "fabscope", folder / "rpmroot")
        (folder / "parts").mkdir()
        folder.chmod(0o755)
        use_parts(packages, folder / "parts")
        use(packages["fabscope"], folder / "root")


if __name__ == "__main__":
    main()
