# SPDX-License-Identifier: GPL-2.0-or-later
"""Parallel links and paths: what each link carried, how flows were spread over
them, how even that was, and what switches said of themselves in packets.

A topology file made from the truth goes with each capture that shows several
links a switch chooses among; without sprayed flows nothing else could tell
which links belong together.  Sprayed captures go without: there the taps
have to be found parallel."""
import collections

import score_loss

MANY = 64  # packets: fewer tell nothing of how a flow is spread
MODES = {"ecmp": {"ecmp"}, "spray": {"spray"}, "flowlet": {"flowlet"},
         # where links are loaded alike the two cannot be told apart
         "adaptive": {"spray", "adaptive"}}
FOUND = {"ecmp_collision": {"hash-collision"}, "low_entropy": {"low-entropy"},
         "polarized": {"polarized-layer"}, "ecn_one_member": {"ce-one-member"}}
RULES = {"hash-collision", "low-entropy", "polarized-layer", "idle-member",
         "slow-member", "imbalance", "ce-one-member"}


def tap_links(truth):
    """Interface: the link directions that it shows."""
    seen = collections.defaultdict(list)
    for t in truth["taps"]:
        seen[t["interface"]].append(t["link"])
    return seen


def whole(tap):
    """Does the tap show everything that passed, as it was?"""
    return tap["wrap"] == "none" and not tap["missed"] and \
        not tap["mirror_duplicates"] and not tap["outside"]


def down_groups(truth):
    """Links into one leaf that several taps show: equal members, too."""
    down = collections.defaultdict(list)
    for links in tap_links(truth).values():
        a, b = links[0].split("->")
        if a.startswith("spine") and b.startswith("leaf"):
            down[b].append(links[0])
    return {b: links for b, links in down.items() if len(links) > 1}


def sprays(truth):
    return any(s["balance"] != "ecmp" for s in truth["switches"])


def options(base, truth):
    tapped = {link for links in tap_links(truth).values() for link in links}
    several = any(len(tapped & set(g["members"])) > 1
                  for g in truth["groups"])
    if sprays(truth) or not (several or down_groups(truth)):
        return []
    with open(base + ".ini", "w") as f:
        for s in truth["switches"]:
            f.write(f"[switch {s['switch']}]\ndevice = {s['device']}\n")
        for h in truth["hosts"]:
            f.write(f"[host {h['host']}]\naddress = {h['address']}\n"
                    f"switch = {h['leaf']}\n")
        for link in truth["links"]:
            a, b = link["link"].split("->")
            if a < b:
                f.write(f"[link {a}--{b}]\nspeed = {link['bps']}\n")
        for name, links in tap_links(truth).items():
            way = links[0].replace("->", "--" if len(links) > 1 else "->")
            f.write(f"[tap {name}]\nlink = {way}\n")
        groups = [(g["switch"], g["members"]) for g in truth["groups"]]
        for name, members in groups + list(down_groups(truth).items()):
            f.write(f"[group {name}-{members[0].split('->')[0]}]\n")
            f.writelines(f"members = {m}\n" for m in members)
    return ["--topology", base + ".ini"]


def close(score, what, true, said, share, where):
    """One figure, right within |share| of it."""
    if said is None:
        score.fn[what] += 1
    elif abs(said - true) <= share * true:
        score.tp[what] += 1
        return
    else:
        score.fp[what] += 1
        score.fn[what] += 1
    score.notes.append(f"{what}: {true} true, {said} said {where}")


class Group:
    """Links that one switch chooses among, with their taps."""

    def __init__(self, run, group):
        one_way = {links[0]: name for name, links
                   in tap_links(run.truth).items() if len(links) == 1}
        good = {t["link"] for t in run.truth["taps"]
                if whole(t) and t["side"] == "tx"}
        self.members = group["members"]
        self.tap = {m: one_way[m] for m in self.members
                    if m in one_way and m in good}
        self.links = {li["link"]: li for li in run.truth["links"]
                      if li["link"] in self.members}
        self.mode = next(s["balance"] for s in run.truth["switches"]
                         if s["switch"] == group["switch"])

    def all_tapped(self):
        return len(self.tap) == len(self.members)

    def jfi(self):
        carried = [self.links[m]["bytes"] for m in self.members]
        return sum(carried) ** 2 / (len(carried) *
                                    (sum(b * b for b in carried) or 1))

    def mmr(self):
        carried = [self.links[m]["bytes"] for m in self.members]
        return max(carried) * len(carried) / (sum(carried) or 1)


