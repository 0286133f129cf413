// SPDX-License-Identifier: Apache-2.0
// How are events shown: shaded ranges, marks at a value, and their labels above the plot?

const LANE = 17;

// Labels of spans and upright marks, each with the place it wants, in lanes without overlap.
function laneLabels(spans, marks, x) {
    const labels = [];
    for (const span of spans) {
        const middle = (clamp(x.at(span.from), x) + clamp(x.at(span.to), x)) / 2;
        labels.push({text: span.label, at: middle, kind: "span"});
    }
    for (const mark of marks)
        labels.push({text: mark.label, at: x.at(mark.at), kind: mark.mood, mark});
    const lanes = [];
    for (const label of labels.filter((l) => l.text !== "" && Number.isFinite(l.at))) {
        const width = boldWidth(label.text);
        label.left = Math.max(x.from - 30, Math.min(label.at - width / 2, x.to - width));
        label.right = label.left + width;
        let lane = lanes.findIndex(
            (taken) => taken.every((t) => t.right + 10 < label.left || t.left - 10 > label.right));
        if (lane < 0) lane = lanes.push([]) - 1;
        lanes[lane].push(label);
        label.lane = lane;
    }
    return {labels: lanes.flat(), count: lanes.length};
}

// What has no place on a logarithmic axis, such as zero, is at its low end.
function clamp(place, scale) {
    if (!Number.isFinite(place)) return scale.from;
    return Math.max(scale.from, Math.min(scale.to, place));
}

function drawSpans(spans, x, box) {
    return spans.map((span) => {
        const [from, to] = [clamp(x.at(span.from), x), clamp(x.at(span.to), x)];
        return svg("rect", {
            class: "shaded",
            x: px(from),
            y: box.top,
            width: px(Math.max(1, to - from)),
            height: box.bottom - box.top
        });
    });
}

function drawLaneLabels(lanes, box) {
    return lanes.labels.map((label) => {
        const top = box.top - 7 - label.lane * LANE;
        return svg(
            "text", {class: "label halo " + label.kind, x: px(label.left), y: px(top)}, label.text);
    });
}

function drawXMarks(marks, lanes, x, box) {
    return marks.filter((mark) => mark.at >= x.low && mark.at <= x.high).map((mark) => {
        const label = lanes.labels.find((l) => l.mark === mark);
        const top = label ? box.top - 3 - label.lane * LANE : box.top;
        const left = px(x.at(mark.at));
        return svg(
            "line", {class: "mark " + mark.mood, x1: left, x2: left, y1: px(top), y2: box.bottom});
    });
}

function drawYMarks(marks, y, box) {
    return marks.filter((mark) => mark.at >= y.low && mark.at <= y.high).map((mark) => {
        const top = px(y.at(mark.at));
        return svg("g", {},
            svg("line",
                {class: "mark " + mark.mood, x1: box.left, x2: box.right, y1: top, y2: top}),
            svg("text", {
                class: "label halo " + mark.mood,
                x: box.right - 4,
                y: top - 5,
                "text-anchor": "end"
            },
                mark.label));
    });
}

// Names at the ends of the lines, moved apart where they would touch: no looking up of colours.
function drawEndLabels(lines, x, y, box) {
    const gap = 15;
    const ends = lines
                     .map((line) => {
                         const place = placesOf(line, x, y).at(-1);
                         return place && {line, x: place[0], y: place[1]};
                     })
                     .filter(Boolean)
                     .sort((a, b) => a.y - b.y);
    // A line that ends long before the others has its name where it ends.
    const early = ends.filter((end) => end.x < box.right - 40);
    const labels = ends.filter((end) => !early.includes(end));
    for (let i = 1; i < labels.length; ++i)
        labels[i].y = Math.max(labels[i].y, labels[i - 1].y + gap);
    let limit = box.bottom;
    for (const label of labels.reverse()) {
        label.y = Math.min(label.y, limit);
        limit = label.y - gap;
    }
    const draw = (line, left, top, how) => svg("text",
        {class: "end-label " + how, x: px(left), y: px(top), style: {fill: line.colour}}, line.name);
    return [
        ...labels.map(({line, y: top}) => draw(line, box.right + 8, top + 4, "")),
        ...early.map(({line, x: left, y: top}) => draw(line, left + 8, top + 14, "halo"))
    ];
}
