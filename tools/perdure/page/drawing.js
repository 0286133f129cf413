// SPDX-License-Identifier: Apache-2.0
// What do lines, bands and paths look like?

const DASHES = {
    dashed: "6 4",
    again: "2 3"
};

// One d attribute; a number that is missing breaks the line, and a lonely point becomes a dot.
function linePath(line, x, y) {
    let d = "";
    let drawing = false;
    for (let i = 0; i < line.x.length; ++i) {
        const [left, top] = [x.at(line.x[i]), y.at(line.y[i])];
        if (!Number.isFinite(left) || !Number.isFinite(top)) {
            drawing = false;
        } else if (!drawing) {
            d += `M${px(left)} ${px(top)}h0`;
            drawing = true;
        } else {
            d += line.style === "step" ? `H${px(left)}V${px(top)}` : `L${px(left)} ${px(top)}`;
        }
    }
    return d;
}

// One closed piece for each run of points that have both edges.
function bandPath(line, x, y) {
    let d = "";
    let run = [];
    const close = () => {
        if (run.length > 0) {
            const there = run.map(([left, high]) => `${px(left)} ${px(high)}`).join("L");
            const back = run.reverse().map(([left, , low]) => `${px(left)} ${px(low)}`).join("L");
            d += `M${there}L${back}Z`;
        }
        run = [];
    };
    for (let i = 0; i < line.x.length; ++i) {
        const place = [x.at(line.x[i]), y.at(line.y[i]), y.at(line.low[i])];
        if (place.every(Number.isFinite)) run.push(place);
        else close();
    }
    close();
    return d;
}

function drawLine(line, x, y) {
    if (line.style === "band")
        return svg("path", {class: "band", d: bandPath(line, x, y), style: {fill: line.colour}});
    const dash = DASHES[line.style] ?? (line.again ? DASHES.again : null);
    return svg("path", {
        class: line.muted ? "line muted" : line.own ? "line own" : "line",
        d: linePath(line, x, y),
        "stroke-dasharray": dash,
        style: {stroke: line.colour},
    });
}

function drawLines(panel, x, y) {
    // Bands first, then what is only for comparison, so that no line is hidden below them.
    const rank = (line) => (line.style === "band" ? 0 : line.muted ? 1 : line.own ? 3 : 2);
    const lines = [...panel.lines].sort((a, b) => rank(a) - rank(b));
    return svg("g", {class: "lines"}, ...lines.map((line) => drawLine(line, x, y)));
}

// Places on the screen along a path, without its gaps.
function placesOf(line, x, y) {
    const places = line.x.map((value, i) => [x.at(value), y.at(line.y[i])]);
    return places.filter((place) => place.every(Number.isFinite));
}

// Small heads every so many pixels, and a ring where the path begins.
function drawDirection(line, x, y, index) {
    const places = placesOf(line, x, y);
    const group = svg("g", {class: "direction"});
    if (places.length < 2) return group;
    const every = 90;
    let walked =
        every / 2 - (index % 3) * 30;  // heads of lines that coincide are not on each other
    for (let i = 1; i < places.length; ++i) {
        const [[ax, ay], [bx, by]] = [places[i - 1], places[i]];
        const length = Math.hypot(bx - ax, by - ay);
        walked += length;
        if (walked < every || length < 1) continue;
        walked = 0;
        const angle = (Math.atan2(by - ay, bx - ax) * 180) / Math.PI;
        // Not in the middle, where the head of the way back would be too.
        const [left, top] = [ax + (bx - ax) * 0.68, ay + (by - ay) * 0.68];
        const where = `translate(${px(left)} ${px(top)}) rotate(${px(angle)})`;
        group.append(svg("path", {
            class: "head",
            d: "M6 0L-4 5L-1 0L-4 -5Z",
            transform: where,
            style: {fill: line.colour}
        }));
    }
    group.append(svg("circle", {
        class: "begin",
        cx: px(places[0][0]),
        cy: px(places[0][1]),
        r: 5,
        style: {stroke: line.colour}
    }));
    return group;
}
