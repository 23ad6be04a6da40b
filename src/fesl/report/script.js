"use strict";
(() => {
  const write = {
    count: (v) => Math.round(v).toLocaleString("en"),
    percent: (v) => (100 * v).toFixed(1) + "%",
    number: (v) => (Math.abs(v) >= 1e4 ? Math.round(v).toLocaleString("en") : String(+v.toPrecision(3))),
  };
  const make = (tag, style, text) => {
    const node = document.createElement(tag);
    node.className = style || "";
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // What a chart shows under the pointer, read from its own lines.
  const points = (path) =>
    (path.dataset.d || path.getAttribute("d")).split(/[ML]/).filter(Boolean).map((p) => p.split(",").map(Number));
  const nearest = (found, x) => {
    let low = 0, high = found.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (found[middle][0] <= x) low = middle; else high = middle;
    }
    return high < 0 ? null : Math.abs(found[high][0] - x) < Math.abs(found[low][0] - x) ? found[high] : found[low];
  };

  for (const chart of document.querySelectorAll(".chart")) {
    const plot = chart.querySelector(".plot"), svg = plot.querySelector("svg");
    const paths = [...svg.querySelectorAll("path[data-n]")];
    const scale = (text) => {
      const [low, high, written] = text.split(",");
      return { low: +low, high: +high, write: write[written] };
    };
    const X = scale(chart.dataset.x), Y = scale(chart.dataset.y), height = svg.viewBox.baseVal.height;
    let lines = null, cursor = null, tip = null;
    const show = (event) => {
      const box = plot.getBoundingClientRect(), part = (event.clientX - box.left) / box.width;
      if (part < 0 || part > 1) return hide();
      lines ??= paths.map((path) => [path, points(path)]);
      cursor ??= plot.appendChild(make("div", "cursor"));
      tip ??= plot.appendChild(make("div", "tip"));
      cursor.style.left = 100 * part + "%";
      const rows = lines.filter(([path]) => !path.classList.contains("off"))
        .map(([path, found]) => [path.dataset.n, nearest(found, 1000 * part)])
        .filter(([, at]) => at && Math.abs(at[0] - 1000 * part) < 40)
        .map(([name, at]) => [name, Y.low + (1 - at[1] / height) * (Y.high - Y.low)])
        .reverse();
      const table = make("table");
      for (const [name, v] of [["row", X.low + part * (X.high - X.low)], ...rows]) {
        const line = table.insertRow();
        line.insertCell().textContent = name;
        line.insertCell().textContent = name === "row" ? X.write(v) : Y.write(v);
      }
      tip.replaceChildren(table);
      const wide = tip.offsetWidth, x = part * box.width;
      tip.style.left = Math.max(-40, Math.min(box.width - wide, x > box.width / 2 ? x - wide - 10 : x + 10)) + "px";
    };
    const hide = () => { cursor?.remove(); tip?.remove(); cursor = tip = null; };
    plot.addEventListener("pointermove", show);
    plot.addEventListener("pointerdown", show);
    plot.addEventListener("pointerleave", hide);
    const figure = chart.closest("figure");
    for (const button of figure.querySelectorAll(".key button")) {
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", on);
        for (const path of paths) if (path.dataset.n === button.textContent) path.classList.toggle("off", !on);
      });
    }
  }

  // Tables that are sorted by their heads and searched.
  for (const table of document.querySelectorAll(".sortable")) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const worth = (row, i) => {
      const text = row.cells[i].textContent;
      return heads[i].classList.contains("n") ? Number(text.replaceAll(",", "")) : text.toLowerCase();
    };
    heads.forEach((head, i) => {
      head.tabIndex = 0;
      const sort = () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [worth(row, i), row]);
        rows.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (up ? 1 : -1));
        body.replaceChildren(...rows.map(([, row]) => row));
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    });
    const section = table.closest("section"), input = section.querySelector("input"), output = section.querySelector("output");
    const search = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase(), fits = words.every((word) => text.includes(word));
        row.hidden = !fits;
        found += fits;
      }
      output.textContent = `${found.toLocaleString("en")} of ${body.rows.length.toLocaleString("en")} events`;
    };
    input.addEventListener("input", search);
    search();
  }
})();
