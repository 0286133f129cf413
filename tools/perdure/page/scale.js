// SPDX-License-Identifier: Apache-2.0
// Where on the screen is a value? A scale maps values to pixels and back, and knows its ticks.

// [lowest, highest] of the usable numbers in the arrays, or null.
function extentOf(arrays, log) {
    let low = Infinity;
    let high = -Infinity;
    for (const values of arrays) {
        for (const value of values) {
            if (value === null || (log && value <= 0)) continue;
            if (value < low) low = value;
            if (value > high) high = value;
        }
    }
    return low <= high ? [low, high] : null;
}

function niceStep(span, count) {
    const raw = span / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(raw));
    const times = [1, 2, 5, 10].find((t) => raw / power <= t * (1 + 1e-9));
    return times * power;
}

function linearEnds(extent, fit) {
    let [low, high] = extent ?? [0, 1];
    if (fit === "from zero") [low, high] = [Math.min(0, low), Math.max(0, high)];
    if (low === high)
        [low, high] = [low - (low === 0 ? 0 : Math.abs(low) / 2), high + (Math.abs(high) / 2 || 1)];
    if (fit === "exact") return [low, high];
    const step = niceStep(high - low, 8);
    return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

function logEnds(extent, fit) {
    let [low, high] = extent ?? [1, 10];
    if (low === high) [low, high] = [low / 2, high * 2];
    if (fit === "exact") return [low, high];
    const round = (value, choose) => {
        const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
        return choose([1, 2, 5, 10].map((t) => t * power), value);
    };
    return [
        round(low, (all, v) => Math.max(...all.filter((t) => t <= v * (1 + 1e-9)))),
        round(high, (all, v) => Math.min(...all.filter((t) => t >= v * (1 - 1e-9)))),
    ];
}

// fit: "exact" ends at the values, "round" at the next round number, "from zero" also holds 0.
function makeScale(axis, extent, from, to, fit) {
    const ends = axis.log ? logEnds(extent, fit) : linearEnds(extent, fit);
    const low = usableEnd(axis, axis.low) ?? ends[0];
    let high = usableEnd(axis, axis.high) ?? ends[1];
    if (!(high > low)) high = axis.log ? low * 10 : low + 1;
    const map = axis.log ? Math.log10 : (v) => v;
    const back = axis.log ? (v) => 10 ** v : (v) => v;
    const [a, b] = [map(low), map(high)];
    const at = (v) =>
        (v === null || (axis.log && v <= 0) ? NaN : from + ((map(v) - a) / (b - a)) * (to - from));
    const invert = (p) => back(a + ((p - from) / (to - from)) * (b - a));
    return {axis, low, high, from, to, at, invert};
}

function usableEnd(axis, end) {
    return end === undefined || end === null || (axis.log && end <= 0) ? undefined : end;
}

// [{value, text}], about `count` of them.
function ticksOf(scale, count) {
    if (scale.axis.log) {
        const values = logTicks(scale, count);
        if (values.length >= 2)
            return values.map((value) => ({value, text: formatTick(value, scale, value)}));
    }
    const step = niceStep(scale.high - scale.low, count);
    const ticks = [];
    for (let i = Math.ceil(scale.low / step - 1e-9); i * step <= scale.high + step * 1e-9; ++i) {
        const value = Number((i * step).toPrecision(12));
        ticks.push({value, text: formatTick(value, scale, step)});
    }
    return ticks;
}

// The densest of a few usual choices that is not too dense.
function logTicks(scale, count) {
    const first = Math.floor(Math.log10(scale.low));
    const last = Math.ceil(Math.log10(scale.high));
    const choices = [[[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 6]];
    let values = [];
    for (const [times, every] of choices) {
        values = [];
        for (let power = first; power <= last; ++power) {
            if (power % every !== 0) continue;
            for (const t of times) values.push(Number((t * 10 ** power).toPrecision(12)));
        }
        values = values.filter((v) => v >= scale.low * (1 - 1e-9) && v <= scale.high * (1 + 1e-9));
        if (values.length <= count) break;
    }
    return values;
}
