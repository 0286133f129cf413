// SPDX-License-Identifier: Apache-2.0
// How does a chart live on the page? It is drawn for the width it has, and again when that changes
// or a line is taken out.

const GAP = 28;
const SMALLEST_PANEL = 250;

function openChart(figure, spec) {
    const view = {figure, spec, hidden: new Set(), panels: [], cursor: null, width: 0};
    view.tooltip = html("div", {class: "tooltip", role: "status", hidden: ""});
    view.canvas = html("div", {class: "panels"});
    view.plot = html("div", {class: "plot"}, view.canvas, view.tooltip);
    view.legend = makeLegend(view);
    const copy = copyButton("Copy data", () => asTable(spec));
    figure.append(copy, view.legend, view.plot);
    new ResizeObserver(() => {
        if (Math.abs(view.plot.clientWidth - view.width) > 1) render(view);
    }).observe(view.plot);
    render(view);
}

function unpack(spec, xs) {
    for (const panel of spec.panels)
        for (const line of panel.lines) line.x = xs[line.x];
    return spec;
}

function extentsOf(view) {
    const {spec} = view;
    const lines =
        spec.panels.flatMap((panel) => panel.lines).filter((line) => !view.hidden.has(line.name));
    const buckets = spec.panels.flatMap((panel) => panel.buckets ?? []);
    const xs = [
        ...lines.map((line) => line.x), ...buckets.map(([from, to]) => [from, to]),
        spec.spans.flatMap((span) => [span.from, span.to]), spec.xMarks.map((mark) => mark.at)
    ];
    const ys = [
        ...lines.flatMap((line) => [line.y, line.low ?? []]), buckets.map(([, , count]) => count),
        spec.yMarks.map((mark) => mark.at)
    ];
    return {x: extentOf(xs, spec.x.log), y: extentOf(ys, spec.y.log)};
}

// As many columns as fit, and no row much emptier than the others.
function columnsFor(count, width) {
    const most = Math.max(1, Math.min(count, Math.floor((width + GAP) / (SMALLEST_PANEL + GAP))));
    return Math.ceil(count / Math.ceil(count / most));
}

function panelSize(view) {
    const {spec, width} = view;
    if (spec.kind === "multiples") {
        const columns = columnsFor(spec.panels.length, width);
        const each = Math.floor((width - GAP * (columns - 1)) / columns);
        return {
            width: each,
            height: Math.round(Math.max(150, Math.min(210, each * 0.5))),
            titles: false,
            lanes: false
        };
    }
    if (spec.kind === "path") {
        const side = Math.min(width, 680);
        return {
            width: side,
            height: Math.round(Math.max(300, Math.min(460, side * 0.72))),
            titles: true,
            lanes: true
        };
    }
    return {
        width,
        height: Math.round(Math.max(260, Math.min(380, width * 0.42))),
        titles: true,
        lanes: true
    };
}

function panelHead(panel) {
    const signs = {good: "✓ ", bad: "✗ ", best: "★ "};
    const sign = signs[panel.mood] &&
        html("span", {class: "sign " + panel.mood, role: "img", "aria-label": panel.mood},
            signs[panel.mood]);
    const readout = html("p", {class: "readout"});
    const head = html("div", {class: "panel-head"}, html("h4", {}, sign, panel.title),
        html("p", {class: "panel-note"}, panel.note), readout);
    return {head, readout};
}

function render(view) {
    hide(view);
    const focused = view.panels.findIndex((panel) => panel.root === document.activeElement);
    view.width = Math.max(240, view.plot.clientWidth);
    view.extents = extentsOf(view);
    const size = panelSize(view);
    view.panels = view.spec.panels.map((spec) => {
        const panel = {...drawPanel(view, spec, size), title: spec.title ?? ""};
        if (view.spec.kind === "multiples") Object.assign(panel, panelHead(spec));
        attachHover(view, panel);
        return panel;
    });
    view.canvas.style.setProperty("--width", size.width + "px");
    view.canvas.style.setProperty(
        "--columns", Math.max(1, Math.round(view.width / (size.width + GAP))));
    view.canvas.replaceChildren(
        ...view.panels.map((panel) => html("div", {}, panel.head, panel.root)));
    if (focused >= 0) view.panels[focused].root.focus();
}

// For a spreadsheet: one row for each point, in columns divided by tabs.
function asTable(spec) {
    const rows = [];
    for (const panel of spec.panels) {
        const front = panel.title ? [panel.title] : [];
        for (const [from, to, count] of panel.buckets ?? []) rows.push([...front, from, to, count]);
        for (const line of panel.lines)
            line.x.forEach(
                (x, i) => rows.push(
                    [...front, line.name, x, line.y[i], ...(line.low ? [line.low[i]] : [])]));
    }
    return rows.map((row) => row.map((cell) => cell ?? "").join("\t")).join("\n") + "\n";
}
