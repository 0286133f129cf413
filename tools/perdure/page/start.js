// SPDX-License-Identifier: Apache-2.0
// What happens when the page is opened?

// The clipboard of a page opened from a file may be refused; selecting by hand still works then.
function copyButton(label, text) {
    const button = html("button", {type: "button", class: "copy"}, label);
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text());
            button.textContent = "Copied";
        } catch {
            button.textContent = "Not allowed here";
        }
        setTimeout(() => {
            button.textContent = label;
        }, 1500);
    });
    return button;
}

function openForPrint() {
    for (const details of document.querySelectorAll("details:not([open])")) {
        details.open = true;
        addEventListener("afterprint", () => {
            details.open = false;
        }, {once: true});
    }
}

function start() {
    const numbers = JSON.parse(document.getElementById("numbers").textContent);
    const charts = numbers.charts.map((spec) => unpack(spec, numbers.xs));
    giveColours(charts);
    for (const figure of document.querySelectorAll("[data-chart]"))
        openChart(figure, charts[Number(figure.dataset.chart)]);
    for (const table of document.querySelectorAll("figure.table table")) makeSortable(table);
    for (const code of document.querySelectorAll("section.code"))
        code.querySelector(".code-head")
            .append(copyButton("Copy", () => code.querySelector("pre").textContent));
    addEventListener("beforeprint", openForPrint);
}

start();