def flow_ids(run):
    """Flow of the truth: its rows."""
    ids = collections.defaultdict(set)
    for p in run.pairs:
        if p.row is not None:
            ids[p.flow["id"]].add(p.row["id"])
    return ids


def link_loads(score, run, group, ids):
    """Each flow on each link; what is on the wire at the end may not count."""
    said = {(r["tap"], r["flow_id"]): r["packets"] for r in run.db.execute(
        "SELECT t.name AS tap, ft.flow_id, ft.packets FROM flow_tap ft "
        "JOIN tap t ON t.id = ft.tap_id")}
    for member, tap in group.tap.items():
        for flow, packets, _ in group.links[member].get("flows", []):
            got = sum(said.get((tap, i), 0) for i in ids[flow])
            if ids[flow]:
                score.range("link packets", packets, got, got + 2,
                            f"({run.where} {member} flow {flow})", packets + 2)


def modes(score, run, group, ids):
    said = {r["flow_id"]: r for r in
            run.db.execute("SELECT * FROM balance_flow")}
    used = collections.defaultdict(list)
    for member in group.members:
        for flow, packets, _ in group.links[member].get("flows", []):
            used[flow].append(packets)
    for flow, packets in used.items():
        rows = [said[i] for i in ids[flow] if i in said]
        if sum(packets) < MANY or not rows:
            continue
        right = set(MODES[group.mode])
        if len(packets) == 1:
            right.add("ecmp")  # what never changed its link
        got = rows[0]["mode"]
        if got in right:
            score.tp["balance mode"] += 1
            continue
        score.fn["balance mode"] += 1
        score.fp["balance mode"] += got is not None
        score.notes.append(f"balance mode: {group.mode} is {got} "
                           f"({run.where} flow {flow})")


def figures(score, run, group):
    taps = set(group.tap.values())
    rows = run.db.execute(
        "SELECT b.*, group_concat(t.name) AS taps FROM balance b "
        "JOIN link_member m USING(group_id) JOIN tap t ON t.id = m.tap_id "
        "GROUP BY b.group_id").fetchall()
    row = next((r for r in rows if set(r["taps"].split(",")) == taps), None)
    if group.all_tapped() and sum(li["bytes"] for li in group.links.values()):
        close(score, "balance jfi", group.jfi(), row and row["jfi"], 0.02,
              run.where)
        close(score, "balance mmr", group.mmr(), row and row["mmr_bytes"],
              0.02, run.where)
    elif taps and row is not None:
        # k of N links never give a figure of merit
        wrong = row["jfi"] is not None or row["mmr_flows"] is not None
        score.fp["balance jfi"] += wrong
        score.tp["balance jfi"] += not wrong


def findings(score, run, groups):
    name = run.where.split()[0]
    got = {r["rule"] for r in run.db.execute("SELECT rule FROM finding")}
    uneven = any(len(g.members) > 1 and g.jfi() < 0.8 for g in groups)
    score.sets("balance finding", FOUND.get(name, set()), got & RULES,
               RULES if uneven else set(), run.where)


def hops_before(flow, link):
    """What the switches up to the sender of |link| have stamped."""
    hops = [h for h in flow.get("hops") or [] if h.get("stamped")]
    at = [i for i, h in enumerate(hops) if h["switch"] == link.split("->")[0]]
    return hops[:at[0] + 1] if at else []


def hop_rows(score, run, flow, rows, want, passed):
    """Device and ports, and their times; exact where all packets came by."""
    def key(h):
        return h["device"], h["ingress"], h["egress"]

    where = f"({run.where} flow {flow['id']})"
    said = {(r["device_id"], r["ingress_port"], r["egress_port"]): r
            for r in rows}
    score.sets("hop", {key(h) for h in want}, set(said), set(), where)
    for h in want:
        r = said.get(key(h))
        if r is None:
            continue
        score.add("hop packets", passed, r["packets"], where)
        exact = r["packets"] == h["stamped"] == h["packets"]
        low, high = h["residence_min_ns"], h["residence_max_ns"]
        right = low <= r["residence_min_ns"] <= r["residence_p50_ns"] <= \
            r["residence_p99_ns"] <= r["residence_max_ns"] <= high
        if exact:
            right = right and r["residence_min_ns"] == low and \
                r["residence_max_ns"] == high and \
                abs(r["residence_mean_ns"] - h["residence_mean_ns"]) <= 1 \
                and all(abs(r[q] - h[q]) <= h[q] / 16
                        for q in ("residence_p50_ns", "residence_p99_ns"))
        score.tp["hop residence"] += right
        score.fp["hop residence"] += not right
        score.fn["hop residence"] += not right
        if not right:
            score.notes.append(f"hop residence: {h} is {dict(r)} {where}")


