// SPDX-License-Identifier: Apache-2.0
// What is to be read at a place of a chart? A reader numbers the places of one panel from left to
// right and says for each where it is and which values it has.
//
//     {count, nearest(left, top), where(index), title(index), rows(index), dots(index)}

const REACH = 24;  // pixels from which a line's nearest point still counts as being at that x

function nearestIndex(sorted, value) {
    let [low, high] = [0, sorted.length - 1];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low > 0 && value - sorted[low - 1] <= sorted[low] - value ? low - 1 : low;
}

function named(axis, text) {
    return axis.label === "" ? text : axis.label + " " + text;
}

function linesReader(panel, x, y) {
    const all = new Set(panel.lines.flatMap((line) => line.x));
    const xs = [...all]
                   .filter((v) => Number.isFinite(x.at(v)) && v >= x.low && v <= x.high)
                   .sort((a, b) => a - b);
    const pointOf = (line, index) => {
        if (line.x.length === 0) return null;
        const i = nearestIndex(line.x, xs[index]);
        return Math.abs(x.at(line.x[i]) - x.at(xs[index])) <= REACH ? i : null;
    };
    const textOf = (line, i) => {
        if (i === null) return "–";
        if (line.style !== "band") return formatValue(line.y[i], y.axis);
        return formatValue(line.low[i], y.axis) + " … " + formatValue(line.y[i], y.axis);
    };
    return {
        count: xs.length,
        nearest: (left) => nearestIndex(xs, x.invert(left)),
        where: (index) => ({left: x.at(xs[index]), top: null}),
        title: (index) => named(x.axis, formatValue(xs[index], x.axis)),
        rows: (index) => panel.lines.map(
            (line) => ({line, name: line.name, text: textOf(line, pointOf(line, index))})),
        dots: (index) => panel.lines.filter((line) => line.style !== "band")
            .map((line) => {
                const i = pointOf(line, index);
                return i === null ? null : {line, left: x.at(line.x[i]), top: y.at(line.y[i])};
            })
            .filter((dot) => dot && Number.isFinite(dot.top)),
    };
}

function pathReader(panel, x, y) {
    const places =
        panel.lines
            .flatMap((line) => line.x.map(
                         (value, i) => ({line, i, left: x.at(value), top: y.at(line.y[i])})))
            .filter((p) => Number.isFinite(p.left) && Number.isFinite(p.top));
    const distance = (place, left, top) => Math.hypot(place.left - left, place.top - top);
    return {
        count: places.length,
        nearest: (left, top) => places.reduce(
            (best, place, index) =>
                (distance(place, left, top) < distance(places[best], left, top) ? index : best),
            0),
        where: (index) => places[index],
        title: (index) => {
            const {line, i} = places[index];
            return `${line.name}, point ${i + 1} of ${line.x.length}`;
        },
        rows: (index) => {
            const {line, i} = places[index];
            return [
                {line, name: x.axis.label || "x", text: formatValue(line.x[i], x.axis)},
                {line, name: y.axis.label || "y", text: formatValue(line.y[i], y.axis)},
            ];
        },
        dots: (index) => [places[index]],
    };
}

function histogramReader(panel, x, y) {
    const {buckets} = panel;
    const total = buckets.reduce((sum, [, , count]) => sum + count, 0);
    const share = (count) =>
        (total > 0 ? Number(((100 * count) / total).toPrecision(3)) + NO_BREAK + "%" : "–");
    const middle = ([from, to]) => (clamp(x.at(from), x) + clamp(x.at(to), x)) / 2;
    const row = (name, text) => ({line: null, name, text});
    return {
        count: buckets.length,
        nearest: (left) => {
            const inside = buckets.findIndex(([, to]) => left <= x.at(to));
            return inside < 0 ? buckets.length - 1 : inside;
        },
        where: (index) => ({left: middle(buckets[index]), top: null}),
        title: (index) => named(x.axis,
            formatValue(buckets[index][0], x.axis) + " – " +
                formatValue(buckets[index][1], x.axis)),
        rows: (index) => {
            const below = buckets.slice(0, index + 1).reduce((sum, [, , count]) => sum + count, 0);
            return [
                row(y.axis.label || "count", formatValue(buckets[index][2], y.axis)),
                row("share", share(buckets[index][2])),
                row("up to here", share(below)),
            ];
        },
        dots: () => [],
    };
}
