// SPDX-License-Identifier: Apache-2.0
// How is one plot put together: its margins, axes, drawing, and the place for the cross-hair?

let clips = 0;

function drawAxisY(y, box, count) {
    return ticksOf(y, count).map(({value, text}) => {
        const top = px(y.at(value));
        return svg("g", {class: "tick"},
            svg("line", {class: "grid", x1: box.left, x2: box.right, y1: top, y2: top}),
            svg("text", {x: box.left - 8, y: top + 4, "text-anchor": "end"}, text));
    });
}

function drawAxisX(x, box, count) {
    const ground =
        svg("line", {class: "ground", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom});
    const ticks = ticksOf(x, count).map(({value, text}) => {
        const left = px(x.at(value));
        // The outermost must not stand out of the picture.
        const half = textWidth(text) / 2;
        const at = Math.max(half, Math.min(left, box.width - half));
        return svg("g", {class: "tick"},
            svg("line", {class: "stub", x1: left, x2: left, y1: box.bottom, y2: box.bottom + 5}),
            svg("text", {x: px(at), y: box.bottom + 18, "text-anchor": "middle"}, text));
    });
    return [ground, ...ticks];
}

function drawBuckets(panel, x, y) {
    const ground = y.from;
    const bars = panel.buckets.map(([from, to, count]) => {
        const [left, right] = [clamp(x.at(from), x), clamp(x.at(to), x)];
        const top = Number.isFinite(y.at(count)) ? Math.min(ground, y.at(count)) : ground;
        const gap = right - left > 4 ? 1 : 0;
        return svg("rect", {
            x: px(left),
            y: px(top),
            width: px(Math.max(0.5, right - left - gap)),
            height: px(Math.max(0, ground - top))
        });
    });
    return svg("g", {class: "buckets"}, ...bars);
}

// What fits: {left, right, top, bottom} of the plot inside width and height.
function plotBox(view, size, lanes, yTexts) {
    const left = Math.ceil(Math.max(...yTexts.map((text) => textWidth(text)), 8)) + 12;
    const names = endLabelled(view, size) ? endNames(view).map(boldWidth) : [];
    const right = size.width - (names.length > 0 ? Math.ceil(Math.max(...names)) + 18 : 14);
    const top = (size.titles && axisTitle(view.spec.y) !== "" ? 26 : 8) + lanes * LANE;
    const bottom = size.height - 24 - (size.titles && axisTitle(view.spec.x) !== "" ? 18 : 0);
    return {left, right, top, bottom, width: size.width};
}

function endNames(view) {
    return view.spec.panels[0]
        .lines.filter((line) => line.style !== "band")
        .map((line) => line.name);
}

// Where the names would leave the lines enough room, and can be read.
function endLabelled(view, size) {
    const names = endNames(view);
    const fits = names.every((name) => boldWidth(name) < size.width * 0.28);
    return view.spec.kind === "lines" && size.width >= 640 && names.length > 1 &&
        names.length <= 8 && fits;
}

function axisTitles(view, size, box) {
    if (!size.titles) return [];
    return [
        svg("text", {class: "axis-title", x: 0, y: 12}, axisTitle(view.spec.y)),
        svg("text", {class: "axis-title", x: box.right, y: size.height - 5, "text-anchor": "end"},
            axisTitle(view.spec.x)),
    ];
}

function scalesFor(view, box) {
    const {spec, extents} = view;
    const fitX = spec.kind === "path" ? "round" : "exact";
    return {
        x: makeScale(spec.x, extents.x, box.left, box.right, fitX),
        y: makeScale(
            spec.y, extents.y, box.bottom, box.top, spec.kind === "path" ? "round" : "from zero"),
    };
}

function readerOf(view, shown, x, y) {
    if (view.spec.kind === "path") return pathReader(shown, x, y);
    if (view.spec.kind === "histogram") return histogramReader(shown, x, y);
    return linesReader(shown, x, y);
}

function drawnContent(view, shown, x, y) {
    if (view.spec.kind === "histogram") return [drawBuckets(shown, x, y)];
    const directions =
        view.spec.kind === "path" ? shown.lines.map((line, i) => drawDirection(line, x, y, i)) : [];
    return [drawLines(shown, x, y), ...directions];
}

// The margins depend on the texts of the ticks, these on the scale: its ends do not need the margins.
function layoutOf(view, size, marks) {
    const draft = scalesFor(view, {left: 0, right: size.width - 60, top: 0, bottom: size.height});
    const yTexts = ticksOf(draft.y, yTickCount(size)).map((tick) => tick.text);
    const wide = plotBox(view, size, 0, yTexts);
    const lanes = size.lanes ? laneLabels(view.spec.spans, marks, scalesFor(view, wide).x) :
                               {labels: [], count: 0};
    return {lanes, box: plotBox(view, size, lanes.count, yTexts)};
}

function yTickCount(size) {
    return size.height < 220 ? 3 : 6;
}

// A little wider than the plot: a line along an edge has its full width, a ring is whole.
function clipTo(id, box, margin) {
    const width = Math.max(0, box.right - box.left + 2 * margin);
    const height = Math.max(0, box.bottom - box.top + 2 * margin);
    return svg(
        "clipPath", {id}, svg("rect", {x: box.left - margin, y: box.top - margin, width, height}));
}

function emptyNote(view, box) {
    if (view.extents.y !== null) return [];
    const [left, top] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return [svg("text", {class: "empty halo", x: px(left), y: px(top)}, "nothing to show")];
}

// From the back to the front.
function layersOf(view, {size, marks, lanes, box, x, y, shown}, cursor) {
    const {spec} = view;
    const clip = "clip" + clips++;
    const plain = shown.lines.filter((line) => line.style !== "band");
    return [
        clipTo(clip, box, spec.kind === "path" ? 8 : 2),
        drawSpans(spec.spans, x, box),
        drawAxisY(y, box, yTickCount(size)),
        drawAxisX(x, box, Math.max(2, Math.floor((box.right - box.left) / 80))),
        axisTitles(view, size, box),
        svg("g", {"clip-path": `url(#${clip})`}, ...drawnContent(view, shown, x, y)),
        drawXMarks(marks, lanes, x, box),
        drawYMarks(spec.yMarks, y, box),
        drawLaneLabels(lanes, box),
        endLabelled(view, size) ? drawEndLabels(plain, x, y, box) : [],
        emptyNote(view, box),
        cursor,
    ].flat();
}

// size: {width, height, titles, lanes}. Returns what the hover needs.
function drawPanel(view, panel, size) {
    const marks = [...view.spec.xMarks, ...(panel.xMarks ?? [])];
    const {lanes, box} = layoutOf(view, size, marks);
    const {x, y} = scalesFor(view, box);
    const shown = {...panel, lines: panel.lines.filter((line) => !view.hidden.has(line.name))};
    const cursor = svg("g", {class: "cursor"});
    const attributes = {
        class: "panel",
        tabindex: 0,
        role: "img",
        viewBox: `0 0 ${size.width} ${size.height}`,
        "aria-label": describe(view, panel),
    };
    const layers = layersOf(view, {size, marks, lanes, box, x, y, shown}, cursor);
    const root = svg("svg", attributes, ...layers);
    return {root, cursor, box, size, reader: readerOf(view, shown, x, y)};
}

function describe(view, panel) {
    const title = [view.spec.title, panel.title].filter(Boolean).join(": ");
    const names = panel.lines.map((line) => line.name).join(", ");
    return `${title}. ${names ? "Lines: " + names + ". " : ""}Arrow keys read the values.`;
}
