// Sorting and filtering of the table of files; without this script the page only lacks them.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent;
  heads.forEach((head, at) => {
    if (head.classList.contains("plot")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numbers = head.classList.contains("number");
      const falling = head.ariaSort ? head.ariaSort === "ascending" : numbers;
      const order = (a, b) => numbers ? a - b : a.localeCompare(b);
      const rows = [...body.rows].map((row) => [value(row, at), row]);
      rows.sort(([a], [b]) => (falling ? order(b, a) : order(a, b)));
      body.append(...rows.map(([, row]) => row));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.ariaSort = falling ? "descending" : "ascending";
    });
  });
  const tools = document.getElementById(table.id + "-tools");
  const [field, count] = [tools.querySelector("input"), tools.querySelector("output")];
  const filter = () => {
    const wanted = field.value.toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    count.textContent = wanted ? `${shown} of ${body.rows.length}` : "";
  };
  field.addEventListener("input", filter);
  tools.hidden = false;
  filter();
}