def telemetry(score, run):
    """By interface: what each shows of the stamps of switches before it."""
    csig = run.db.execute("SELECT count(*) FROM csig").fetchone()[0] and \
        not run.db.execute("SELECT count(*) FROM hop").fetchone()[0]
    for p in run.pairs:
        if p.row is None or \
                not any(h.get("stamped") for h in p.flow.get("hops") or []):
            continue
        for name, numbers in run.truth["interfaces"].items():
            taps = [t for t in run.truth["taps"]
                    if t["tap"] in numbers & p.taps]
            if taps and all(whole(t) for t in taps):
                at_interface(score, run, p, name, taps, csig)


def lost_after_telling(score, run):
    """Which packets had told of their way and were lost behind the tap.  Of a
    window only the first loss can be known (score_loss.py)."""
    for p in run.pairs:
        if p.row is None:
            continue
        after = {d["psn"] for d in score_loss.drops_of(run.truth, p.flow)
                 if p.taps & set(d.get("after_taps", []))}
        said = {r["psn"] for r in run.db.execute(
            "SELECT psn FROM telemetry_packet WHERE flow_id = ? AND fate = 'lost' "
            "AND confidence >= 0.5", (p.row["id"],))}
        score.sets("told and lost", said & after, said, after, p.where)
        if after and sum(h.get("stamped", 0)
                         for h in p.flow.get("hops") or []):
            score.add("told and lost, any", 1, int(bool(said)), p.where)


def is_hot(h):
    return h["residence_mean_ns"] - h["residence_min_ns"] >= 20000 or \
        h["residence_p99_ns"] - h["residence_min_ns"] >= 100000


def hot_hops(score, run):
    """Ports that packets waited in, as far as stacks with them are read."""
    read = {r["device_id"] for r in run.db.execute(
        "SELECT DISTINCT device_id FROM hop WHERE packets >= 100")}
    hot = {h["device"] for f in run.truth["flows"]
           for h in f.get("hops") or [] if h.get("stamped") and is_hot(h)}
    said = bool(run.db.execute("SELECT count(*) FROM finding "
                               "WHERE rule = 'congested-hop'").fetchone()[0])
    score.add("hot hop", int(bool(hot & read)), int(said), run.where)


def at_interface(score, run, p, name, taps, csig):
    want, passed = [], 0
    for t in taps:
        hops = hops_before(p.flow, t["link"])
        here = [f for f in p.flow["taps"] if f["tap"] == t["tap"]]
        n = sum(f[c].get("captured", 0) for f in here
                for c in ("request", "response") if c in f)
        want += hops if n else []
        passed += n if hops else 0
    if csig:
        got = run.db.execute(
            "SELECT ifnull(sum(samples), 0) FROM csig WHERE flow_id = ? AND "
            "tap_id = (SELECT id FROM tap WHERE name = ?)",
            (p.row["id"], name)).fetchone()[0]
        score.add("csig samples", passed, got, p.where)
        return
    rows = run.db.execute(
        "SELECT * FROM hop WHERE flow_id = ? AND "
        "tap_id = (SELECT id FROM tap WHERE name = ?)",
        (p.row["id"], name)).fetchall()
    hop_rows(score, run, p.flow, rows, want, passed)


def compare(score, run):
    groups = [Group(run, g) for g in run.truth["groups"]]
    ids = flow_ids(run)
    for group in groups:
        if group.all_tapped():
            link_loads(score, run, group, ids)
            modes(score, run, group, ids)
        figures(score, run, group)
    findings(score, run, groups)
    hot_hops(score, run)
    telemetry(score, run)
    lost_after_telling(score, run)
