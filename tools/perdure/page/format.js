// SPDX-License-Identifier: Apache-2.0
// How is a number written for a reader? The same rules are in page_text.cpp.
"use strict";

const NO_BREAK = "\u00a0";

function grouped(text) {
    return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

// A hyphen is not a minus.
function signed(text) {
    return text.replace(/^-/, "−");
}

// Four digits say enough, and whole numbers from a thousand on.
function plain(value) {
    const size = Math.abs(value);
    if (size >= 1000 && size < 1e15) return signed(grouped(String(Math.round(value))));
    return signed(String(Number(value.toPrecision(4))));
}

// Seconds are read more easily as µs or ms when they are short: [factor, unit].
function readableUnit(size, unit) {
    if (unit !== "s" || size >= 1 || size === 0) return [1, unit];
    return size < 1e-3 ? [1e6, "µs"] : [1e3, "ms"];
}

function joined(number, unit) {
    return unit === "" || unit.startsWith("/") ? number + unit : number + NO_BREAK + unit;
}

function formatValue(value, axis) {
    if (value === null || !Number.isFinite(value)) return "–";
    const [factor, unit] = readableUnit(Math.abs(value), axis.unit);
    return joined(plain(value * factor), unit);
}

// Ticks of one linear axis have one unit and one number of decimals.
function formatTick(value, scale, step) {
    const {axis} = scale;
    if (value === 0) return "0";
    if (axis.log) return unitInTicks(axis) ? formatValue(value, axis) : plain(value);
    const [factor, unit] =
        readableUnit(Math.max(Math.abs(scale.low), Math.abs(scale.high)), axis.unit);
    const decimals = Math.max(0, -Math.floor(Math.log10(step * factor) + 1e-9));
    const [whole, rest] = (value * factor).toFixed(decimals).split(".");
    const number = signed(grouped(whole) + (rest ? "." + rest : ""));
    return unitInTicks(axis) ? joined(number, unit) : number;
}

function unitInTicks(axis) {
    return axis.unit === "s" || axis.unit === "%";
}

function axisTitle(axis) {
    if (unitInTicks(axis) || axis.unit === "") return axis.label;
    return axis.label === "" ? axis.unit : axis.label + ", " + axis.unit;
}
