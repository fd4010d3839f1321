/* The plots of tutti report. The data come from records, so their text is only ever set as text. */
"use strict";
(() => {
  const records = JSON.parse(document.getElementById("data").textContent);
  const PALETTE = ["var(--series)", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "var(--series-2)"]; // Okabe and Ito
  const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross"];
  const SCHEME = "cividis"; // told apart with any colour vision; bright is fast
  const LEGEND = { marginLeft: 12, marginRight: 40 };
  const FONT = { fontSize: "12px" };
  const NONE = "does not count";

  // ---- elements and texts ----

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
      element.setAttribute(name, value);
    element.append(...children); // strings become text
    return element;
  }

  function unitOf(seconds) {
    const units = [[1e-9, "ns"], [1e-6, "us"], [1e-3, "ms"], [1, "s"]];
    return units.find(([size]) => seconds / size < 999.5) || units[3];
  }

  function timeText(seconds) {
    const [size, name] = unitOf(seconds);
    const scaled = seconds / size;
    return `${scaled.toFixed(scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0)} ${name}`;
  }

  function shortened(text, most) {
    return text.length > most ? text.slice(0, most - 1) + "…" : text;
  }

  function configText(record, trial) {
    return trial.places
      .map((place, k) => place < 0 ? null : `${record.knobs[k].name}=${record.knobs[k].values[place]}`)
      .filter((text) => text !== null).join("\n");
  }

  function valueText(knob, place) {
    return place < knob.values.length ? knob.values[place] : NONE;
  }

  const isOk = (trial) => trial.status === "ok";
  const best = (record) => record.trials.find(isOk).seconds;

  // As many labels as there is room for.
  function thinned(domain, room) {
    const step = Math.max(1, Math.ceil(domain.length / Math.max(1, room)));
    return domain.filter((_, i) => i % step === 0);
  }

  // Of an axis that counts.
  function wholeTicks(most) {
    return { ticks: d3.ticks(0, most, 4).filter(Number.isInteger), tickFormat: "d" };
  }

  // Space for labels on the left, in pixels.
  function labelWidth(texts, most) {
    return Math.min(most, 16 + 7.4 * Math.max(...texts.map((text) => text.length)));
  }

  // Those that beat it are on the dark end of the scheme, so their text must be light.
  function textColour(value, low, high) {
    return Math.log(value / low) > 0.5 * Math.log(high / low) ? "white" : "black";
  }

  // ---- the landscape ----

  // The best over all other knobs, and what did not work, for each pair of values.
  function landscapeCells(record, across, up) {
    const columns = record.knobs[across].values.length + 1;
    const cells = new Map();
    for (const trial of record.trials) {
      const at = (knob) => trial.places[knob] < 0 ? record.knobs[knob].values.length : trial.places[knob];
      const x = at(across), y = across === up ? 0 : at(up);
      const cell = cells.get(y * columns + x) || { x, y, tried: 0, failed: 0, best: null };
      cell.tried++;
      cell.hasWinner ||= trial.index === record.winner;
      if (!isOk(trial))
        cell.failed++;
      else if (cell.best === null) // trials are in the order of their times
        Object.assign(cell, { best: trial.seconds, trial });
      cells.set(y * columns + x, cell);
    }
    return [...cells.values()];
  }

  function places(record, knob) {
    const domain = record.knobs[knob].values.map((_, i) => i);
    return record.trials.some((trial) => trial.places[knob] < 0) ? [...domain, domain.length] : domain;
  }

  // None where there are so many that a mark for each would be fog.
  function missingCells(cells, columns, rows) {
    if (columns.length * rows.length > 2500)
      return [];
    const there = new Set(cells.map((cell) => `${cell.x} ${cell.y}`));
    return rows.flatMap((y) => columns.map((x) => ({ x, y })))
      .filter((cell) => !there.has(`${cell.x} ${cell.y}`));
  }

  function landscapeTip(record, cell) {
    const failed = cell.failed ? `\n${cell.failed} of ${cell.tried} without a time` : "";
    return `${timeText(cell.best)}, ${(cell.best / best(record)).toFixed(2)}x the winner's\n` +
      `#${cell.trial.index}\n${configText(record, cell.trial)}${failed}`;
  }

  function landscape(record, state, width) {
    const { across, up } = state;
    const [knobX, knobY] = [record.knobs[across], record.knobs[up]];
    const columns = places(record, across), rows = across === up ? [0] : places(record, up);
    const cells = landscapeCells(record, across, up);
    const timed = cells.filter((cell) => cell.best !== null);
    const low = Math.min(...timed.map((cell) => cell.best));
    const high = Math.max(low * 1.0001, ...timed.map((cell) => cell.best));
    const labelsY = rows.map((y) => across === up ? "" : shortened(valueText(knobY, y), 18));
    const marginLeft = labelWidth([...labelsY, "    "], 140);
    const step = (width - marginLeft - 10) / columns.length;
    const rowHeight = Math.max(4, Math.min(44, 640 / rows.length));
    const at = { x: "x", y: "y" };
    const marks = [
      Plot.cell(timed, { ...at, fill: "best", inset: step > 12 ? 0.5 : 0 }),
      Plot.text(cells.filter((cell) => cell.best === null), { ...at, text: () => "×", fontSize: 16 }),
      Plot.text(missingCells(cells, columns, rows), { ...at, text: () => "·", fontSize: 16 }),
      Plot.cell(timed.filter((cell) => cell.hasWinner),
        { ...at, stroke: "currentColor", strokeWidth: 2.5, inset: 0 }),
      Plot.tip(timed, Plot.pointer({ ...at, title: (cell) => landscapeTip(record, cell) })),
    ];
    if (step >= 52 && rowHeight >= 16)
      marks.splice(1, 0, Plot.text(timed, { ...at, text: (cell) => timeText(cell.best),
        fill: (cell) => textColour(cell.best, low, high) }));
    const plot = Plot.plot({
      width, marginLeft, marginTop: 30, marginBottom: 48,
      height: 78 + rowHeight * rows.length,
      style: FONT,
      x: { type: "band", padding: 0, domain: columns, label: knobX.name, labelAnchor: "center", labelArrow: "none",
        ticks: thinned(columns, (width - marginLeft) / 56),
        tickFormat: (x) => shortened(valueText(knobX, x), Math.max(4, Math.floor(step / 7))) },
      y: { type: "band", padding: 0, domain: rows, label: across === up ? null : knobY.name,
        labelArrow: "none", labelAnchor: "top", labelOffset: marginLeft,
        ticks: across === up ? [] : thinned(rows, 640 / 16), tickFormat: (y) => labelsY[rows.indexOf(y)] },
      color: { type: "log", domain: [low, high], scheme: SCHEME, reverse: true },
      marks, ariaLabel: `Landscape over ${knobX.name} and ${knobY.name}`,
    });
    if (high < low * 1.001)
      return [plot];
    const [size, unit] = unitOf(low);
    const legend = plot.legend("color", { label: `best time, ${unit}`, width: Math.min(300, width), style: FONT,
      ...LEGEND, ticks: [low, Math.sqrt(low * high), high], tickFormat: (seconds) => String(Number((seconds / size).toPrecision(3))) });
    return [legend, plot];
  }

  // ---- samples ----

  // What a row of the strips says at its left: on a wide page also the values.
  function rowLabels(record, trials, width) {
    const full = (trial) => `#${trial.index}  ` +
      trial.places.map((place, k) => place < 0 ? "–" : record.knobs[k].values[place]).join(", ");
    return new Map(trials.map((trial) =>
      [trial.index, width > 600 ? shortened(full(trial), 34) : `#${trial.index}`]));
  }

  function samplesOf(trial) {
    if (!trial.samples || !trial.samples.length)
      return [{ trial, round: null, seconds: trial.seconds, rank: trial.rank }];
    return trial.samples.map(([round, seconds, rank]) => ({ trial, round, seconds, rank }));
  }

  function rowScale(trials, labels) {
    return { type: "band", domain: trials.map((trial) => trial.index), label: null,
      tickFormat: (index) => labels.get(index), tickSize: 0 };
  }

  function samples(record, state, width) {
    const trials = record.trials.filter(isOk).slice(0, state.rows);
    const labels = rowLabels(record, trials, width);
    const [size, unit] = unitOf(trials[0].seconds);
    const dots = trials.flatMap(samplesOf);
    const ranks = [...new Set(dots.map((dot) => dot.rank))].sort((a, b) => a - b);
    const few = ranks.length > 1 && ranks.length <= PALETTE.length;
    const times = dots.map((dot) => dot.seconds).concat(trials.map((trial) => trial.seconds));
    const wide = Math.max(...times) > 4 * Math.min(...times);
    const colour = few ? { fill: "rank", symbol: "rank" } : { fill: PALETTE[0] };
    const tip = (dot) => `${timeText(dot.seconds)}${dot.round ? `, round ${dot.round}` : ""}` +
      `${dot.rank >= 0 ? `\nslowest: rank ${dot.rank}` : ""}\n#${dot.trial.index}\n` +
      configText(record, dot.trial);
    const at = { x: (dot) => dot.seconds / size, y: (dot) => dot.trial.index };
    const plot = Plot.plot({
      width, style: FONT, marginLeft: labelWidth([...labels.values()], 270), marginTop: 10, marginBottom: 46,
      marginRight: 26, height: 56 + 20 * trials.length,
      x: { type: wide ? "log" : "linear", label: `time of a sample, ${unit}${wide ? " (logarithmic)" : ""}`,
        labelAnchor: "center", labelArrow: "none", grid: true, nice: true,
        ticks: Math.max(3, width / 110), tickFormat: wide ? "~g" : undefined },
      y: rowScale(trials, labels),
      color: few ? { type: "categorical", domain: ranks, range: PALETTE } : undefined,
      symbol: few ? { domain: ranks, range: SYMBOLS } : undefined,
      marks: [
        Plot.ruleY(trials, { y: "index", strokeOpacity: 0.1 }),
        Plot.dot(dots, { ...at, ...colour, r: 3.5, fillOpacity: 0.75 }),
        Plot.tickX(trials, { x: (trial) => trial.seconds / size, y: "index", strokeWidth: 2 }),
        Plot.tip(dots, Plot.pointer({ ...at, title: tip })),
      ],
      ariaLabel: "Samples of each configuration, the fastest first",
    });
    return few ? [make("div", { class: "legend" }, "slowest rank ", plot.legend("symbol")), plot] : [plot];
  }

  // ---- the race ----

  const lastRound = (record, trial) => trial.dropped || record.rounds;

  function race(record, state, width) {
    const trials = record.trials.filter((trial) => isOk(trial) && trial.samples)
      .sort((a, b) => lastRound(record, b) - lastRound(record, a) || a.seconds - b.seconds)
      .slice(0, state.rows);
    const labels = rowLabels(record, trials, width);
    const fastest = new Map(); // of all configurations, by round
    for (const trial of record.trials)
      for (const [round, seconds] of trial.samples || [])
        fastest.set(round, Math.min(seconds, fastest.get(round) || Infinity));
    const cells = trials.flatMap(samplesOf).filter((cell) => cell.round)
      .map((cell) => ({ ...cell, ratio: cell.seconds / fastest.get(cell.round) }));
    const at = { x1: (cell) => cell.round - 0.5, x2: (cell) => cell.round + 0.5, y: (cell) => cell.trial.index };
    const tip = (cell) => `round ${cell.round}: ${timeText(cell.seconds)}, ` +
      `${cell.ratio.toFixed(2)}x the round's fastest\n#${cell.trial.index}\n${configText(record, cell.trial)}`;
    const plot = Plot.plot({
      width, style: FONT, marginLeft: labelWidth([...labels.values()], 270), marginTop: 10, marginBottom: 46,
      marginRight: 26, height: 56 + 20 * trials.length,
      x: { domain: [0.5, record.rounds + 0.5], label: "round", labelAnchor: "center", labelArrow: "none",
        ticks: d3.ticks(1, record.rounds, Math.max(3, width / 90)).filter(Number.isInteger) },
      y: rowScale(trials, labels),
      color: { type: "log", domain: [1, 2], scheme: SCHEME, reverse: true, clamp: true },
      marks: [
        Plot.ruleY(trials, { y: "index", x1: 0.5, x2: (trial) => lastRound(record, trial) + 0.5,
          strokeOpacity: 0.5 }),
        Plot.barX(cells, { ...at, fill: "ratio", insetTop: 2, insetBottom: 2, insetLeft: 0.5 }),
        Plot.text(trials.filter((trial) => trial.dropped), { y: "index", text: () => "×", fontSize: 14,
          x: (trial) => trial.dropped + 0.5, dx: 7 }),
        Plot.tip(cells, Plot.pointer({ x: "round", y: at.y, title: tip })),
      ],
      ariaLabel: "The race: which configuration ran in which round",
    });
    const legend = plot.legend("color", { label: "time over the fastest of the round",
      width: Math.min(300, width), style: FONT, ...LEGEND, ticks: [1, 1.25, 1.5, 2],
      tickFormat: (ratio) => ratio >= 2 ? "2x or more" : `${ratio}x` });
    return [legend, plot];
  }

  function alive(record, state, width) {
    const trials = record.trials.filter((trial) => isOk(trial) && trial.samples);
    const rounds = d3.range(1, record.rounds + 1).map((round) => ({ round,
      count: trials.filter((trial) => lastRound(record, trial) >= round).length }));
    const at = { x1: (round) => round.round - 0.5, x2: (round) => round.round + 0.5, y: "count" };
    return [Plot.plot({
      width, style: FONT, height: 170, marginLeft: 44, marginBottom: 46, marginRight: 26,
      x: { domain: [0.5, record.rounds + 0.5], label: "round", labelAnchor: "center", labelArrow: "none",
        ticks: d3.ticks(1, record.rounds, Math.max(3, width / 90)).filter(Number.isInteger) },
      y: { label: "still in the race", labelArrow: "none", grid: true, nice: true, zero: true,
        ...wholeTicks(trials.length) },
      marks: [
        Plot.rectY(rounds, { ...at, fill: PALETTE[0], insetLeft: 0.5 }),
        Plot.tip(rounds, Plot.pointer({ x: "round", y: "count",
          title: (round) => `round ${round.round}: ${round.count} configurations` })),
      ],
      ariaLabel: "How many configurations were in the race, by round",
    })];
  }

  // ---- ranks ----

  const RANKS_MOST = 64;

  function ranks(record, state, width) {
    const dots = record.trials.filter(isOk).flatMap(samplesOf).filter((dot) => dot.rank >= 0);
    const counts = d3.rollups(dots, (list) => list.length, (dot) => dot.rank)
      .map(([rank, count]) => ({ rank, count }))
      .sort((a, b) => b.count - a.count).slice(0, RANKS_MOST).sort((a, b) => a.rank - b.rank);
    const domain = counts.map((entry) => entry.rank);
    return [Plot.plot({
      width: Math.min(width, 120 + 60 * counts.length), height: 190, style: FONT, marginTop: 32,
      marginLeft: 52, marginBottom: 46,
      x: { type: "band", domain, label: "rank", labelAnchor: "center", labelArrow: "none",
        ticks: thinned(domain, width / 40) },
      y: { label: "times the slowest", labelArrow: "none", grid: true, zero: true,
        ...wholeTicks(Math.max(...counts.map((entry) => entry.count))) },
      marks: [
        Plot.barY(counts, { x: "rank", y: "count", fill: PALETTE[0] }),
        Plot.text(counts.length <= 16 ? counts : [], { x: "rank", y: "count", dy: -7, text: "count" }),
        Plot.tip(counts, Plot.pointer({ x: "rank", y: "count",
          title: (entry) => `rank ${entry.rank}: slowest in ${entry.count} samples` })),
      ],
      ariaLabel: "How often each rank was the slowest",
    })];
  }

  // ---- which plots a record has, and their controls ----

  function chooser(label, entries, chosen, choose) {
    const select = make("select", {}, ...entries.map(([value, text]) =>
      make("option", value === chosen ? { value, selected: "" } : { value }, text)));
    select.addEventListener("change", () => choose(Number(select.value)));
    return make("label", {}, label + " ", select);
  }

  function landscapeControls(record, state, redraw) {
    const entries = record.knobs.map((knob, i) => [i, knob.name]);
    if (entries.length < 2)
      return [];
    return [["across", "Across"], ["up", "Down"]].map(([axis, label]) =>
      chooser(label, entries, state[axis], (knob) => { state[axis] = knob; redraw(); }));
  }

  const ROWS_MOST = 1000; // more would take a browser long, and nobody reads them

  function rowControls(record, state, redraw) {
    const all = record.trials.filter(isOk).length;
    const entries = [20, 50, 200].filter((rows) => rows < all).map((rows) => [rows, `first ${rows}`]);
    if (!entries.length)
      return [];
    if (all <= ROWS_MOST)
      entries.push([all, `all ${all}`]);
    return [chooser("Show", entries, state.rows,
      (rows) => { state.rows = rows; redraw(); })];
  }

  const PLOTS = [
    { name: "landscape", title: "Landscape", draw: landscape, controls: landscapeControls,
      fits: () => true,
      note: () => "The best time over all other knobs; bright is fast, and the frame has the winner. " +
        "×: no configuration has a time. ·: none ran, as pruned or not come to." },
    { name: "samples", title: "Samples", draw: samples, controls: rowControls, fits: () => true,
      note: (record) => record.trials.some((trial) => trial.samples)
        ? "Each mark is one sample, the slowest rank's time; the line is the configuration's time, " +
          "which a race takes from differences within rounds. At most 32 samples are in a record."
        : "The record keeps one time of each configuration: the slowest rank's." },
    { name: "race", title: "Race", draw: race, controls: rowControls,
      fits: (record) => record.trials.some((trial) => trial.samples && trial.samples.length),
      note: () => "A cell is a sample, on a line while the configuration is in the race: without a cell the " +
        "record lists no sample of that round. × is where the race went on without it." },
    { name: "alive", title: "Still in the race", draw: alive, controls: () => [],
      fits: (record) => record.trials.some((trial) => trial.samples && trial.samples.length),
      note: () => "Configurations that were not dropped before each round." },
    { name: "ranks", title: "Slowest rank", draw: ranks, controls: () => [],
      fits: (record) => record.trials.some((trial) => isOk(trial) && trial.rank >= 0),
      note: (record) => "How often each rank had the time that counted: even is good." +
        (record.ranks > RANKS_MOST ? ` Of the ${record.ranks} ranks, the ${RANKS_MOST} most often.` : "") },
  ];

  function addPlot(record, place, entry) {
    const state = { across: record.across, up: record.up, rows: 20 };
    const holder = make("div", { class: "plot" });
    const controls = make("div", { class: "controls" });
    const draw = () => holder.replaceChildren(...entry.draw(record, state, holder.clientWidth));
    controls.append(...entry.controls(record, state, draw));
    place.append(make("figure", { "data-plot": entry.name },
      make("figcaption", {}, make("h3", {}, entry.title), make("p", { class: "note" }, entry.note(record))),
      controls, holder));
    draw();
    return { holder, draw, width: holder.clientWidth };
  }

  // ---- one record at a time ----

  const drawn = new Map(); // the plots of each section that was shown
  const sections = records.map((record) => document.getElementById(`record-${record.section}`));

  function show(position) {
    sections.forEach((section, i) => { section.hidden = i !== position; });
    document.querySelectorAll("table.records a").forEach((link, i) => {
      if (i === position)
        link.setAttribute("aria-current", "true");
      else
        link.removeAttribute("aria-current");
    });
    if (drawn.has(position))
      return refit();
    const place = sections[position].querySelector(".plots");
    drawn.set(position, PLOTS.filter((entry) => entry.fits(records[position]))
      .map((entry) => addPlot(records[position], place, entry)));
  }

  // Plots have a width in pixels: another width, another drawing.
  function refit() {
    for (const plot of [...drawn.values()].flat()) {
      const width = plot.holder.clientWidth;
      if (width && width !== plot.width) {
        plot.width = width;
        plot.draw();
      }
    }
  }

  function named() {
    return sections.findIndex((section) => `#${section.id}` === location.hash);
  }

  window.addEventListener("hashchange", () => {
    if (named() < 0)
      return;
    show(named());
    sections[named()].scrollIntoView();
    sections[named()].querySelector("h2").focus({ preventScroll: true });
  });
  window.addEventListener("resize", refit);
  document.documentElement.classList.add("scripted");
  show(Math.max(0, named()));
})();
