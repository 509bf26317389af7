/* SPDX-License-Identifier: GPL-2.0-or-later
 * The drawings of a report.  One span of time, `span`, is shared by all that
 * have a common axis: whoever changes it tells the others.  x is seconds from
 * the first packet. */
'use strict';
(() => {
  const { sections, show, make } = report;
  const whole = [0, Math.max(report.lengthNs, 1000) / 1e9];
  const span = { from: whole[0], to: whole[1], followers: [] };
  report.diagrams = []; /* those on the shared axis */
  const redraws = []; /* when colors or sizes change */

  function setSpan(from, to) {
    const least = Math.min(1e-6, whole[1]);
    const width = Math.min(Math.max(to - from, least), whole[1]);
    span.from = Math.min(Math.max(from, 0), whole[1] - width);
    span.to = span.from + width;
    span.followers.forEach(f => f());
  }

  const colour = name =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const series = i => colour('--s' + i % 8);
  const dash = i => (i < 8 ? null : [6, 3]);

  /* ---- words for times */

  /* As many digits as tell two ends of an axis apart. */
  function timeLabel(s, width) {
    if (Math.abs(s) < width * 1e-9)
      return '0';
    const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'],
      [1e-6, 'us']];
    const far = Math.max(Math.abs(s), width);
    const unit = units.find(u => far >= u[0] * (u[0] > 1 ? 5 : 1)) || units[5];
    const digits = Math.max(0, Math.ceil(Math.log10(unit[0] / width)) + 2);
    const text = (s / unit[0]).toFixed(Math.min(digits, 12));
    return (s < 0 ? '' : '+') +
      (text.includes('.') ? text.replace(/\.?0+$/, '') : text) + ' ' + unit[1];
  }

  /* What is counted has no fractions, wherever a pointer is. */
  const isWhole = unit => unit !== 'real' && unit !== 'share';
  const wholes = (v, unit) => (isWhole(unit) ? Math.round(v) : v);
  /* So its axis has only whole numbers, each label once. */
  const wholeTicks = unit => (...of) => {
    const ticks = Dygraph.numericTicks(...of), [low, high] = of;
    if (!isWhole(unit))
      return ticks;
    /* None of its steps may be whole where 1 is the most. */
    if (unit === 'count' && high - low < 3)
      return [0, 1, 2, 3].filter(v => v >= low && v <= high)
        .map(v => ({ v, label: String(v) }));
    return ticks.filter((t, i) =>
      (t.v === undefined || Number.isInteger(t.v)) &&
      ticks.findIndex(u => u.label === t.label) === i);
  };
  const compact = unit => v => show(wholes(v, unit), unit)
      .replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');

  /* ---- a diagram by dygraphs with a legend that can be read and pressed */

  /* Its own legend builds markup with styles in it, which the page forbids. */
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter(p => p !== Dygraph.Plugins.Legend);

  /* The page is to scroll under a finger: no touch here, there are buttons. */
  function interaction() {
    const { mousedown, dblclick, willDestroyContextMyself } =
      Dygraph.defaultInteractionModel;
    return { mousedown, dblclick, willDestroyContextMyself };
  }

  /* What is not to be torn apart on paper, with the heading before it. */
  function figure(into, ...parts) {
    const box = make('div', { className: 'figure' });
    const before = [...into.children];
    const head = before.findLastIndex(e => e.tagName === 'H4');
    const rest = before.slice(head + 1);
    into.append(box);
    if (head >= 0 && !rest.some(e => e.matches('.figure')))
      box.append(before[head], ...rest);
    box.append(...parts);
  }

  /* |o|: into, rows, labels, unit, tall, steps, options, readout(row, x) */
  function diagram(o) {
    const legend = make('div', { className: 'legend' });
    const div = make('div', { className: 'chart' + (o.tall ? ' tall' : '') });
    const readout = make('p', { className: 'readout' });
    div.setAttribute('role', 'img');
    div.setAttribute('aria-label', o.describe);
    figure(o.into, legend, div, readout);
    const names = o.labels.slice(1);
    const colours = () => names.map((_, i) =>
      (o.colours ? colour(o.colours[i]) : series(i)));
    const patterns = {};
    names.forEach((n, i) => (patterns[n] = { strokePattern: dash(i) }));
    const width = d => d.xAxisRange()[1] - d.xAxisRange()[0];
    const g = new Dygraph(div, o.rows, Object.assign({
      labels: o.labels,
      colors: colours(),
      series: patterns,
      legend: 'never',
      stepPlot: Boolean(o.steps),
      fillGraph: names.length === 1 && Boolean(o.steps),
      fillAlpha: 0.25,
      strokeWidth: 1.6,
      highlightCircleSize: 3,
      animatedZooms: false,
      includeZero: Boolean(o.steps),
      interactionModel: interaction(),
      gridLineColor: colour('--line'),
      axisLineColor: colour('--soft'),
      axisLabelFontSize: 12,
      axes: {
        x: o.xAxis || { axisLabelFormatter: (s, granularity, opts, d) =>
          timeLabel(s, width(d)), pixelsPerLabel: 90 },
        y: { axisLabelFormatter: compact(o.unit), axisLabelWidth: 68,
          pixelsPerLabel: 40, ticker: wholeTicks(o.unit) },
      },
      highlightCallback: (e, x, points) => {
        readout.textContent = o.readout ? o.readout(x, points)
          : timeLabel(x, width(g)) + '  ' + points.filter(p =>
            p.yval !== null && !Number.isNaN(p.yval)).map(p =>
            p.name + ': ' + show(wholes(p.yval, o.unit), o.unit)).join('  ');
      },
      unhighlightCallback: () => (readout.textContent = ''),
    }, o.options));
    names.forEach((name, i) => {
      const swatch = make('span', { className: 'swatch' });
      swatch.style.background = i < 8 ? colours()[i]
        : `repeating-linear-gradient(90deg, ${colours()[i]} 0 .3em, ` +
          'transparent .3em .45em)';
      const button = make('button', { type: 'button' }, swatch,
        (o.marks ? o.marks[i] + ' ' : '') + name);
      button.setAttribute('aria-pressed', 'true');
      button.addEventListener('click', () => {
        const on = !g.visibility()[i];
        g.setVisibility(i, on);
        button.setAttribute('aria-pressed', String(on));
      });
      legend.append(button);
    });
    redraws.push(() => {
      [...legend.children].forEach((b, i) =>
        (b.firstChild.style.background = colours()[i]));
      g.updateOptions({ colors: colours(), gridLineColor: colour('--line'),
        axisLineColor: colour('--soft') });
      g.resize();
    });
    return g;
  }

  /* The same on the shared axis. */
  function timeDiagram(o) {
    let telling = false;
    const onDraw = g => {
      if (telling)
        return;
      const [from, to] = g.xAxisRange();
      if (Math.abs(from - span.from) + Math.abs(to - span.to) > 1e-10)
        setSpan(from, to);
    };
    const g = diagram(Object.assign({}, o, { options: Object.assign({
      dateWindow: [span.from, span.to],
      drawCallback: onDraw,
    }, o.options) }));
    const follow = () => {
      telling = true;
      g.updateOptions({ dateWindow: [span.from, span.to] });
      telling = false;
    };
    span.followers.push(follow);
    report.diagrams.push(g);
    return g;
  }

  /* ---- canvases of our own, as sharp as the screen */

  function canvas(into, height, describe, paint) {
    const c = make('canvas', { className: 'own' });
    c.setAttribute('role', 'img');
    c.setAttribute('aria-label', describe);
    figure(into, c);
    const draw = () => {
      const scale = Math.max(devicePixelRatio || 1, 2);
      const width = c.clientWidth || 600;
      c.style.height = height + 'px';
      c.width = width * scale;
      c.height = height * scale;
      const ctx = c.getContext('2d');
      ctx.scale(scale, scale);
      ctx.font = '12px system-ui, "DejaVu Sans", sans-serif';
      ctx.textBaseline = 'middle';
      paint(ctx, width, height);
    };
    new ResizeObserver(draw).observe(c);
    redraws.push(draw);
    draw();
    return { element: c, draw };
  }

  function mix(a, b, share) {
    const rgb = h => [1, 3, 5].map(i => parseInt(h.slice(i, i + 2), 16));
    const x = rgb(a), y = rgb(b);
    return 'rgb(' + x.map((v, i) =>
      Math.round(v + (y[i] - v) * share)).join(',') + ')';
  }

  /* ---- the time line: strip and diagrams */

  /* Event kinds that are shown together; the kinds are those of the schema. */
  const GROUPS = [
    ['lost', ['loss_upstream', 'loss_downstream', 'unresolved_gap',
      'icrc_bad'], '--s1'],
    ['NAK or NACK', ['nak_seq', 'nak_fatal', 'rnr_nak', 'implied_nak',
      'response_error'], '--s4'],
    ['retransmitted', ['retransmit_nak', 'retransmit_timeout', 'retransmit_rnr',
      'retransmit_spurious', 'retransmit_implied', 'retransmit_unknown'],
    '--s0'],
    ['reordered', ['reorder'], '--s3'],
    ['trimmed', ['trimmed'], '--s7'],
    ['out of credit', ['credit_stall'], '--s6'],
    ['duplicate', ['duplicate', 'mirror_duplicate'], '--s2'],
    ['ACK lost', ['ack_lost'], '--s5'],
  ];
  const MISSING = 'capture_missing';

  /* The answer of report/timeline as lines: what, name, values by interval. */
  function timeline(section) {
    const [what, name, start, width, value] = section.columns.map(c =>
      c.values);
    const step = width[0];
    const first = start.reduce((a, b) => Math.min(a, b), Infinity);
    const n = Math.round((start.reduce((a, b) => Math.max(a, b), 0) - first) /
      step) + 1;
    const lines = new Map();
    for (let i = 0; i < section.rows; i++) {
      const key = what[i] + '\t' + name[i];
      if (!lines.has(key))
        lines.set(key, { what: what[i], name: name[i], n: new Map() });
      lines.get(key).n.set(Math.round((start[i] - first) / step), value[i]);
    }
    return { step, first, n, lines: [...lines.values()],
      of: kind => [...lines.values()].filter(l => l.what === kind) };
  }

  function together(t, name, kinds) {
    const sum = new Map();
    for (const line of t.of('event').filter(l => kinds.includes(l.name)))
      for (const [i, v] of line.n)
        sum.set(i, (sum.get(i) || 0) + v);
    return { what: 'event', name, n: sum };
  }

  /* Outside of the time in which a tap captured, its load is not known. */
  function rows(t, lines) {
    const ends = lines.map(l => (l.what === 'load'
      ? [Math.min(...l.n.keys()), Math.max(...l.n.keys())] : [0, t.n]));
    const out = [];
    for (let i = 0; i <= t.n; i++)
      out.push([(t.first + i * t.step) / 1e9, ...lines.map((l, k) => {
        const at = Math.min(i, t.n - 1);
        return at < ends[k][0] || i > ends[k][1] + 1 ? null
          : l.n.get(i === t.n ? at : i) ||
            (i > ends[k][1] && l.what === 'load' ? l.n.get(ends[k][1]) : 0);
      })]);
    return out;
  }

  function strip(into, t, lines, missing) {
    const rowHeight = 18, label = () => Math.min(170, into.clientWidth / 3.2);
    const height = lines.length * rowHeight + 22;
    const most = lines.map(l => Math.max(...l.n.values()));
    const readout = make('p', { className: 'readout' });
    let marked = null; /* being dragged over: [x, x] */

    const toX = (s, width) =>
      label() + (width - label()) * (s - whole[0]) / (whole[1] - whole[0]);
    const toTime = (x, width) =>
      whole[1] * Math.min(1, Math.max(0, (x - label()) / (width - label())));

    function cells(ctx, width, line, k) {
      const y = k * rowHeight;
      ctx.fillStyle = colour('--ink');
      ctx.fillText(fit(ctx, line.title || line.name, label() - 8), 0,
        y + rowHeight / 2);
      ctx.fillStyle = colour('--heat-none');
      ctx.fillRect(label(), y + 1, width - label(), rowHeight - 2);
      for (const [i, v] of line.n) {
        if (!v)
          continue;
        const x = Math.round(toX((t.first + i * t.step) / 1e9, width));
        const end = Math.round(toX((t.first + (i + 1) * t.step) / 1e9, width));
        ctx.fillStyle = mix(colour('--heat-low'), colour('--heat-high'),
          Math.sqrt(v / most[k]));
        const left = Math.min(Math.max(x, Math.round(label())), width - 2);
        ctx.fillRect(left, y + 1, Math.max(2, Math.min(end, width) - left),
          rowHeight - 2);
      }
    }

    function hatch(ctx, width, bottom) {
      for (const [i, v] of missing.n) {
        if (!v)
          continue;
        const x = Math.max(label(), toX((t.first + i * t.step) / 1e9, width));
        const end = Math.max(x + 5,
          toX((t.first + (i + 1) * t.step) / 1e9, width));
        ctx.save();
        ctx.beginPath();
        ctx.rect(x, 0, end - x, bottom);
        ctx.clip();
        ctx.beginPath();
        for (let d = -bottom - x % 10; d < end - x; d += 10) {
          ctx.moveTo(x + d, bottom);
          ctx.lineTo(x + d + bottom, 0);
        }
        /* to be seen on what is dark and on what is light */
        ctx.strokeStyle = colour('--ground');
        ctx.lineWidth = 2;
        ctx.stroke();
        ctx.strokeStyle = colour('--hatch');
        ctx.lineWidth = 1;
        ctx.stroke();
        ctx.restore();
      }
    }

    const own = canvas(into, height,
      'Heat strip: ' + lines.map(l => l.name).join(', ') + ' over time',
      (ctx, width) => {
        const bottom = lines.length * rowHeight;
        lines.forEach((line, k) => cells(ctx, width, line, k));
        hatch(ctx, width, bottom);
        ctx.fillStyle = colour('--soft');
        ctx.textAlign = 'left';
        ctx.fillText(timeLabel(whole[0], whole[1]), label(), bottom + 12);
        ctx.textAlign = 'right';
        ctx.fillText(timeLabel(whole[1], whole[1]), width, bottom + 12);
        ctx.textAlign = 'left';
        const [a, b] = marked || [toX(span.from, width), toX(span.to, width)];
        if (b - a < width - label() - 1) {
          ctx.fillStyle = colour('--ground');
          ctx.globalAlpha = 0.55;
          ctx.fillRect(label(), 0, a - label(), bottom);
          ctx.fillRect(b, 0, width - b, bottom);
          ctx.globalAlpha = 1;
          ctx.strokeStyle = colour('--accent');
          ctx.lineWidth = 2;
          ctx.strokeRect(a, 1, Math.max(2, b - a), bottom - 2);
        }
      });
    const c = own.element;
    c.classList.add('strip');
    into.append(readout);
    span.followers.push(own.draw);

    let start = null;
    c.addEventListener('pointerdown', e => {
      start = e.offsetX;
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener('pointermove', e => {
      if (start !== null) {
        marked = [Math.min(start, e.offsetX), Math.max(start, e.offsetX)];
        own.draw();
      }
      tell(e);
    });
    c.addEventListener('pointerup', e => {
      if (marked && marked[1] - marked[0] > 4)
        setSpan(toTime(marked[0], c.clientWidth),
          toTime(marked[1], c.clientWidth));
      start = marked = null;
      own.draw();
    });
    c.addEventListener('pointercancel', () => (start = marked = null));
    c.addEventListener('dblclick', () => setSpan(...whole));

    function tell(e) {
      const line = lines[Math.floor(e.offsetY / rowHeight)];
      const s = toTime(e.offsetX, c.clientWidth);
      const i = Math.floor((s * 1e9 - t.first) / t.step);
      readout.textContent = !line ? '' : timeLabel(s, whole[1]) + '  ' +
        line.name + ': ' + show(line.n.get(i) || 0, line.unit) +
        (missing.n.get(i) ? '  not captured: ' +
         show(missing.n.get(i), 'count') + ' packets' : '');
    }
  }

  /* As much of a text as there is room for. */
  function fit(ctx, text, room) {
    if (ctx.measureText(text).width <= room)
      return text;
    while (text.length > 1 && ctx.measureText(text + '\u2026').width > room)
      text = text.slice(0, -1);
    return text + '\u2026';
  }

  /* ---- what moves the span without a mouse */

  /* |view|: at() says from when to when, set() changes it, |all| is all of it,
   * and |followers| are called when it changes. */
  function controls(into, view) {
    const bar = make('div', { className: view.kind });
    const where = make('span', { className: 'where' });
    const move = (text, label, change) => {
      const b = make('button', { type: 'button', textContent: text });
      b.setAttribute('aria-label', label);
      b.addEventListener('click', () => {
        const [from, to] = view.at();
        view.set(...change(from, to, to - from));
      });
      bar.append(b);
    };
    move('\u25C0', 'Earlier', (a, b, w) => [a - w / 2, b - w / 2]);
    move('\u25B6', 'Later', (a, b, w) => [a + w / 2, b + w / 2]);
    move('+', 'Closer', (a, b, w) => [a + w / 4, b - w / 4]);
    move('\u2212', 'Farther', (a, b, w) => [a - w / 2, b + w / 2]);
    move('All', view.name, () => view.all);
    where.setAttribute('role', 'status');
    bar.append(where);
    into.append(bar);
    const tell = () => {
      const [from, to] = view.at();
      where.textContent = timeLabel(from, to - from) + ' to ' +
        timeLabel(to, to - from) + ' (' +
        show(Math.round((to - from) * 1e9), 'duration') + ')';
    };
    view.followers.push(tell);
    tell();
  }

  const shared = { name: 'The whole capture', kind: 'window tools', all: whole,
    at: () => [span.from, span.to], set: setSpan, followers: span.followers };

  function heading(into, text) {
    into.append(make('h4', { textContent: text }));
  }

  function drawTimeline(into, section) {
    const t = timeline(section);
    const per = ', per ' + show(t.step, 'duration');
    const load = t.of('load'), paused = t.of('paused');
    const ce = t.of('ce'), cnp = t.of('cnp');
    const groups = GROUPS.map(([name, kinds, c]) =>
      Object.assign(together(t, name, kinds), { colour: c }))
      .filter(g => g.n.size);
    const missing = together(t, 'missing in the capture', [MISSING]);
    const counted = l => Object.assign({}, l, { unit: 'count' });
    const named = (lines, before) => lines.map(l => Object.assign({}, l,
      { name: before + l.name }));

    controls(into, shared);
    strip(into, t, [
      ...load.map(l => Object.assign({}, l, { unit: 'rate',
        title: 'load ' + l.name })),
      ...named(ce, 'marked ').map(counted),
      ...named(cnp, 'CNP ').map(counted),
      ...named(paused, 'paused ').map(l => Object.assign({}, l,
        { unit: 'duration' })),
      ...groups.map(counted),
      ...(missing.n.size ? [counted(missing)] : []),
    ], missing);

    const one = (title, lines, unit, colours) => {
      if (!lines.length)
        return;
      heading(into, title);
      timeDiagram({ into, rows: rows(t, lines), unit, steps: true, colours,
        labels: ['time', ...unique(lines.map(l => l.name))],
        describe: title + ' over time' });
    };
    one('Load, averaged over ' + show(t.step, 'duration'), load, 'rate');
    one('Marked packets (CE) and congestion notifications (CNP)' + per,
      [...named(ce, 'CE '), ...named(cnp, 'CNP ')], 'count');
    one('Time paused, both directions' + per, paused, 'duration');
    one('Packets lost, NAKs, retransmissions' + per,
      [...groups, ...(missing.n.size ? [missing] : [])], 'count',
      [...groups.map(g => g.colour), '--s6']);
  }

  /* A diagram for each of |kinds|: what, title, unit, and whether nothing is
   * known where there is no row, which is nothing else. */
  function drawKinds(into, section, kinds) {
    const t = timeline(section);
    for (const [what, title, unit, gaps] of kinds) {
      const lines = t.of(what), data = [];
      if (!lines.length)
        continue;
      for (let i = 0; i <= t.n; i++)
        data.push([(t.first + i * t.step) / 1e9, ...lines.map(l => {
          const v = l.n.get(i < t.n || gaps ? i : i - 1);
          return v === undefined ? (gaps ? null : 0) : v;
        })]);
      heading(into, title + (unit === 'count' ? ', per ' +
        show(t.step, 'duration') : ''));
      timeDiagram({ into, rows: data, unit, steps: true,
        labels: ['time', ...unique(lines.map(l => l.name))],
        describe: title + ' over time' });
    }
  }

  const drawHops = (into, section) => drawKinds(into, section, [
    ['p99', 'Time inside, 99 of 100 packets at most', 'duration', true],
    ['p50', 'Time inside, half of the packets at most', 'duration', true],
    ['most', 'Time inside, longest', 'duration', true],
    ['congested', 'Share of packets with congestion, as the switch reports',
      'share', true]]);

  const drawSegments = (into, section) => drawKinds(into, section, [
    ['lost', 'Lost', 'count', false],
    ['trimmed', 'Trimmed', 'count', false],
    ['corrupted', 'Bad ICRC', 'count', false],
    ['marked', 'Marked (CE)', 'count', false],
    ['reordered', 'Overtaken', 'count', false],
    ['duplicated', 'Duplicates', 'count', false],
    ['missed', 'Missed by one of both captures', 'count', false],
    ['open', 'Lost or missed: open', 'count', false]]);

  /* dygraphs tells series by their names */
  function unique(names) {
    const seen = new Map();
    return names.map(n => {
      const k = (seen.get(n) || 0) + 1;
      seen.set(n, k);
      return k > 1 ? n + ' (' + k + ')' : n;
    });
  }

  /* ---- pauses: a line for each port */

  function drawPauses(into, section) {
    const col = section.column;
    const key = i => [col('tap_id')[i], col('source_mac')[i],
      col('priority')[i]].join(' ');
    const ports = [];
    const place = new Map();
    for (let i = 0; i < section.rows; i++) {
      if (!place.has(key(i))) {
        place.set(key(i), ports.length);
        ports.push({ bars: [], name: (col('who')[i] || col('source_mac')[i]) +
          (col('priority')[i] === null ? ', whole link'
            : ', priority ' + col('priority')[i]) });
      }
      ports[place.get(key(i))].bars.push({ from: col('first_ns')[i] / 1e9,
        to: (col('last_ns')[i] === null ? col('first_ns')[i]
          : col('last_ns')[i]) / 1e9,
        pauses: col('pauses')[i], paused: col('paused_ns')[i] });
    }
    const arrows = propagation(place);
    const rowHeight = 34, readout = make('p', { className: 'readout' });
    const own = canvas(into, ports.length * rowHeight + 20,
      'Pauses of ' + ports.length + ' ports over time', (ctx, width) => {
        const bottom = ports.length * rowHeight;
        const toX = s => (s - span.from) / (span.to - span.from) * width;
        ports.forEach((port, k) => bars(ctx, width, port, k, toX));
        arrows.forEach(a => arrow(ctx, toX(a.at), a.from, a.to));
        ports.forEach((port, k) => name(ctx, width, port, k));
        ctx.fillStyle = colour('--soft');
        ctx.fillText(timeLabel(span.from, span.to - span.from), 0, bottom + 10);
        ctx.textAlign = 'right';
        ctx.fillText(timeLabel(span.to, span.to - span.from), width,
          bottom + 10);
        ctx.textAlign = 'left';
      });

    function bars(ctx, width, port, k, toX) {
      const y = k * rowHeight;
      ctx.fillStyle = colour('--heat-none');
      ctx.fillRect(0, y + 16, width, 14);
      for (const b of port.bars) {
        const x = toX(b.from), end = Math.max(toX(b.to), x + 1.5);
        if (end < 0 || x > width)
          continue;
        ctx.globalAlpha = b.paused === null ? 0.4
          : Math.max(0.3, Math.min(1, b.paused / 1e9 / (b.to - b.from || 1e-9)));
        ctx.fillStyle = colour('--s1');
        ctx.fillRect(x, y + 16, end - x, 14);
        ctx.globalAlpha = 1;
      }
    }

    function name(ctx, width, port, k) {
      const text = fit(ctx, port.name, width);
      ctx.strokeStyle = colour('--ground');
      ctx.lineWidth = 4;
      ctx.strokeText(text, 0, k * rowHeight + 8);
      ctx.fillStyle = colour('--ink');
      ctx.fillText(text, 0, k * rowHeight + 8);
    }

    function arrow(ctx, x, from, to) {
      const y0 = from * rowHeight + 23, y1 = to * rowHeight + 23;
      const d = Math.sign(y1 - y0);
      ctx.strokeStyle = ctx.fillStyle = colour('--ink');
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.moveTo(x, y0);
      ctx.lineTo(x, y1 - 8 * d);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x, y1);
      ctx.lineTo(x - 5, y1 - 9 * d);
      ctx.lineTo(x + 5, y1 - 9 * d);
      ctx.fill();
    }

    into.append(readout);
    span.followers.push(own.draw);
    own.element.addEventListener('pointermove', e => {
      const port = ports[Math.floor(e.offsetY / rowHeight)];
      const s = span.from + (span.to - span.from) * e.offsetX /
        own.element.clientWidth;
      const near = (span.to - span.from) / 200;
      const b = port && port.bars.find(v =>
        s >= v.from - near && s <= v.to + near);
      readout.textContent = b ? port.name + ': ' + show(b.pauses, 'count') +
        ' pauses, ' + show(b.paused, 'duration') + ' from ' +
        timeLabel(b.from, span.to - span.from) + ' to ' +
        timeLabel(b.to, span.to - span.from) : '';
    });
  }

  /* Arrows between the lines of storms, where the storm that followed begins. */
  function propagation(place) {
    const storms = sections.get('storms'), edges = sections.get('propagation');
    if (!storms || !edges)
      return [];
    const line = new Map();
    for (let i = 0; i < storms.rows; i++)
      line.set(storms.column('id')[i], place.get([storms.column('tap_id')[i],
        storms.column('source_mac')[i],
        storms.column('priority')[i]].join(' ')));
    return edges.column('cause_id').map((cause, i) => ({
      from: line.get(cause), to: line.get(edges.column('effect_id')[i]),
      at: edges.column('first_ns')[i] / 1e9,
    })).filter(a => a.from !== undefined && a.to !== undefined);
  }

  /* ---- phases: a line for each job, blocks by where the time went */

  const CLASSES = ['compute', 'wire', 'queueing', 'loss', 'rate-cut', 'pause',
    'host-late', 'host-receiver', 'host-nic', 'unknown'];
  const CLASS_NAMES = { compute: 'computation', wire: 'wire time',
    queueing: 'queueing', loss: 'loss recovery', 'rate-cut': 'rate reduction',
    pause: 'PFC pauses', 'host-late': 'late ranks',
    'host-receiver': 'receivers not ready', 'host-nic': 'slow sender NICs',
    unknown: 'unknown' };
  const CLASS_COLOURS = ['--s5', '--s2', '--s6', '--s7', '--s3', '--s1',
    '--s0', '--s4', '--s4', '--line'];

  function drawPhases(into, section) {
    const col = section.column, jobs = new Map();
    for (let i = 0; i < section.rows; i++) {
      const job = col('job')[i];
      if (!jobs.has(job))
        jobs.set(job, new Map());
      const phases = jobs.get(job), id = col('phase_id')[i];
      if (!phases.has(id))
        phases.set(id, { from: col('first_ns')[i] / 1e9, parts: [],
          to: col('last_ns')[i] / 1e9, slow: col('slow')[i],
          iteration: col('iteration')[i], pattern: col('pattern')[i] });
      if (col('class')[i] !== null)
        phases.get(id).parts.push({ class: col('class')[i],
          ns: col('time_ns')[i] });
    }
    const seen = new Set(col('class'));
    const legend = make('div', { className: 'legend' });
    CLASSES.forEach((c, i) => {
      if (!seen.has(c))
        return;
      const swatch = make('span', { className: 'swatch' });
      swatch.style.background = `var(${CLASS_COLOURS[i]})`;
      legend.append(make('span', {}, swatch, CLASS_NAMES[c]));
    });
    into.append(legend);
    const rowHeight = 64, readout = make('p', { className: 'readout' });
    const lines = [...jobs];

    function block(ctx, width, phase, y, toX) {
      const x = toX(phase.from), end = Math.max(toX(phase.to), x + 1.5);
      if (end < 0 || x > width)
        return;
      const sum = phase.parts.reduce((n, p) => n + p.ns, 0);
      let at = y;
      for (const part of phase.parts) {
        const h = sum ? 40 * part.ns / sum : 0;
        const i = CLASSES.indexOf(part.class);
        ctx.fillStyle = colour(i < 0 ? '--line' : CLASS_COLOURS[i]);
        ctx.fillRect(x, at, end - x, h);
        at += h;
      }
      if (!sum) {
        ctx.fillStyle = colour('--line');
        ctx.fillRect(x, y, end - x, 40);
      }
      if (phase.slow) {
        ctx.strokeStyle = colour('--ink');
        ctx.lineWidth = 2;
        ctx.strokeRect(x, y, Math.max(2, end - x), 40);
      }
    }

    const own = canvas(into, lines.length * rowHeight + 20,
      'Phases of ' + lines.length + ' jobs over time', (ctx, width) => {
        const toX = s => (s - span.from) / (span.to - span.from) * width;
        lines.forEach(([job, phases], k) => {
          ctx.fillStyle = colour('--ink');
          ctx.fillText('job ' + job + ', ' + phases.size + ' phases', 0,
            k * rowHeight + 8);
          for (const phase of phases.values())
            block(ctx, width, phase, k * rowHeight + 18, toX);
        });
        ctx.fillStyle = colour('--soft');
        const bottom = lines.length * rowHeight + 10;
        ctx.fillText(timeLabel(span.from, span.to - span.from), 0, bottom);
        ctx.textAlign = 'right';
        ctx.fillText(timeLabel(span.to, span.to - span.from), width, bottom);
        ctx.textAlign = 'left';
      });
    into.append(readout);
    span.followers.push(own.draw);
    own.element.addEventListener('pointermove', e => {
      const line = lines[Math.floor(e.offsetY / rowHeight)];
      const s = span.from + (span.to - span.from) * e.offsetX /
        own.element.clientWidth;
      const p = line && [...line[1].values()].find(v =>
        s >= v.from && s <= v.to);
      readout.textContent = p ? 'iteration ' + p.iteration + ', ' +
        (p.pattern || 'pattern not recognized') + ', ' +
        show(Math.round((p.to - p.from) * 1e9), 'duration') + (p.slow
        ? ', slow: ' : ': ') + p.parts.map(v => CLASS_NAMES[v.class] +
        ' ' + show(v.ns, 'duration')).join(', ') : '';
    });
  }

  /* ---- congestion and credit of contexts: a line for each */

  const REPORTED = [
    ['Share of the time without credit', 'credit_wait_share'],
    ['Credit granted per millisecond (raw)', 'credit_granted_per_ms'],
    ['Credit requested and not granted, maximum (raw)', 'credit_backlog_max'],
    ['Share of ACKs for packets that arrived with CE', 'marked_share'],
    ['NACKs for packets that arrived trimmed', 'trimmed'],
    ['Rate that the receiver reports', 'received_bps'],
    ['Longest service time of the receiver', 'service_max_ns'],
    ['Packets out of order at the receiver, maximum', 'ooo_max'],
    ['Largest window penalty, of 127', 'penalty_max'],
  ];

  /* Intervals differ in length from one context to the next: each begins and
   * ends a step of all. */
  function drawCongestion(into, section) {
    const col = section.column, contexts = new Map();
    const start = i => col('start_ns')[i];
    const end = i => start(i) + col('width_ns')[i];
    col('flow_id').forEach((f, i) => {
      if (!contexts.has(f))
        contexts.set(f, { name: 'flow ' + f + ', ' + col('src')[i] + ' > ' +
          col('dst')[i], at: [] });
      contexts.get(f).at.push(i);
    });
    const edges = [...new Set(col('flow_id').flatMap((_, i) =>
      [start(i), end(i)]))].sort((a, b) => a - b);
    const lines = [...contexts.values()];
    for (const [title, name] of REPORTED) {
      const { unit, values } = section.columns.find(c => c.name === name);
      const reported = lines.filter(l => l.at.some(i => values[i] !== null));
      if (!reported.some(l => l.at.some(i => values[i] > 0)))
        continue;
      const next = reported.map(() => 0);
      const data = edges.map(t => [t / 1e9, ...reported.map((l, k) => {
        while (next[k] < l.at.length && end(l.at[next[k]]) <= t)
          next[k]++;
        const i = l.at[next[k]];
        return i === undefined || start(i) > t ? null : values[i];
      })]);
      heading(into, title);
      timeDiagram({ into, rows: data, unit, steps: true,
        labels: ['time', ...reported.map(l => l.name)],
        describe: title + ' over time' });
    }
  }

  /* ---- PSNs over time */

  const SHAPES = {
    '\u00D7': (c, x, y, r) => { /* cross */
      c.beginPath();
      c.moveTo(x - r, y - r);
      c.lineTo(x + r, y + r);
      c.moveTo(x + r, y - r);
      c.lineTo(x - r, y + r);
      c.stroke();
    },
    '\u25B2': (c, x, y, r) => { /* triangle */
      c.beginPath();
      c.moveTo(x, y - r);
      c.lineTo(x + r, y + r);
      c.lineTo(x - r, y + r);
      c.fill();
    },
    '\u25CF': (c, x, y, r) => { /* disc */
      c.beginPath();
      c.arc(x, y, r * 0.6, 0, 7);
      c.fill();
    },
    '\u25A0': (c, x, y, r) => /* square */
      c.fillRect(x - r * 0.8, y - r * 0.8, r * 1.6, r * 1.6),
    '\u2212': (c, x, y, r) => { /* bar */
      c.beginPath();
      c.moveTo(x - r, y);
      c.lineTo(x + r, y);
      c.stroke();
    },
    '\u25CB': (c, x, y, r) => { /* ring */
      c.beginPath();
      c.arc(x, y, r, 0, 7);
      c.stroke();
    },
  };
  const MARKS = ['\u00D7', '\u25B2', '\u25CF', '\u25A0', '\u25CB'];
  const KINDS = [...GROUPS.map(([name, kinds, c], i) =>
    ({ name, kinds, colour: c, mark: MARKS[i % MARKS.length] })),
  { name: 'missing in the capture', kinds: [MISSING], colour: '--s6',
    mark: '\u25CB' },
  { name: 'ACK or response', what: 'answer', colour: '--s2',
    mark: '\u2212' }];
  const isOf = (thing, k) => (k.what ? thing.what === k.what
    : thing.what === 'event' && k.kinds.includes(thing.kind));

  const LINES = ['sent', 'message', 'recovery'];

  /* Numbers that wrap, as distance from the first of them. */
  function unwrapper(values) {
    const size = values.some(v => v > 0xffffff) ? 2 ** 32 : 2 ** 24;
    let last = null, at = 0;
    return v => {
      if (last !== null) {
        const step = ((v - last) % size + size) % size;
        at += step > size / 2 ? step - size : step;
      }
      last = v;
      return at;
    };
  }

  function ladder(into, section, picks) {
    const get = name => section.column(name);
    const title = get('flow')[picks[0]];
    const sent = picks.filter(i => get('psn_first')[i] !== null)
      .sort((a, b) => get('first_ns')[a] - get('first_ns')[b]);
    const unwrap = unwrapper(sent.map(i => get('psn_first')[i]));
    const things = sent.map(i => {
      const low = unwrap(get('psn_first')[i]);
      const more = (get('psn_last')[i] - get('psn_first')[i] + 2 ** 32) %
        (get('psn_last')[i] < get('psn_first')[i] ? 2 ** 24 : 2 ** 32);
      return { what: get('what')[i], kind: get('kind')[i],
        says: get('says')[i] || 'sent', low,
        high: low + more, from: get('first_ns')[i] / 1e9,
        to: (get('last_ns')[i] === null ? get('first_ns')[i]
          : get('last_ns')[i]) / 1e9, psn: get('psn_first')[i] };
    });
    const stalls = picks.filter(i => get('what')[i] === 'stall').map(i =>
      [get('first_ns')[i] / 1e9, get('last_ns')[i] / 1e9]);
    const used = KINDS.filter(k => things.some(t => isOf(t, k)));
    const lines = things.filter(t => LINES.includes(t.what));
    const flights = things.filter(t => t.what === 'sent');
    const gaps = things.filter(t => t.what === 'event' && t.high > t.low);
    const data = things.map(t => [t.from, lines.includes(t) ? t.low : null,
      ...used.map(k => (isOf(t, k) ? t.low : null))]);
    /* the other ends, so that there is room for them */
    for (const t of lines)
      data.push([t.to, t.high, ...used.map(() => null)]);
    data.sort((a, b) => a[0] - b[0]);
    const ends = [...things.flatMap(t => [t.from, t.to]), ...stalls.flat()];
    if (!data.length)
      return;
    let from = Infinity, to = -Infinity;
    for (const s of ends) {
      from = Math.min(from, s);
      to = Math.max(to, s);
    }
    const edge = (to - from || 1e-3) * 0.02;
    heading(into, 'Flow ' + get('flow_id')[picks[0]] + ': ' + title);
    const kept = ['message', 'event', 'recovery', 'stall'].map(w => {
      const mine = picks.filter(i => get('what')[i] === w);
      const of = mine.length ? get('of')[mine[0]] : 0;
      return of > mine.length ? mine.length + ' of ' + show(of, 'count') +
        ' ' + w + 's' : null;
    }).filter(Boolean);
    if (kept.length || stalls.length)
      into.append(make('p', { className: 'readout', textContent: [
        kept.length ? 'Shown are ' + kept.join(', ') + '.' : '',
        stalls.length ? 'Shaded: stalled, paused or out of credit.'
          : ''].join(' ') }));
    const bar = make('div', {}), followers = [];
    into.append(bar);
    const g = diagram({
      into, rows: data, unit: 'count', tall: true,
      labels: ['time', 'sent', ...used.map(k => k.name)],
      colours: ['--s5', ...used.map(k => k.colour)],
      marks: ['/', ...used.map(k => k.mark)],
      describe: 'PSN over time of flow ' + title,
      readout: (x, points) => {
        const t = things.find(v => v.from === x || v.to === x);
        return t ? timeLabel(x, to - from) + '  ' + t.says +
          (t.what === 'answer' ? ' ACK or response' : '') + '  PSN ' + t.psn +
          (t.high > t.low ? ' to ' + (t.high - t.low) + ' later' : '') : '';
      },
      options: {
        dateWindow: [from - edge, to + edge],
        drawCallback: () => followers.forEach(f => f()),
        drawPoints: true,
        strokeWidth: 0,
        pointSize: 5,
        includeZero: false,
        yRangePad: 12,
        drawPointCallback: (g, name, ctx, x, y, c) => {
          const k = used.find(u => u.name === name);
          if (!k)
            return;
          ctx.fillStyle = ctx.strokeStyle = c;
          ctx.lineWidth = 2;
          SHAPES[k.mark](ctx, x, y, 5);
        },
        underlayCallback: (ctx, area, g) => {
          const [a, b] = g.xAxisRange();
          ctx.save();
          ctx.beginPath();
          ctx.rect(area.x, area.y, area.w, area.h);
          ctx.clip();
          ctx.fillStyle = colour('--heat-low');
          for (const s of stalls) {
            const x = g.toDomXCoord(s[0]);
            ctx.fillRect(x, area.y, Math.max(1, g.toDomXCoord(s[1]) - x),
              area.h);
          }
          /* a sender that sends nothing stays where it is */
          ctx.strokeStyle = colour('--s5');
          ctx.lineWidth = 0.5;
          flights.slice(1).forEach((t, i) => {
            ctx.beginPath();
            ctx.moveTo(g.toDomXCoord(flights[i].to),
              g.toDomYCoord(flights[i].high));
            ctx.lineTo(g.toDomXCoord(t.from), g.toDomYCoord(t.low));
            ctx.stroke();
          });
          for (const t of lines) {
            if (t.to < a || t.from > b)
              continue;
            ctx.strokeStyle = colour(t.what === 'recovery' ? '--s0' : '--s5');
            ctx.lineWidth = t.what === 'recovery' ? 4 : 1.6;
            ctx.beginPath();
            ctx.moveTo(g.toDomXCoord(t.from), g.toDomYCoord(t.low));
            ctx.lineTo(Math.max(g.toDomXCoord(t.to),
              g.toDomXCoord(t.from) + 1), g.toDomYCoord(t.high));
            ctx.stroke();
          }
          ctx.lineWidth = 3;
          for (const t of gaps) {
            const x = g.toDomXCoord(t.from), k = used.find(u => isOf(t, u));
            ctx.strokeStyle = colour(k ? k.colour : '--line');
            ctx.beginPath();
            ctx.moveTo(x, g.toDomYCoord(t.low));
            ctx.lineTo(x, g.toDomYCoord(t.high));
            ctx.stroke();
          }
          ctx.restore();
        },
      },
    });
    controls(bar, { name: 'All of this flow', kind: 'tools',
      all: [from - edge, to + edge],
      at: () => g.xAxisRange(), followers,
      set: (a, b) => g.updateOptions({ dateWindow: [a, b] }) });
  }

  function drawLadders(into, section) {
    const flows = new Map();
    section.column('flow_id').forEach((f, i) => {
      if (!flows.has(f))
        flows.set(f, []);
      flows.get(f).push(i);
    });
    for (const picks of flows.values())
      ladder(into, section, picks);
  }

  /* ---- distributions */

  /* Classes of the query in a power of ten, and how many of them a bar has. */
  const PER_DECADE = 50, BAR = 5;
  const FAMILIES = [['message', 'Message latency'],
    ['delay', 'One-way delay between capture points']];
  const LINES_MAX = 16; /* of one diagram */

  const timeOf = x => show(Math.round(10 ** x), 'duration')
    .replace(/\.0+ /, ' ');
  /* Of a logarithmic axis of time. */
  const logAxis = { axisLabelFormatter: timeOf, pixelsPerLabel: 80,
    ticker: (a, b) => decades(a, b, timeOf) };

  function drawHistogram(into, title, what, by) {
    const bars = new Map(), data = [];
    for (const [k, c] of by) {
      const bar = Math.floor(k / BAR);
      bars.set(bar, (bars.get(bar) || 0) + c.count);
    }
    const low = Math.min(...bars.keys()) - 1;
    const high = Math.max(...bars.keys()) + 1;
    for (let k = low; k <= high + 1; k++)
      data.push([k * BAR / PER_DECADE, bars.get(k) || 0]);
    heading(into, title);
    diagram({ into, rows: data, unit: 'count', steps: true,
      labels: ['time', what], describe: 'Distribution of ' + what,
      xAxis: logAxis,
      readout: (x, points) => timeOf(x) + ' to ' + timeOf(x + BAR / PER_DECADE) + ': ' +
        show(points[0].yval, 'count') });
  }

  /* The share of all that took no longer, each sort a line. */
  function drawShares(into, title, sorts) {
    const keys = sorts.flatMap(([, by]) => [...by.keys()]);
    const low = Math.min(...keys) - 1, high = Math.max(...keys) + 2;
    const at = sorts.map(() => 0), data = [];
    for (let k = low; k <= high; k++)
      data.push([k / PER_DECADE, ...sorts.map(([, by], i) =>
        (at[i] = by.get(k - 1) ? by.get(k - 1).below : at[i]))]);
    heading(into, title + ': share of all that took no longer (CDF)');
    diagram({ into, rows: data, unit: 'share', labels: ['time',
      ...sorts.map(([what]) => what)], describe: 'CDF of ' + title,
      xAxis: logAxis, readout: (x, points) => 'up to ' + timeOf(x) + '  ' +
        points.map(p => p.name + ': ' + show(p.yval, 'share')).join('  '),
      options: { valueRange: [0, 1.02] } });
  }

  function drawDistributions(into, section) {
    const box = make('div', { className: 'small' });
    const col = section.column, sorts = new Map();
    col('what').forEach((what, i) => {
      const key = col('family')[i] + '\t' + what;
      if (!sorts.has(key))
        sorts.set(key, { family: col('family')[i], what, by: new Map() });
      sorts.get(key).by.set(col('class')[i],
        { count: col('count')[i], below: col('below')[i] });
    });
    for (const [family, title] of FAMILIES) {
      const mine = [...sorts.values()].filter(s => s.family === family)
        .map(s => [s.what, s.by]);
      for (let i = 0; i < mine.length; i += LINES_MAX)
        drawShares(into, title, mine.slice(i, i + LINES_MAX));
    }
    into.append(box);
    /* the grid has all its cells, and each its width, before any is drawn */
    const cells = [...sorts.values()].map(() => make('div', {}));
    box.append(...cells);
    [...sorts.values()].forEach(({ family, what, by }, i) => {
      const total = [...by.values()].reduce((n, c) => n + c.count, 0);
      const each = { message: ' message', delay: ' packet' }[family];
      drawHistogram(cells[i], what + ': ' + show(total, 'count') +
        (each ? each + (total === 1 ? '' : 's') : ''), what, by);
    });
  }

  /* 1, 2, 5 of each power of ten; only 1 where there are many */
  function decades(a, b, label) {
    const ticks = [];
    for (let k = Math.floor(a); k <= b; k++)
      for (const m of b - a > 3 ? [1] : b - a > 1.2 ? [1, 3] : [1, 2, 3, 5, 7]) {
        const v = k + Math.log10(m);
        if (v >= a && v <= b)
          ticks.push({ v, label: label(v) });
      }
    return ticks;
  }

  /* ---- links: shares as bars */

  function addBar(bars, name, share, text) {
    const fill = make('div', { className: 'fill' });
    fill.style.width = 100 * (share || 0) + '%';
    bars.append(make('span', { textContent: name }),
      make('div', { className: 'track' }, fill),
      make('span', { className: 'n', textContent: text }));
  }

  function drawLinks(into, section) {
    const col = section.column, groups = sections.get('balance');
    for (const group of new Set(col('group_id'))) {
      const at = groups ? groups.column('id').indexOf(group) : -1;
      heading(into, at < 0 ? 'Group ' + group
        : groups.column('name')[at] + ', Jain\u2019s index ' +
          show(groups.column('jfi')[at], 'real'));
      const bars = make('div', { className: 'bars' });
      col('group_id').forEach((g, i) => {
        if (g !== group)
          return;
        addBar(bars, col('link')[i], col('share')[i],
          show(col('share')[i], 'share') + ', ' +
          show(col('bytes')[i], 'bytes'));
      });
      into.append(bars);
    }
  }

  /* ---- services side by side: a bar for each */

  const COMPARED = [['goodput_bps', 'Goodput'],
    ['latency_mean_ns', 'Message latency, mean'],
    ['recovery_mean_ns', 'Time lost per recovery, mean'],
    ['lost_min_ppm', 'Packets lost per million, at least'],
    ['retransmitted_ppm', 'Packets retransmitted per million'],
    ['reordered_share', 'Packets reordered upstream'],
    ['paths_mean', 'Entropy values (source ports) of a flow, mean']];

  function drawServices(into, section) {
    const services = section.column('service');
    if (services.length < 2)
      return;
    for (const [name, title] of COMPARED) {
      const { values, unit } = section.columns.find(c => c.name === name);
      const most = Math.max(...values.map(v => v || 0));
      if (!(most > 0))
        continue;
      const bars = make('div', { className: 'bars' });
      services.forEach((service, i) =>
        addBar(bars, service, values[i] / most, show(values[i], unit)));
      heading(into, title);
      into.append(bars);
    }
  }

  /* ---- */

  const drawings = { timeline: drawTimeline, pauses: drawPauses,
    phases: drawPhases, ladders: drawLadders, distributions: drawDistributions,
    links: drawLinks, services: drawServices, congestion: drawCongestion, hops: drawHops,
    segments: drawSegments };

  for (const into of document.querySelectorAll('[data-draw]'))
    if (drawings[into.dataset.draw] && sections.has(into.dataset.of))
      drawings[into.dataset.draw](into, sections.get(into.dataset.of));

  const all = () => redraws.forEach(f => f());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', all);
  /* On paper.  A browser shows nothing of a canvas that was drawn while it was
   * about to print, so that the button draws first, as wide as the paper and as
   * light, and prints two frames later.  Who prints by the menu of the browser
   * gets the diagrams as they are on the screen, made smaller. */
  const PAPER = 700; /* CSS pixels of A4 without margins */
  const root = document.documentElement;
  const frame = () => new Promise(requestAnimationFrame);

  async function prepare() {
    root.classList.add('paper');
    all();
    await frame();
    await frame();
  }

  addEventListener('beforeprint', () => {
    if (root.classList.contains('paper'))
      return;
    const night = matchMedia('(prefers-color-scheme: dark)').matches;
    for (const d of document.querySelectorAll('.drawing')) {
      d.style.zoom = Math.min(1, PAPER / d.clientWidth);
      d.classList.toggle('night', night);
    }
  });
  addEventListener('afterprint', () => {
    for (const d of document.querySelectorAll('.drawing')) {
      d.style.zoom = '';
      d.classList.remove('night');
    }
    if (root.classList.contains('paper')) {
      root.classList.remove('paper');
      all();
    }
  });
  const print = make('button', { type: 'button', textContent: 'Print' });
  print.addEventListener('click', () => prepare().then(() => window.print()));
  document.querySelector('nav').append(print);
  report.prepare = prepare;
  report.span = span;
  report.setSpan = setSpan;
  report.whole = whole;
  document.documentElement.dataset.drawn = 'yes';
})();
