// SPDX-License-Identifier: Apache-2.0
// How are elements made? Always with text as text: nothing on the page is parsed a second time.

const SVG = "http://www.w3.org/2000/svg";
const FONT_SIZE = 12;
const ruler = document.createElement("canvas").getContext("2d");

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined) continue;
        if (name === "style") Object.assign(node.style, value);
        else node.setAttribute(name, value);
    }
    node.append(
        ...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
}

function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

function textWidth(text, weight = 400) {
    if (ruler === null) return text.length * 7;
    ruler.font = `${weight} ${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    return ruler.measureText(text).width;
}

function boldWidth(text) {
    return textWidth(text, 600);
}

function px(number) {
    return Math.round(number * 10) / 10;
}
