/* SPDX-License-Identifier: GPL-2.0-or-later
 * The data of a report, its numbers with units, its tables and findings.
 *
 * Text of the capture only ever becomes textContent. */
'use strict';
const report = (() => {
  const doc = JSON.parse(document.getElementById('data').textContent);

  /* ---- the answers (src/views/report_data.c) */

  function values(c) {
    if (c.d) {
      let at = 0;
      return c.d.map(step => (at += step));
    }
    return c.t ? c.i.map(i => (i === null ? null : c.t[i])) : c.v;
  }

  const sections = new Map();
  for (const [id, s] of Object.entries(doc.sections)) {
    const columns = s.columns.map(c => ({
      name: c.name, unit: c.unit, values: values(c) }));
    const column = name =>
      (columns.find(c => c.name === name) || { values: [] }).values;
    sections.set(id, { id, query: s.query, draw: s.draw, rows: s.rows,
      leftOut: s.left_out, columns, column });
  }

  /* ---- numbers as src/base/units.c and src/store/format.c say them */

  /* As printf: exact ties go to the even digit, where toFixed goes up. */
  function fixed(x, digits) {
    const tie = Number.isInteger(x * 2 ** (digits + 1)) &&
      Math.abs(x * 10 ** digits % 1) === 0.5;
    if (!tie)
      return x.toFixed(digits);
    const n = Math.floor(x * 10 ** digits);
    return ((n % 2 === 0 ? n : n + 1) / 10 ** digits).toFixed(digits);
  }

  function scaled(v, units) {
    let i = 0;
    while (i + 1 < units.length &&
           Math.abs(v) < units[i][0] * 0.9995)
      i++;
    const a = Math.abs(v) / units[i][0];
    let digits = a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
    if (units[i][0] <= 1 && Number.isInteger(a))
      digits = 0;
    return fixed(v / units[i][0], digits) + ' ' + units[i][1];
  }

  const NS = [[86400e9, 'd'], [3600e9, 'h'], [60e9, 'min'], [1e9, 's'],
    [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
  const BYTES = [[1e15, 'PB'], [1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'],
    [1e3, 'kB'], [1, 'B']];
  const RATE = [[1e12, 'Tb/s'], [1e9, 'Gb/s'], [1e6, 'Mb/s'], [1e3, 'kb/s'],
    [1, 'b/s']];

  function share(x) {
    let p = x * 100;
    const a = Math.abs(p);
    let digits = a >= 99.95 ? 0 : a >= 9.95 ? 1 : a >= 0.01 ? 2 : 4;
    if (a > 99 && a < 100) {
      digits = a < 99.95 ? 1 : a < 99.995 ? 2 : a < 99.9995 ? 3 : 4;
      p = a < 99.9999 ? p : Math.sign(p) * 99.9999;
    }
    if (p === 0)
      return '0 %';
    return (a >= 0.0001 ? fixed(p, digits) : p > 0 ? '< 0.0001' : '> -0.0001') +
      ' %';
  }

  /* "1.2e-05": at least two digits of exponent, as in C */
  function exponent(x, digits) {
    return x.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
  }

  /* printf's %.6g */
  function general(x) {
    if (x === 0)
      return '0';
    const power = Number(x.toExponential(5).split('e')[1]);
    const strip = s => (s.includes('.') ? s.replace(/\.?0+$/, '') : s);
    if (power >= -4 && power < 6)
      return strip(fixed(x, 5 - power));
    const [m, e] = exponent(x, 5).split('e');
    return strip(m) + 'e' + e;
  }

  function count(n) {
    return n < 0 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, ',');
  }

  function offset(ns) {
    const a = Math.abs(ns);
    return (ns < 0 ? '-' : '+') + Math.floor(a / 1e9) + '.' +
      String(Math.floor(a % 1e9 / 1000)).padStart(6, '0') + ' s';
  }

  const formats = {
    count, time: offset, share,
    duration: ns => scaled(ns, NS),
    bytes: n => scaled(n, BYTES),
    rate: n => scaled(n, RATE),
    flag: n => (n ? 'yes' : 'no'),
    hex: n => '0x' + n.toString(16).padStart(6, '0'),
    hex16: n => '0x' + n.toString(16).padStart(4, '0'),
  };

  const isText = unit => ['text', 'word', 'json', 'spark'].includes(unit);

  function show(v, unit) {
    if (v === null || v === undefined)
      return '-';
    if (typeof v === 'string')
      return v;
    if (!Number.isInteger(v) && unit !== 'share')
      return general(v);
    return formats[unit] ? formats[unit](v) : String(v);
  }

  /* ---- small parts of a page */

  function make(tag, properties, ...children) {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  }

  /* Words to be found, all of them; with "!" before it, one that must not. */
  function matcher(text) {
    const words = text.toLowerCase().split(/\s+/).filter(w => w && w !== '!');
    return hay => words.every(w =>
      (w[0] === '!' ? !hay.includes(w.slice(1)) : hay.includes(w)));
  }

  /* ---- tables that sort and filter */

  const PAGE = 25;
  const FEW = 6; /* rows that nobody needs to filter */

  function compare(a, b) {
    if (a === null || b === null)
      return a === b ? 0 : a === null ? 1 : -1; /* unknown comes last */
    return typeof a === 'string' || typeof b === 'string'
      ? String(a).localeCompare(String(b), 'en', { numeric: true }) : a - b;
  }

  function Table(element, section) {
    const heads = [...element.tHead.rows[0].cells];
    const shown = heads.map(th => section.columns[Number(th.dataset.column)]);
    const body = element.tBodies[0];
    const text = (c, row) => show(c.values[row], c.unit);
    const hay = Array.from({ length: section.rows }, (_, row) =>
      shown.map(c => text(c, row)).join('\t').toLowerCase());
    let order = hay.map((_, row) => row);
    let visible = order;
    let most = PAGE;
    let sorted = { column: null, down: false };

    const search = make('input', { type: 'search', spellcheck: false,
      name: 'filter-' + section.id });
    const counts = make('span', { className: 'counts' });
    const more = make('button', { type: 'button', className: 'show-more' });
    counts.setAttribute('role', 'status');
    search.setAttribute('aria-label', 'Rows that hold these words');
    search.placeholder = 'filter: words, !not';

    function cell(c, row) {
      const td = make('td', { textContent: text(c, row) });
      if (!isText(c.unit))
        td.className = 'n';
      else if (td.textContent.length > 60)
        td.className = 'long';
      return td;
    }

    function draw() {
      body.replaceChildren(...visible.slice(0, most).map(row =>
        make('tr', {}, ...shown.map(c => cell(c, row)))));
      const left = visible.length - most;
      counts.textContent = (visible.length < section.rows
        ? count(visible.length) + ' of ' : '') + count(section.rows) +
        (section.rows === 1 ? ' row' : ' rows') +
        (section.leftOut ? ', and ' + count(section.leftOut) +
         ' more in the database' : '');
      more.hidden = left <= 0;
      more.textContent = 'Show ' + count(Math.min(left, 4 * PAGE)) + ' more';
    }

    function filter() {
      const fits = matcher(search.value);
      visible = order.filter(row => fits(hay[row]));
      most = PAGE;
      draw();
    }

    /* A column of numbers begins with the largest; the third time brings the
     * order of the query back. */
    function sort(i) {
      const c = shown[i];
      const first = !isText(c.unit) && c.unit !== 'time';
      if (sorted.column !== c)
        sorted = { column: c, down: first };
      else if (sorted.down === first)
        sorted = { column: c, down: !first };
      else
        sorted = { column: null, down: false };
      order = hay.map((_, row) => row);
      if (sorted.column)
        order.sort((a, b) => {
          const x = c.values[a], y = c.values[b];
          const d = compare(x, y);
          return (sorted.down && x !== null && y !== null ? -d : d) || a - b;
        });
      heads.forEach((th, k) => {
        if (sorted.column === shown[k])
          th.setAttribute('aria-sort',
            sorted.down ? 'descending' : 'ascending');
        else
          th.removeAttribute('aria-sort');
      });
      filter();
    }

    heads.forEach((th, i) => {
      const button = make('button', { type: 'button',
        textContent: th.textContent });
      th.dataset.name = th.textContent; /* for paper: see report.css */
      button.addEventListener('click', () => sort(i));
      th.replaceChildren(button);
    });
    search.addEventListener('input', filter);
    more.addEventListener('click', () => {
      most += 4 * PAGE;
      draw();
    });
    if (section.rows > FEW)
      element.parentElement.before(
        make('div', { className: 'tools' }, search, counts));
    element.parentElement.after(
      make('div', { className: 'tools' }, more));
    draw();
  }

  /* ---- findings that filter and sort */

  function findings() {
    const box = document.querySelector('.findings');
    if (!box)
      return;
    const all = [...box.children];
    const search = make('input', { type: 'search', spellcheck: false,
      name: 'filter-findings' });
    search.placeholder = 'filter: words, !not';
    search.setAttribute('aria-label', 'Findings that hold these words');
    const order = make('select', { name: 'order-findings' },
      make('option', { value: 'weight', textContent: 'by weight' }),
      make('option', { value: 'cost', textContent: 'by time lost' }),
      make('option', { value: 'first', textContent: 'by time' }));
    order.setAttribute('aria-label', 'Order');
    const counts = make('span', {});
    counts.setAttribute('role', 'status');
    const kinds = ['critical', 'warning', 'info', 'ok'].filter(k =>
      all.some(f => f.classList.contains(k)));
    const boxes = kinds.map(k => make('input', { type: 'checkbox',
      checked: true, value: k, name: 'show-' + k }));
    const fold = make('button', { type: 'button', textContent: 'Open all' });

    function update() {
      const fits = matcher(search.value);
      const off = boxes.filter(b => !b.checked).map(b => b.value);
      let n = 0;
      for (const f of all) {
        f.hidden = off.some(k => f.classList.contains(k)) ||
          !fits(f.textContent.toLowerCase());
        n += !f.hidden;
      }
      const key = order.value, sign = key === 'cost' ? -1 : 1;
      box.replaceChildren(...[...all].sort((a, b) =>
        sign * (Number(a.dataset[key]) - Number(b.dataset[key])) ||
        a.dataset.weight - b.dataset.weight));
      counts.textContent = n + ' of ' + all.length;
    }

    for (const e of [search, order, ...boxes])
      e.addEventListener('input', update);
    fold.addEventListener('click', () => all.forEach(f => (f.open = true)));
    /* the first is the verdict above; what is grave stays open */
    all.forEach((f, i) => {
      f.open = i < 3 || f.classList.contains('critical');
    });
    box.before(make('div', { className: 'tools' }, search, order,
      ...boxes.map(b => make('label', {}, b, ' ' + b.value)), fold, counts));
    update();
  }

  findings();
  for (const element of document.querySelectorAll('table[data-section]'))
    if (sections.has(element.dataset.section))
      Table(element, sections.get(element.dataset.section));
  /* on paper nothing can be opened */
  addEventListener('beforeprint', () => {
    for (const f of document.querySelectorAll('.finding'))
      f.open = true;
  });

  return { doc, sections, show, make, lengthNs: doc.length_ns };
})();
